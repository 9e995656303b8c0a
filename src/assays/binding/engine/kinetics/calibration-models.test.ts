/**
 * Like `calibration.test.ts`, for mass transport, isotherms and single-cycle kinetics, each through its own route.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { analyzeAffinitySets } from '../../../affinity/engine/affinity.ts';
import type { Quantity } from '#analysis/quantities/quantity.ts';
import { toProcessedCurve } from '#testing/analysis/measured-curves.ts';
import { countCalibrationSets, createEmptyCurve, createNoise, drawTimes } from '#testing/analysis/noise.ts';
import { DOSES_M, createSingleCycleTrace, createTraceSet } from '#testing/analysis/single-cycle.ts';
import { createNormals, createUniforms } from '#testing/analysis/synthetic.ts';
import { computeAlternativeResponse } from './alternatives.ts';
import { chooseModel } from './evidence.ts';
import { fitKinetics, LOCAL_RMAX } from './fit.ts';
import { evaluateChoice } from './evaluate.ts';
import { evaluateSteadyState } from './measure.ts';
import { fitSteadyState } from './steady-state.ts';
import { resolveSettings } from '../settings.ts';

/** Counts `=` values and those whose interval contains the true value. */
class Coverage {
  readonly sets: number;
  values = 0;
  held = 0;

  constructor(sets: number) {
    this.sets = sets;
  }

  add(kd: Quantity | null, truth: number): void {
    if (kd?.relation !== '=') return;
    const { ci95Low, ci95High } = kd;
    this.values += 1;
    if (ci95Low !== null && ci95High !== null && ci95Low < truth && truth < ci95High) this.held += 1;
  }

  check(context: TestContext, percentMax = 98): void {
    const percent = (100 * this.held) / this.values;
    context.diagnostic(`${this.values} of ${this.sets} values; coverage of KD ${percent.toFixed(1)} %`);
    assert.ok(this.values > 0.9 * this.sets, `${this.values} values`);
    assert.ok(percent > 92 && percent <= percentMax, `${percent} %`);
  }
}

const SERIES_M = [6.25e-9, 1.25e-8, 2.5e-8, 5e-8, 1e-7];

for (const rho of [0, 0.6]) {
  test(`intervals: mass transport, noise of autocorrelation ${rho} → 92–98 % hold KD`, (context) => {
    const coverage = new Coverage(countCalibrationSets(100));
    for (let seed = 1; seed <= coverage.sets; seed += 1) {
      const uniform = createUniforms(seed + 31_000);
      const kon = 10 ** (5.7 + 0.6 * uniform());
      const koff = 10 ** (-2.3 + 0.5 * uniform());
      const theta = [kon, koff, kon / (0.7 + 2 * uniform())].map(Math.log);
      const noise = createNoise(createNormals(seed), { sd: 0.004, rho });
      const curves = SERIES_M.map((concentrationM) => {
        const curve = createEmptyCurve({ concentrationM, points: 150 });
        const clean = computeAlternativeResponse('mass_transport', curve, theta);
        return { ...curve, signal: clean.map((value, i) => value + noise(curve.timeS[i])) };
      });
      const choice = chooseModel(curves, fitKinetics(curves, LOCAL_RMAX), LOCAL_RMAX, {
        model: 'mass_transport',
        bivalentAnalyte: false,
      });
      const bare = curves.map((fit) => toProcessedCurve(fit, { intervalS: 4 }));
      coverage.add(evaluateChoice(bare, choice, choice.fit, resolveSettings()).kd, koff / kon);
    }
    coverage.check(context);
  });
}

for (const offset of [false, true]) {
  test(`intervals: steady state ${offset ? 'with a constant' : 'of seven concentrations'} → 92–98 % hold KD`, (context) => {
    const coverage = new Coverage(countCalibrationSets(400));
    for (let seed = 1; seed <= coverage.sets; seed += 1) {
      const normal = createNormals(seed + 500);
      const kdM = 1e-6 * 10 ** (createUniforms(seed + 9_000)() - 0.5);
      const points = [0.1, 0.3, 1, 3, 10, 30, 100].map((factor) => {
        const concentrationM = factor * 1e-6;
        const response = concentrationM / (kdM + concentrationM) + 0.02 * normal() + (offset ? 0.2 : 0);
        return { concentrationM, response };
      });
      const fit = fitSteadyState(points, { offset });
      assert.ok(fit !== null);
      coverage.add(evaluateSteadyState(fit), kdM);
    }
    coverage.check(context);
  });
}

test('intervals: single-cycle kinetics from whole traces → at least 92 % hold KD', (context) => {
  const coverage = new Coverage(countCalibrationSets(80));
  for (let seed = 1; seed <= coverage.sets; seed += 1) {
    const uniform = createUniforms(seed + 61_000);
    const kinetics = { kon: 10 ** (5 + 0.7 * uniform()), koff: 10 ** (-3 + 0.7 * uniform()) };
    const trace = createSingleCycleTrace({ kinetics, seed, stated: true, times: drawTimes(seed) });
    const [sequence] = analyzeAffinitySets([createTraceSet(trace)]).sequences;
    assert.ok(sequence.kd !== null, `seed ${seed}`);
    coverage.add(sequence.kd, kinetics.koff / kinetics.kon);
  }
  assert.equal(DOSES_M.length, 5);
  // The interval also contains errors of doses and other mechanisms, which these traces do not have.
  coverage.check(context, 100);
});
