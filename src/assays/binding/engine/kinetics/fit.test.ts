import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNormals } from '#testing/analysis/synthetic.ts';
import { computeAlternativeResponse } from './alternatives.ts';
import { fitKinetics, LOCAL_RMAX } from './fit.ts';
import { NOMINAL_TIME, writeShape } from './model.ts';
import type { FitCurve, TimeZero } from './model.ts';
import { createShapeBuffers } from './problem.ts';
import { fitSteadyState } from './steady-state.ts';
import { solveWithTimeZero } from './time-zero.ts';

interface Truth {
  kon: number;
  koff: number;
  rmax: number;
}

const TRUTH: Truth = { kon: 2.3e5, koff: 1.7e-3, rmax: 0.8 };
const SERIES_M = [1e-7, 5e-8, 2.5e-8, 1.25e-8, 6.25e-9, 3.1e-9, 1.6e-9];

interface Shot {
  truth?: Truth;
  time?: TimeZero;
  computeNoise?: (index: number) => number;
  from?: number;
  concentrations?: readonly number[];
  linear?: { bulkShift: number; drift: number; offset: number };
}

function simulate(shot: Shot = {}): FitCurve[] {
  const truth = shot.truth ?? TRUTH;
  return (shot.concentrations ?? SERIES_M).map((concentrationM, g) => {
    const timeS = Float64Array.from({ length: 600 }, (_, i) => i + (shot.from ?? 1));
    const curve = { timeS, signal: new Float64Array(timeS.length), concentrationM, associationS: 300 };
    const n = timeS.length;
    const out = { shape: new Float64Array(n), byLnKon: new Float64Array(n), byLnKoff: new Float64Array(n) };
    writeShape(curve, truth, shot.time ?? NOMINAL_TIME, out, 0);
    const rmax = truth.rmax * (1 + 0.1 * g);
    const { bulkShift, drift, offset } = shot.linear ?? { bulkShift: 0, drift: 0, offset: 0 };
    curve.signal = out.shape.map((s, i) => {
      const during = timeS[i] > 0 && timeS[i] <= 300 ? bulkShift : 0;
      return rmax * s + during + drift * timeS[i] + offset + (shot.computeNoise?.(g * n + i) ?? 0);
    });
    return curve;
  });
}

function computeRelativeError(actual: number, expected: number): number {
  return Math.abs(actual / expected - 1);
}

test('model: analytic derivatives → agree with central differences', () => {
  const timeS = Float64Array.from({ length: 500 }, (_, i) => i * 2 - 20);
  const curve = { timeS, signal: new Float64Array(500), concentrationM: 3e-8, associationS: 300 };
  const shapeAt = (lnKon: number, lnKoff: number) => {
    const out = {
      shape: new Float64Array(500),
      byLnKon: new Float64Array(500),
      byLnKoff: new Float64Array(500),
    };
    writeShape(curve, { kon: Math.exp(lnKon), koff: Math.exp(lnKoff) }, { startS: 1.5, endS: -2 }, out, 0);
    return out;
  };
  const h = 1e-5;
  const a = Math.log(TRUTH.kon);
  const d = Math.log(TRUTH.koff);
  const at = shapeAt(a, d);
  for (let i = 0; i < 500; i += 1) {
    const byKon = (shapeAt(a + h, d).shape[i] - shapeAt(a - h, d).shape[i]) / (2 * h);
    const byKoff = (shapeAt(a, d + h).shape[i] - shapeAt(a, d - h).shape[i]) / (2 * h);
    assert.ok(Math.abs(at.byLnKon[i] - byKon) < 1e-9, `ln kon at point ${i}`);
    assert.ok(Math.abs(at.byLnKoff[i] - byKoff) < 1e-9, `ln koff at point ${i}`);
  }
});

test('model: averaged samples → the mean of the model over them, with its derivatives', () => {
  const samples = 5;
  const rates = { kon: 2e6, koff: 0.05 };
  const at = (i: number): number => 0.1 + 0.2 * i;
  const raw = { timeS: Float64Array.from({ length: 200 }, (_, i) => at(i)), associationS: 20 };
  const timeS = Float64Array.from({ length: 40 }, (_, i) => at(samples * i + 2));
  const common = { concentrationM: 1e-6, signal: new Float64Array(200) };
  const averaging = { samples, intervalS: 0.2 };
  const single = createShapeBuffers(200);
  const means = createShapeBuffers(40);
  writeShape({ ...raw, ...common }, rates, NOMINAL_TIME, single, 0);
  writeShape({ ...common, timeS, associationS: 20, averaging }, rates, NOMINAL_TIME, means, 0);
  const averageBlock = (values: Float64Array, i: number): number =>
    values.slice(samples * i, samples * (i + 1)).reduce((sum, value) => sum + value, 0) / samples;
  for (const name of ['shape', 'byLnKon', 'byLnKoff'] as const) {
    for (const [i, value] of means[name].entries())
      assert.ok(Math.abs(value - averageBlock(single[name], i)) < 1e-12, `${name} ${i}`);
  }
  // The value at the mean time is off by several percent.
  const plain = createShapeBuffers(40);
  writeShape({ ...common, timeS, associationS: 20 }, rates, NOMINAL_TIME, plain, 0);
  assert.ok(Math.abs(plain.shape[0] - means.shape[0]) > 0.02);
  const theta = [2e6, 0.05, 2e6].map(Math.log);
  const fine = computeAlternativeResponse('mass_transport', { ...raw, ...common }, theta);
  const coarse = computeAlternativeResponse(
    'mass_transport',
    { ...common, timeS, associationS: 20, averaging },
    theta,
  );
  for (const [i, value] of coarse.entries())
    assert.ok(Math.abs(value - averageBlock(fine, i)) < 1e-3, `${i}`);
});

test('fit: noise-free curves → the true rates and every local Rmax', () => {
  const fit = fitKinetics(simulate(), LOCAL_RMAX);
  assert.ok(computeRelativeError(fit.kon, TRUTH.kon) < 1e-7);
  assert.ok(computeRelativeError(fit.koff, TRUTH.koff) < 1e-7);
  for (const [g, curve] of fit.curves.entries())
    assert.ok(computeRelativeError(curve.rmax, 0.8 * (1 + 0.1 * g)) < 1e-7);
  assert.ok(fit.r2 > 1 - 1e-12);
  assert.equal(fit.profile, 'closed');
});

test('fit: four decades of affinity from the same starts → the true KD', () => {
  for (const kon of [1e4, 1e5, 1e6]) {
    for (const koff of [2e-4, 2e-3, 2e-2]) {
      const kd = koff / kon;
      const concentrations = [10, 3, 1, 0.3, 0.1].map((factor) => factor * kd);
      const fit = fitKinetics(simulate({ truth: { kon, koff, rmax: 1 }, concentrations }), LOCAL_RMAX);
      assert.ok(computeRelativeError(fit.kdM, kd) < 1e-6, `kon ${kon} koff ${koff} gave ${fit.kdM}`);
    }
  }
});

test('fit: bulk shift, drift and offset → separated from the interaction', () => {
  const linear = { bulkShift: 0.05, drift: 2e-5, offset: -0.01 };
  const fit = fitKinetics(simulate({ linear }), {
    rmax: 'local',
    bulkShift: true,
    drift: true,
    offset: true,
  });
  assert.ok(computeRelativeError(fit.kdM, TRUTH.koff / TRUTH.kon) < 1e-6);
  for (const curve of fit.curves) {
    assert.ok(computeRelativeError(curve.linear.bulkShift ?? Number.NaN, 0.05) < 1e-5);
    assert.ok(computeRelativeError(curve.linear.drift ?? Number.NaN, 2e-5) < 1e-5);
    assert.ok(computeRelativeError(curve.linear.offset ?? Number.NaN, -0.01) < 1e-5);
  }
});

test('fit: a global Rmax for sensors of different capacity → a misfit', () => {
  const curves = simulate();
  const global = fitKinetics(curves, { ...LOCAL_RMAX, rmax: 'global' });
  assert.ok(global.rms > 0.005);
  assert.ok(global.curves.every((curve) => curve.rmax === global.curves[0].rmax));
});

test('uncertainty: white noise → calibrated standard errors', () => {
  const z = [];
  for (let seed = 1; seed <= 60; seed += 1) {
    const normal = createNormals(seed);
    const fit = fitKinetics(simulate({ computeNoise: () => 0.004 * normal() }), LOCAL_RMAX);
    z.push(Math.log(fit.kdM / (TRUTH.koff / TRUTH.kon)) / fit.seLnKd);
    assert.ok(Math.abs(fit.durbinWatson - 2) < 0.15);
    assert.ok(fit.widening.kd < 1.3);
  }
  const sd = Math.sqrt(z.reduce((sum, value) => sum + value * value, 0) / z.length);
  assert.ok(sd > 0.75 && sd < 1.25, `z-score SD ${sd}`);
});

test('uncertainty: white noise on flat curves → KD stays open', () => {
  const normal = createNormals(5);
  const truth = { kon: 1e5, koff: 1e-3, rmax: 1e-6 };
  const fit = fitKinetics(simulate({ truth, computeNoise: () => 0.004 * normal() }), LOCAL_RMAX);
  assert.notEqual(fit.profile, 'closed');
});

test('time zero: a shifted injection → found to the grid, and the bias is removed', () => {
  const curves = simulate({ time: { startS: 2, endS: 3 }, from: -10 });
  const nominal = fitKinetics(curves, LOCAL_RMAX);
  const shifted = solveWithTimeZero(curves, LOCAL_RMAX, 5);
  assert.deepEqual(shifted.timeZero, { startS: 2, endS: 3 });
  assert.ok(computeRelativeError(shifted.kdM, TRUTH.koff / TRUTH.kon) < 1e-6);
  assert.ok(computeRelativeError(nominal.kdM, TRUTH.koff / TRUTH.kon) > 1e-3);
});

test('steady state: an exact isotherm → the true KD and Rmax', () => {
  const points = [1e-5, 3e-6, 1e-6, 3e-7, 1e-7].map((concentrationM) => {
    return { concentrationM, response: (0.6 * concentrationM) / (2e-6 + concentrationM) };
  });
  const fit = fitSteadyState(points);
  assert.ok(
    fit !== null && computeRelativeError(fit.kdM, 2e-6) < 1e-6 && computeRelativeError(fit.rmax, 0.6) < 1e-6,
  );
  assert.equal(fitSteadyState(points.slice(0, 2)), null);
});
