/** What a second kind of site could do to the KD of an isotherm. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNormals } from '#testing/analysis/synthetic.ts';
import { computeIsothermError } from './isotherm-mechanisms.ts';
import { fitSteadyState } from './steady-state.ts';

const KD_M = 1e-7;
const DOSES_M = [1e-8, 3e-8, 1e-7, 3e-7, 1e-6, 3e-6];

/** Plateaus of main sites and a share of sites with KD `ratio` times that of the main ones, with noise. */
function draw(dosesM: readonly number[], { share = 0, ratio = 1, noise = 0.01, seed = 1 }) {
  const drawNormal = createNormals(seed);
  const computeBound = (c: number, kdM: number): number => c / (kdM + c);
  const points = dosesM.map((c) => ({
    concentrationM: c,
    response:
      (1 - share) * computeBound(c, KD_M) + share * computeBound(c, KD_M * ratio) + noise * drawNormal(),
  }));
  const fit = fitSteadyState(points);
  assert.ok(fit !== null);
  const error = computeIsothermError(fit);
  assert.ok(error !== null);
  return { fit, error };
}

test('second sites: six plateaus with noise → KD may move by 30 %, and the interval is no narrower than the noise', () => {
  const { fit, error } = draw(DOSES_M, { noise: 0.03 });
  assert.ok(error.computeMovedProbability(1.3) > 0.1);
  assert.ok(error.low < 0.9 && error.high > 1.1);
  assert.ok(fit.interval.low !== null && fit.interval.high !== null);
});

test('second sites: a fifth of the sites six times tighter → the interval holds KD of the main sites', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { fit, error } = draw(DOSES_M, { share: 0.2, ratio: 1 / 6, noise: 0.003, seed });
    assert.ok(fit.kdM * error.low < KD_M && KD_M < fit.kdM * error.high, `seed ${seed}`);
  }
});

test('second sites: many precise plateaus over six decades → the curves exclude what would move KD', () => {
  const dosesM = Array.from({ length: 60 }, (_, k) => 1e-10 * 10 ** (k / 10));
  const { error } = draw(dosesM, { noise: 0.0005 });
  assert.ok(error.computeMovedProbability(1.3) < 0.025);
});
