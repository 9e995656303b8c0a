import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEmptyCurve, createNoise, computeOneToOneResponse } from '#testing/analysis/noise.ts';
import { createNormals, createUniforms } from '#testing/analysis/synthetic.ts';
import { LOCAL_RMAX } from './fit.ts';
import type { FitCurve, TimeZero } from './model.ts';
import { moveToTime, prepareProblem } from './problem.ts';
import { refine } from './solve.ts';

const TIMES: TimeZero[] = [-1, 0, 1].flatMap((startS) => [-1, 0, 1].map((endS) => ({ startS, endS })));

function createNoisySet(seed: number): { curves: FitCurve[]; truth: { lnKon: number; lnKoff: number } } {
  const uniform = createUniforms(seed);
  const kon = 10 ** (4.5 + 1.5 * uniform());
  const koff = 10 ** (-3.7 + 1.5 * uniform());
  const noise = createNoise(createNormals(seed), { sd: 0.01 * uniform(), rho: 0.9 * uniform() });
  const late = 2 * uniform();
  const curves = [1e-7, 3e-8, 1e-8].map((concentrationM) => {
    const curve = createEmptyCurve({ concentrationM, points: 120 });
    const moved = { ...curve, timeS: curve.timeS.map((t) => t - late) };
    const signal = computeOneToOneResponse(moved, { kon, koff }).map(
      (value, i) => value + noise(curve.timeS[i]),
    );
    return { ...curve, signal };
  });
  return { curves, truth: { lnKon: Math.log(kon), lnKoff: Math.log(koff) } };
}

test('solve: a problem moved to other times → equals one that is built for them', () => {
  const { curves, truth } = createNoisySet(7);
  for (const terms of [LOCAL_RMAX, { ...LOCAL_RMAX, bulkShift: true, drift: true }]) {
    const problem = prepareProblem(curves, terms);
    for (const time of TIMES) {
      const made = refine(prepareProblem(curves, terms, time), truth);
      assert.deepEqual(refine(moveToTime(problem, time), truth), made);
    }
  }
});
