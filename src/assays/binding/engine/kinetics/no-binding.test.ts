/** Curves without binding get no KD: drifting sensors, refractive-index steps, rates that the curves leave open. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AffinityAnalysis, SequenceAffinity } from '../../../affinity/engine/types.ts';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import { hasFlag } from '#analysis/quality/flags.ts';
import type { Flag } from '#analysis/quality/flags.ts';
import { computeOneToOneResponse } from '#testing/analysis/noise.ts';
import { createShapedFile } from '#testing/analysis/shaped-plate.ts';
import type { ShapedPlate } from '#testing/analysis/shaped-plate.ts';
import { createNormals, createSeries, synthesize } from '#testing/analysis/synthetic.ts';
import type { Kinetics, SyntheticTrace } from '#testing/analysis/synthetic.ts';
import type { FitCurve } from './model.ts';

const SAMPLES = 12;
const SERIES_M = [3e-7, 1e-7, 3.3e-8, 1.1e-8, 3.7e-9];

/** Every sensor drifts independently, including references and blanks. */
function analyzeDrifting(
  kinetics: Kinetics | null,
  { driftSd, rmax = 1 }: { driftSd: number; rmax?: number },
): AffinityAnalysis {
  const normal = createNormals(17);
  const addDrift = (trace: SyntheticTrace): SyntheticTrace => ({ ...trace, driftPerS: driftSd * normal() });
  const traces = Array.from({ length: SAMPLES }, (_, i) => {
    const trace = { role: 'sample', sample: `s${i}`, kinetics, rmax } as const;
    return [...createSeries(trace, SERIES_M), { ...trace, concentrationM: 0 }];
  });
  const references = [...SERIES_M, 0].map((concentrationM) => {
    return { role: 'reference', sample: '', concentrationM, loading: 0 } as const;
  });
  const plate = {
    noiseSd: 0.002,
    associationS: 300,
    traces: [...references, ...traces.flat()].map(addDrift),
  };
  return analyzeAffinity([synthesize(plate)], { drift: true, curves: false });
}

for (const driftSd of [5e-5, 1e-4]) {
  test(`inconclusive: nothing binds and every sensor drifts (SD ${driftSd} per s) → no KD, no class, no place`, () => {
    const { sequences } = analyzeDrifting(null, { driftSd });
    const responding = sequences.filter(({ binding, outcome }) => {
      return binding === 'inconclusive' && outcome === 'inconclusive';
    });
    assert.ok(responding.length > 0, 'no drift passed the threshold');
    for (const { outcome, kd, place, sample } of sequences) {
      assert.notEqual(outcome, 'measured', sample);
      assert.deepEqual([kd, place], [null, null], sample);
    }
    for (const { flags, bindingStrength, sample } of responding) {
      const warnings = [
        'DRIFT',
        'LOW_SIGNAL',
        'NO_DOSE_RESPONSE',
        'BULK_STEP',
        'BINDING_NOT_EXCLUDED',
      ] as const;
      assert.ok(
        warnings.some((code) => hasFlag(flags, code)),
        sample,
      );
      assert.equal(bindingStrength, null, sample);
    }
  });
}

test('DRIFT: a binder on drifting sensors → keeps its KD', () => {
  const { sequences } = analyzeDrifting({ kon: 1e5, koff: 3e-3 }, { driftSd: 3e-5, rmax: 0.1 });
  for (const { sample, kd } of sequences)
    assert.ok(kd !== null && kd.value > 1e-8 && kd.value < 9e-8, `${sample}: ${JSON.stringify(kd)}`);
});

function analyzeShaped(plate: Partial<ShapedPlate> & Pick<ShapedPlate, 'computeResponse'>): SequenceAffinity {
  const file = createShapedFile({ concentrationsM: SERIES_M, noiseSd: 0.002, ...plate });
  return analyzeAffinity([file]).sequences[0];
}

const createStep = (height: (concentrationM: number) => number) => (curve: FitCurve) =>
  curve.timeS.map((t) => (t <= curve.associationS ? height(curve.concentrationM) : 0));

test('NO_DOSE_RESPONSE: the same step at every concentration → no KD, no class and no verdict', () => {
  for (const [seed, height] of [0.02, 0.05, 0.2].entries()) {
    const found = analyzeShaped({ computeResponse: createStep(() => height), seed: seed + 1 });
    assert.deepEqual([found.binding, found.kd, found.bindingStrength], ['inconclusive', null, null]);
    assert.ok(hasFlag(found.flags, 'NO_DOSE_RESPONSE'), JSON.stringify(found.flags));
  }
});

test('NO_DOSE_RESPONSE: steps that follow the concentration → an isotherm without the flag', () => {
  const found = analyzeShaped({ computeResponse: createStep((molar) => molar / (3e-8 + molar)) });
  // The plate has neither reference sensors nor negative controls.
  const isOfCurves = ({ code, severity }: Flag) => severity !== 'info' && code !== 'NO_REFERENCE';
  const doubts = found.flags.filter(isOfCurves);
  assert.deepEqual([found.fitKind, found.kd?.relation, doubts], ['steady_state', '=', []]);
  assert.ok(Math.abs(Math.log((found.kd?.value ?? 0) / 3e-8)) < 0.1);
});

test('NO_DOSE_RESPONSE: saturation at every concentration with visible dissociation → KD is still bounded', () => {
  const concentrationsM = [3e-6, 1.5e-6, 8e-7, 6e-7];
  const rates = { kon: 1e6, koff: 3e-3 };
  const found = analyzeShaped({
    concentrationsM,
    computeResponse: (curve) => computeOneToOneResponse(curve, rates),
  });
  assert.equal(found.binding, 'binder');
  assert.ok(found.kd !== null && found.koff !== null, JSON.stringify(found.flags));
  assert.ok(Math.abs(Math.log(found.koff.value / rates.koff)) < 0.1, JSON.stringify(found.koff));
  if (found.kd.relation === '<') assert.ok(found.kd.value > 3e-9);
  else assert.ok(Math.abs(Math.log(found.kd.value / 3e-9)) < 0.7, JSON.stringify(found.kd));
});

test('fit: the search for rates stops at its border → that place is not reported as a value', () => {
  let open = 0;
  for (const kdM of [3e-7, 3e-6]) {
    for (let seed = 1; seed <= 8; seed += 1) {
      const concentrationsM = [1, 3, 9, 27, 81].map((fold) => kdM / 20 / fold);
      const rates = { kon: 1e-2 / kdM, koff: 1e-2 };
      const found = analyzeShaped({
        concentrationsM,
        computeResponse: (curve) => computeOneToOneResponse(curve, rates),
        noiseSd: 0.004,
        seed,
      });
      for (const each of [found.kd, found.kon, found.koff, found.rmax]) {
        if (each === null) continue;
        assert.ok(each.value > 0 && Number.isFinite(each.value), JSON.stringify(each));
      }
      if (found.kd === null) open += 1;
      if (found.kd !== null && found.kd.relation !== '<')
        assert.ok(found.kd.value < 30 * kdM, `${seed}: ${JSON.stringify(found.kd)}`);
      if (found.kon !== null && found.kon.relation !== '<')
        assert.ok(found.kon.value > 3, JSON.stringify(found.kon));
    }
  }
  assert.ok(open > 0, 'every KD was known');
});
