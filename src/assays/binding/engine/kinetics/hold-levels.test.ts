/** Levels of curves are fitted within their errors, and only where nothing else is left to explain. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeOneToOneResponse, createEmptyCurve } from '#testing/analysis/noise.ts';
import { createNormals } from '#testing/analysis/synthetic.ts';
import { computeMedian } from '#analysis/numerics/statistics.ts';
import { finishFit, solveKinetics } from './fit.ts';
import type { SolvedFit } from './fit.ts';
import { holdLevels } from './hold-levels.ts';
import type { FitCurve } from './model.ts';
import type { OneToOne } from './one-to-one.ts';

const KINETICS = { kon: 1e5, koff: 5e-4 };
const KD_M = 5e-9;
const DOSES_M = [1.5e-9, 5e-9, 1.5e-8, 5e-8];
const NOISE_SD = 0.01;
const LEVEL_SE = 0.01;
const SETTINGS = { model: 'auto', drift: 'held' } as const;
const SEEDS = Array.from({ length: 16 }, (_, i) => i + 1);

/** One surface; `slow` of the complex hardly dissociates. */
function simulate(seed: number, { levelSe = LEVEL_SE, slow = 0, noiseSd = NOISE_SD } = {}): FitCurve[] {
  const normal = createNormals(seed);
  return DOSES_M.map((concentrationM) => {
    const curve = createEmptyCurve({ concentrationM, associationS: 200, lengthS: 500, points: 500 });
    const tight = computeOneToOneResponse(curve, { kon: 2e5, koff: 1e-5 });
    const level = levelSe * normal();
    const signal = computeOneToOneResponse(curve, KINETICS).map(
      (value, i) => (1 - slow) * value + slow * tight[i] + level + noiseSd * normal(),
    );
    return { ...curve, signal, alignmentSe: levelSe, meanSe: noiseSd / Math.sqrt(500) };
  });
}

function solve(curves: readonly FitCurve[]): OneToOne<SolvedFit> {
  const options = { rmax: 'global', bulkShift: false, drift: false, offset: false } as const;
  const fit = solveKinetics(curves, options);
  return {
    fitted: [...curves],
    fit,
    options,
    rejected: null,
    ligandLoss: null,
    offset: null,
    isOffsetUnused: false,
  };
}

function computeError({ kdM }: Pick<SolvedFit, 'kdM'>): number {
  return Math.abs(Math.log(kdM / KD_M));
}

test('held levels: baselines with an error as large as the noise → KD nearer to the truth, and its interval holds it', () => {
  const found = SEEDS.map((seed) => {
    const plain = solve(simulate(seed));
    const errorPlain = computeError(plain.fit);
    const { fit, options } = holdLevels(plain, SETTINGS);
    assert.equal(options.heldLevels, 1);
    return { errorPlain, fit: finishFit(fit) };
  });
  const [before, after] = [
    found.map((each) => each.errorPlain),
    found.map(({ fit }) => computeError(fit)),
  ].map(computeMedian);
  assert.ok(after < 0.6 * before, `${before} to ${after}`);
  const held = found.filter(({ fit }) => computeError(fit) < 1.96 * fit.seLnKd * fit.widening.kd);
  assert.ok(held.length >= SEEDS.length - 1, `${held.length}`);
});

test('held levels: levels without an error → the same KD', () => {
  const plain = solve(simulate(1, { levelSe: 0 }));
  assert.ok(Math.abs(Math.log(holdLevels(plain, SETTINGS).fit.kdM / plain.fit.kdM)) < 1e-6);
});

test('held levels: residuals of another mechanism beyond the noise → levels stay as aligned', () => {
  const plain = solve(simulate(1, { levelSe: 0.001, slow: 0.5, noiseSd: 0.001 }));
  assert.ok(holdLevels(plain, SETTINGS) === plain);
});

test('held levels: a stated model, or a drift that is not held → fitted as stated', () => {
  const plain = solve(simulate(1));
  assert.ok(holdLevels(plain, { ...SETTINGS, model: '1:1' }) === plain);
  assert.ok(holdLevels(plain, { ...SETTINGS, drift: 'none' }) === plain);
});
