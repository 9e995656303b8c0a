/** Intervals over all mechanisms: they hold KD where another mechanism is hidden, and stay narrow where none can be. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { computeOneToOneResponse, createEmptyCurve, createNoise } from '#testing/analysis/noise.ts';
import { createNormals } from '#testing/analysis/synthetic.ts';
import { computeAlternativeResponse } from './alternatives.ts';
import { fitKinetics, LOCAL_RMAX } from './fit.ts';
import { computeMechanismError } from './mechanism-error.ts';
import type { FitCurve } from './model.ts';
import { NORMAL_95 } from '#analysis/numerics/statistics.ts';

const SERIES_M = [1e-7, 3e-8, 1e-8, 3e-9, 1e-9];
const MAIN = { kon: 2e5, koff: 2e-3 };
const KD_M = 1e-8;
const SEEDS = Array.from({ length: 20 }, (_, k) => k + 1);

interface Found {
  /** Whether the interval of the noise alone, and the one over all mechanisms, hold the truth. */
  byNoise: boolean;
  byAll: boolean;
  /** Width of the second over that of the first. */
  ratio: number;
  moved: number;
}

function examine(response: (curve: FitCurve) => Float64Array, seed: number, sd: number): Found {
  const normal = createNormals(seed);
  const curves = SERIES_M.map((concentrationM): FitCurve => {
    const curve = createEmptyCurve({ concentrationM, points: 300 });
    const noise = createNoise(normal, { sd, rho: 0.6 });
    return { ...curve, signal: response(curve).map((value, i) => value + noise(curve.timeS[i])) };
  });
  const fit = fitKinetics(curves, LOCAL_RMAX);
  const error = computeMechanismError(curves, [{ fit, options: LOCAL_RMAX, deltaBic: 0 }]);
  assert.ok(error?.factors.kd);
  const half = NORMAL_95 * fit.seLnKd * fit.widening.kd;
  const ends = fit.intervals?.kd ?? { low: Math.exp(-half), high: Math.exp(half) };
  const own = { low: ends.low ?? 0, high: ends.high ?? Number.POSITIVE_INFINITY };
  const { low, high } = error.factors.kd;
  const holds = (from: number, to: number): boolean => from * fit.kdM <= KD_M && KD_M <= to * fit.kdM;
  return {
    byNoise: holds(own.low, own.high),
    byAll: holds(Math.min(low, own.low), Math.max(high, own.high)),
    ratio: Math.log(high / low) / Math.log(own.high / own.low),
    moved: error.computeMovedProbability(1.3),
  };
}

const countTrue = (values: readonly boolean[]): number => values.filter(Boolean).length;

describe('another mechanism beside 1:1 binding', () => {
  for (const [name, second] of [
    ['weaker by koff', { kon: 2e5, koff: 2e-2 }],
    ['weaker by both rates', { kon: 7e4, koff: 7e-3 }],
    ['stronger by both rates', { kon: 5e5, koff: 5e-4 }],
  ] as const) {
    test(`interval: 15 % of the sites ${name} → the noise alone often misses KD, all mechanisms hold it`, () => {
      const theta = [MAIN.kon, MAIN.koff, second.kon, second.koff].map(Math.log);
      const found = SEEDS.map((seed) =>
        examine(
          (curve) =>
            computeAlternativeResponse('heterogeneous_ligand', curve, [...theta, Math.log(0.85 / 0.15)]),
          seed,
          0.01,
        ),
      );
      const [byNoise, byAll] = [
        countTrue(found.map((each) => each.byNoise)),
        countTrue(found.map((each) => each.byAll)),
      ];
      assert.ok(byAll >= 15 && byAll > byNoise, `${byNoise} by noise, ${byAll} by all mechanisms`);
    });
  }

  test('interval: 1:1 binding measured precisely → hardly wider than by the noise alone, and nothing is told', () => {
    const found = SEEDS.map((seed) => examine((curve) => computeOneToOneResponse(curve, MAIN), seed, 0.001));
    const ratios = found.map(({ ratio }) => ratio).toSorted((a, b) => a - b);
    assert.ok(ratios[10] < 1.5, `median ${ratios[10]}`);
    assert.ok(countTrue(found.map(({ moved }) => moved > 0.05)) === 0);
    const held = countTrue(found.map(({ byAll }) => byAll));
    assert.ok(
      held >= 17,
      `${held} of ${found.length}, by noise ${countTrue(found.map(({ byNoise }) => byNoise))}`,
    );
  });

  test('interval: 1:1 binding in strong noise → what another mechanism could do is told', () => {
    const found = SEEDS.map((seed) => examine((curve) => computeOneToOneResponse(curve, MAIN), seed, 0.06));
    const widened = countTrue(found.map(({ moved }) => moved > 0.05));
    assert.ok(widened >= 12, `${widened}`);
  });
});
