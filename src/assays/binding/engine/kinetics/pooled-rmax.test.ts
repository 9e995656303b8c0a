/** Sensors that were loaded alike tell by their common Rmax what each alone leaves open. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeOneToOneResponse, createEmptyCurve, createNoise } from '#testing/analysis/noise.ts';
import { createNormals } from '#testing/analysis/synthetic.ts';
import { computeMedian } from '#analysis/numerics/statistics.ts';
import { fitKinetics, LOCAL_RMAX } from './fit.ts';
import type { KineticFit } from './fit.ts';
import type { FitCurve } from './model.ts';
import { needsCommonRmax, fitPooledRmax } from './pooled-rmax.ts';

/** Association is slow, so that a curve alone tells little but kon times Rmax. */
const KINETICS = { kon: 2e4, koff: 4e-4 };
const KD_M = 2e-8;
const DOSES_M = [5e-9, 1e-8, 2e-8, 4e-8, 6e-8];
const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);

function simulate(seed: number, activity: readonly number[] = [1, 1, 1, 1, 1]): FitCurve[] {
  const normal = createNormals(seed + 700);
  return DOSES_M.map((concentrationM, g) => {
    const curve = createEmptyCurve({ concentrationM, associationS: 100, lengthS: 400, points: 400 });
    const noise = createNoise(createNormals(10 * seed + g), { sd: 0.006 });
    const rmax = activity[g] * Math.exp(0.01 * normal());
    const signal = computeOneToOneResponse(curve, KINETICS).map(
      (value, i) => rmax * value + noise(curve.timeS[i]),
    );
    return { ...curve, signal };
  });
}

function fitBoth(curves: readonly FitCurve[]): { own: KineticFit; pooled: KineticFit } {
  const own = fitKinetics(curves, LOCAL_RMAX);
  return { own, pooled: fitPooledRmax(curves, own, LOCAL_RMAX)?.fit ?? own };
}

function computeSe({ seLnKd, widening }: KineticFit): number {
  return seLnKd * widening.kd;
}

function isWithin({ kdM, intervals, ...fit }: KineticFit): boolean {
  const half = Math.exp(1.96 * computeSe({ kdM, intervals, ...fit }));
  const { low, high } = intervals?.kd ?? { low: 1 / half, high: half };
  return (low ?? 0) * kdM < KD_M && KD_M < (high ?? Number.POSITIVE_INFINITY) * kdM;
}

test('pooled Rmax: sensors loaded alike → KD more certain, closed more often, and its interval holds', () => {
  const found = SEEDS.map((seed) => fitBoth(simulate(seed)));
  const ratios = found.map(({ own, pooled }) => computeSe(pooled) / computeSe(own));
  assert.ok(computeMedian(ratios) < 0.8, `${computeMedian(ratios)}`);
  const countClosed = (name: 'own' | 'pooled'): number =>
    found.filter((each) => each[name].profile === 'closed').length;
  assert.ok(
    countClosed('pooled') >= countClosed('own') + 3,
    `${countClosed('own')}, ${countClosed('pooled')}`,
  );
  assert.ok(found.filter(({ pooled }) => isWithin(pooled)).length >= 18);
});

test('pooled Rmax: one dead sensor among them → each keeps its own, as without pooling', () => {
  for (const { own, pooled } of SEEDS.map((seed) => fitBoth(simulate(seed, [1, 1, 0.2, 1, 1])))) {
    assert.ok(pooled.curves[2].rmax < 0.5 * pooled.curves[1].rmax);
    assert.ok(Math.abs(Math.log(pooled.kdM / own.kdM)) < 0.1);
  }
});

test('pooled Rmax: two curves, one surface, or curves that tell KD themselves → not needed', () => {
  const curves = simulate(1);
  const own = fitKinetics(curves, LOCAL_RMAX);
  assert.equal(fitPooledRmax(curves.slice(0, 2), own, LOCAL_RMAX), null);
  assert.equal(needsCommonRmax(own, { ...LOCAL_RMAX, rmax: 'global' }), false);
  const closed = { ...own, profile: 'closed', intervals: null, seLnKd: 0.05 } as const;
  assert.equal(needsCommonRmax(closed, LOCAL_RMAX), false);
  assert.equal(needsCommonRmax({ ...closed, profile: 'open_high' }, LOCAL_RMAX), true);
});
