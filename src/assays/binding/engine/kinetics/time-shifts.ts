/** What a shift of the times of all injections does to the fitted curves. */
import { takeZeros } from './column-room.ts';
import { addResponse } from './model.ts';
import { projectLocal } from './local-basis.ts';
import type { Evaluation, FitProblem } from './problem.ts';

/**
 * Returns, for the start and for the end of all injections, half the difference of the fitted curves between a shift by
 * `stepS` and one by as much the other way, in the unit of the signal and without the span of the local columns.
 */
export function computeTimeShifts(problem: FitProblem, at: Evaluation, stepS: number): Float64Array[] {
  const { curves, offsets, time, locals } = problem;
  const rates = { kon: Math.exp(at.lnKon), koff: Math.exp(at.lnKoff) };
  return (['startS', 'endS'] as const).map((end) => {
    const column = takeZeros(offsets[curves.length]);
    for (const [g, curve] of curves.entries()) {
      for (const sign of [1, -1]) {
        const moved = { ...time, [end]: time[end] + sign * stepS };
        addResponse(curve, rates, { time: moved, weight: (sign * at.rmax[g]) / 2 }, column, offsets[g]);
      }
      projectLocal(locals[g], column, offsets[g]);
    }
    return column;
  });
}
