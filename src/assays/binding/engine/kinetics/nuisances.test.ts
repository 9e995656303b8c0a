/** What errors of doses, times and levels leave uncertain of the rates, given what the curves say of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeOneToOneResponse, createEmptyCurve, createNoise } from '#testing/analysis/noise.ts';
import { createNormals } from '#testing/analysis/synthetic.ts';
import { fitKinetics, LOCAL_RMAX } from './fit.ts';
import type { FitCurve } from './model.ts';

const KINETICS = { kon: 2e5, koff: 2e-3 };
const DOSES_M = [3e-9, 1e-8, 3e-8, 1e-7];
const SD = 0.004;

/** Sensors of unit Rmax, with what is known of their errors; `actualM` are the doses in the wells. */
function simulate(seed: number, known: Partial<FitCurve>, actualM: readonly number[] = DOSES_M): FitCurve[] {
  return DOSES_M.map((concentrationM, g) => {
    const curve = createEmptyCurve({ concentrationM });
    const noise = createNoise(createNormals(10 * seed + g), { sd: SD });
    const bound = computeOneToOneResponse({ ...curve, concentrationM: actualM[g] }, KINETICS);
    const signal = bound.map((value, i) => value + noise(curve.timeS[i]));
    return { ...curve, ...known, signal };
  });
}

function computeSe(curves: readonly FitCurve[]): number {
  const { seLnKd, widening } = fitKinetics(curves, { ...LOCAL_RMAX, heldDrift: true });
  return seLnKd * widening.kd;
}

test('nuisance parameters: errors of doses and times → wider; none → as by the noise alone', () => {
  const plain = computeSe(simulate(1, {}));
  assert.ok(computeSe(simulate(1, { doseSe: 0.03 })) > 1.3 * plain);
  assert.ok(computeSe(simulate(1, { timeSe: 2 })) > 1.05 * plain);
  assert.equal(computeSe(simulate(1, { doseSe: 0, timeSe: 0, leftoverSd: 0 })), plain);
});

test('nuisance parameters: a drift that the curves exclude → a larger one widens no further', () => {
  const computeWith = (sdPerS: number): number => computeSe(simulate(1, { drift: { sdPerS, overNoise: 0 } }));
  const [none, usual, large] = [0, 1e-4, 1e-2].map(computeWith);
  assert.ok(usual > none);
  assert.ok(large < 1.5 * usual, `${usual}, ${large}`);
});

test('nuisance parameters: doses off by a few percent → the interval holds KD', () => {
  const seeds = Array.from({ length: 60 }, (_, i) => i + 1);
  const countHeld = (known: Partial<FitCurve>): number =>
    seeds.filter((seed) => {
      const normal = createNormals(seed + 1000);
      const actualM = DOSES_M.map((molar) => molar * Math.exp(0.03 * normal()));
      const fit = fitKinetics(simulate(seed, known, actualM), LOCAL_RMAX);
      return Math.abs(Math.log(fit.kdM / 1e-8)) < 1.96 * fit.seLnKd * fit.widening.kd;
    }).length;
  assert.ok(countHeld({ doseSe: 0.03 }) >= 54);
  assert.ok(countHeld({}) < 48);
});
