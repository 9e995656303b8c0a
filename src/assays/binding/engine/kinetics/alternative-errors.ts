/**
 * What errors of doses and times add to the covariance of an alternative model, by its linearization: each moves the
 * parameters by (JᵀJ)⁻¹ Jᵀ d, where d is the change of the curves for one standard error. For 1:1 binding see
 * `nuisances.ts`.
 */
import { computeDot, scaleInPlace, subtractColumns } from '#analysis/numerics/matrix.ts';
import { ALTERNATIVES } from './alternatives.ts';
import type { AlternativeModel } from './alternatives.ts';
import type { GeneralSolution } from './general-fit.ts';
import type { TimeZero } from './model.ts';
import type { FitProblem } from './problem.ts';

/** Parameters that all change by the same factor where only the concentration does. */
const WITH_DOSE: Readonly<Record<AlternativeModel, readonly number[]>> = {
  mass_transport: [0, 2],
  heterogeneous_ligand: [0, 2],
  bivalent_analyte: [0],
};

/** Half the step of the numerical derivative by time, in s. */
const TIME_STEP_S = 0.25;

/** Returns the covariance of the parameters `main` and `main + 1` (ln kon, ln koff) from doses and times. */
export function computeStatedErrors(
  model: AlternativeModel,
  problem: FitProblem,
  solution: GeneralSolution,
  main: number,
): number[][] {
  const found = [
    [0, 0],
    [0, 0],
  ];
  for (const change of [
    ...listDoseChanges(model, problem, solution),
    ...listTimeChanges(model, problem, solution),
  ]) {
    const moved = computeMoved(solution, change);
    for (const i of [0, 1])
      for (const j of [0, 1]) found[i][j] += (moved[main + i] ?? 0) * (moved[main + j] ?? 0);
  }
  return found;
}

function computeMoved({ columns, inverse }: GeneralSolution, change: Float64Array): number[] {
  const gradient = columns.map((column) => computeDot(column, change));
  return (inverse ?? []).map((row) => computeDot(row, gradient));
}

/** A dose of its own for each curve. */
function listDoseChanges(
  model: AlternativeModel,
  { curves, offsets }: FitProblem,
  { columns }: GeneralSolution,
): Float64Array[] {
  return curves.flatMap(({ doseSe = 0 }, g) => {
    if (doseSe === 0) return [];
    const change = new Float64Array(offsets[curves.length]);
    for (const k of WITH_DOSE[model])
      for (let i = offsets[g]; i < offsets[g + 1]; i += 1) change[i] += doseSe * columns[k][i];
    return [change];
  });
}

/** The start and the end of the injections, each the same for all curves. */
function listTimeChanges(
  model: AlternativeModel,
  { curves, offsets, time }: FitProblem,
  { theta, rmax }: GeneralSolution,
): Float64Array[] {
  const timeSe = Math.max(...curves.map((curve) => curve.timeSe ?? 0));
  if (timeSe === 0) return [];
  const draw = (at: TimeZero): Float64Array => {
    const out = new Float64Array(offsets[curves.length]);
    for (const [g, curve] of curves.entries()) ALTERNATIVES[model].write(curve, theta, at, out, offsets[g]);
    return out;
  };
  return (['startS', 'endS'] as const).map((name) => {
    const later = draw({ ...time, [name]: time[name] + TIME_STEP_S });
    const earlier = draw({ ...time, [name]: time[name] - TIME_STEP_S });
    const change = subtractColumns(later, earlier);
    for (let g = 0; g < curves.length; g += 1)
      scaleInPlace(change.subarray(offsets[g], offsets[g + 1]), (timeSe * rmax[g]) / (2 * TIME_STEP_S));
    return change;
  });
}
