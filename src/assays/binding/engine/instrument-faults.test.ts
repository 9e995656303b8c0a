/** Faults of instruments that are no binding: drift, wrong times, lost ligand, a detector at its end. Each rule fires, and stays silent beside it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SequenceAffinity } from '../../affinity/engine/types.ts';
import { analyzeAffinitySets } from '../../affinity/engine/affinity.ts';
import { parseTraces } from '#analysis/formats/parse.ts';
import type { TraceSet } from '#analysis/curves/trace.ts';
import { hasFlag } from '#analysis/quality/flags.ts';
import type { FlagCode } from '#analysis/quality/flags.ts';
import { computeMedian } from '#analysis/numerics/statistics.ts';
import { NOMINAL_TIME, writeRemainder } from './kinetics/model.ts';
import { createShapeBuffers } from './kinetics/problem.ts';
import { computeOneToOneResponse, countCalibrationSets } from '#testing/analysis/noise.ts';
import { createNoisyPlate } from '#testing/analysis/noisy-plate.ts';
import type { NoisyPlate } from '#testing/analysis/noisy-plate.ts';
import { createShapedFile } from '#testing/analysis/shaped-plate.ts';
import type { ShapedPlate } from '#testing/analysis/shaped-plate.ts';
import type { BindingSettingsInput } from './settings.ts';

const KINETICS = { kon: 2e5, koff: 2e-3 };
const KD_M = 1e-8;
const DOSES_M = [3e-9, 1e-8, 3e-8, 1e-7];
const SEEDS = Array.from({ length: Math.min(12, countCalibrationSets(6)) }, (_, i) => i + 1);

function analyzeOne(sets: readonly TraceSet[], settings: BindingSettingsInput = {}): SequenceAffinity {
  return analyzeAffinitySets(sets, { curves: false, ...settings }).sequences[0];
}

function analyzePlate(plate: Partial<NoisyPlate>): SequenceAffinity {
  const set = createNoisyPlate({
    samples: [{ sample: 'design', ...KINETICS, rmax: 0.4 }],
    seed: 1,
    noise: { sd: 0.003, rho: 0.6 },
    concentrationsM: DOSES_M,
    blanks: true,
    references: true,
    baselineS: 60,
    associationS: 180,
    dissociationS: 300,
    ...plate,
  });
  return analyzeOne([set]);
}

function analyzeShaped(plate: Partial<ShapedPlate>, settings?: BindingSettingsInput): SequenceAffinity {
  const shape: ShapedPlate['computeResponse'] = (curve) => computeOneToOneResponse(curve, KINETICS);
  const file = createShapedFile({
    concentrationsM: DOSES_M,
    computeResponse: shape,
    noiseSd: 0.002,
    ...plate,
  });
  return analyzeOne(parseTraces([file]), settings);
}

function countFlag(found: readonly SequenceAffinity[], code: FlagCode): number {
  return found.filter(({ flags }) => hasFlag(flags, code)).length;
}

function isWithin({ kd }: SequenceAffinity): boolean {
  return kd !== null && (kd.ci95Low ?? 0) < KD_M && KD_M < (kd.ci95High ?? Number.POSITIVE_INFINITY);
}

describe('drift', () => {
  test('drift held by references and blanks: sensors that drift → fitted, its size and source told, the interval holds KD', () => {
    const found = SEEDS.map((seed) => analyzePlate({ seed, driftSdPerS: 5e-5 }));
    const fits = found.flatMap(({ replicates }) => replicates.flatMap(({ fit }) => fit ?? []));
    assert.ok(fits.filter(({ drift }) => drift).length >= SEEDS.length - 1);
    for (const { drift, driftPerS, driftSource } of fits) {
      assert.equal(driftSource, 'reference_and_blank');
      assert.equal(drift, driftPerS !== null);
      assert.ok(Math.abs(driftPerS ?? 0) < 5e-4);
    }
    assert.ok(found.filter(isWithin).length >= SEEDS.length - 1);
  });

  test('drift held by references and blanks: sensors that do not drift → none fitted', () => {
    const found = SEEDS.map((seed) => analyzePlate({ seed }));
    const fitted = found.filter(({ replicates }) => replicates.some(({ fit }) => fit?.drift === true));
    assert.ok(fitted.length <= 2, `${fitted.length}`);
    assert.ok(found.every(({ kd }) => kd?.relation === '='));
    assert.ok(found.filter(isWithin).length >= SEEDS.length - 1);
  });

  test('SLOPE_NOT_DRIFT: a slow phase of the complex that no other sensor shows → not fitted as drift, told', () => {
    const twoPhases: ShapedPlate['computeResponse'] = (curve) => {
      const fast = computeOneToOneResponse(curve, { kon: 2e5, koff: 6e-3 });
      const slow = computeOneToOneResponse(curve, { kon: 2e5, koff: 3e-4 });
      return fast.map((value, i) => 0.6 * value + 0.4 * slow[i]);
    };
    const settings = { model: '1:1' } as const;
    const found = SEEDS.map((seed) => analyzeShaped({ seed, computeResponse: twoPhases }, settings));
    assert.equal(
      found.filter(({ replicates }) => replicates.some(({ fit }) => fit?.drift === true)).length,
      0,
    );
    const plain = SEEDS.map((seed) => analyzeShaped({ seed }, settings));
    assert.equal(countFlag(plain, 'SLOPE_NOT_DRIFT'), 0);
  });
});

describe('times', () => {
  const LATE_S = [1, 2, 3, 4];

  test('TIME_ZERO_OFFSET: stated times 1 to 4 s early → the true ones used, KD within its interval', () => {
    const found = LATE_S.flatMap((statedEarlyS) =>
      SEEDS.slice(0, 4).map((seed) => analyzeShaped({ seed, statedEarlyS })),
    );
    assert.equal(countFlag(found, 'TIME_ZERO_OFFSET'), found.length);
    assert.ok(found.every(({ kd }) => kd?.relation === '='));
    assert.ok(found.filter(isWithin).length >= found.length - 1);
  });

  test('TIME_ZERO_OFFSET: true times before the stated ones → the message says before; after them → after', () => {
    const describe = (statedEarlyS: number): string | undefined =>
      analyzeShaped({ statedEarlyS }).flags.find(({ code }) => code === 'TIME_ZERO_OFFSET')?.message;
    assert.match(
      describe(-2) ?? '',
      /to start [\d.]+ s before and end [\d.]+ s before the stated times; these/,
    );
    assert.match(describe(2) ?? '', /to start [\d.]+ s after and end [\d.]+ s after the stated times; these/);
  });

  test('TIME_ZERO_OFFSET: right times → no flag', () => {
    const found = SEEDS.map((seed) => analyzeShaped({ seed }));
    assert.equal(countFlag(found, 'TIME_ZERO_OFFSET'), 0);
  });

  test('TIME_ZERO_OFFSET: further from the stated times than the window → a warning and an estimate', () => {
    const { kd, flags } = analyzeShaped({ statedEarlyS: 9 });
    assert.ok(flags.some(({ code, severity }) => code === 'TIME_ZERO_OFFSET' && severity === 'warning'));
    assert.equal(kd?.relation, '~');
  });
});

describe('one surface', () => {
  /** Cycles of ascending dose, each on a surface that is left with `kept` of its ligand. */
  function loseLigand(kept: number): ShapedPlate['computeResponse'] {
    return (curve) => {
      const cycle = DOSES_M.indexOf(curve.concentrationM);
      return computeOneToOneResponse(curve, KINETICS).map((value) => 100 * kept ** cycle * value);
    };
  }
  const SPR = { technique: 'spr', noiseSd: 0.3 } as const;

  test('RMAX_DIFFERS: each cycle loses 8 % of the ligand → an Rmax for each, told, the interval holds KD', () => {
    const found = SEEDS.map((seed) => analyzeShaped({ ...SPR, seed, computeResponse: loseLigand(0.92) }));
    assert.equal(countFlag(found, 'RMAX_DIFFERS'), SEEDS.length);
    for (const { replicates } of found) assert.equal(replicates[0].fit?.rmaxRule, 'local');
    assert.ok(found.filter(isWithin).length >= SEEDS.length - 1);
  });

  /** Cycles of ascending dose, of which each keeps a part of the complex of the one before. */
  function keepComplex(part: number): Pick<ShapedPlate, 'computeResponse' | 'computeBaseline'> {
    const computeLeft = (concentrationM: number): number => {
      const before = DOSES_M[DOSES_M.indexOf(concentrationM) - 1] ?? 0;
      return (100 * part * before) / (before + KD_M);
    };
    return {
      computeBaseline: (concentrationM, beforeS) =>
        computeLeft(concentrationM) * Math.exp(KINETICS.koff * beforeS),
      computeResponse: (curve) => {
        const left = createShapeBuffers(curve.timeS.length);
        writeRemainder(curve, KINETICS, NOMINAL_TIME, left, 0);
        const start = computeLeft(curve.concentrationM);
        return computeOneToOneResponse(curve, KINETICS).map(
          (value, i) => 100 * value + start * (left.shape[i] + 1),
        );
      },
    };
  }

  test('REGENERATION_INCOMPLETE: a fifth of the complex stays → part of the fit, told, the interval holds KD', () => {
    const found = SEEDS.map((seed) => analyzeShaped({ ...SPR, seed, ...keepComplex(0.2) }));
    assert.equal(countFlag(found, 'REGENERATION_INCOMPLETE'), SEEDS.length);
    assert.ok(found.filter(isWithin).length >= SEEDS.length - 1);
  });

  test('REGENERATION_INCOMPLETE: nothing stays, or a baseline that lies higher without complex → no flag', () => {
    const empty = SEEDS.map((seed) => analyzeShaped({ ...SPR, seed, ...keepComplex(0) }));
    assert.equal(countFlag(empty, 'REGENERATION_INCOMPLETE'), 0);
    const shift = (molar: number): number => 2 * DOSES_M.indexOf(molar);
    const shifted = SEEDS.map((seed) =>
      analyzeShaped({
        ...SPR,
        seed,
        computeBaseline: shift,
        computeResponse: (curve) =>
          computeOneToOneResponse(curve, KINETICS).map((value) => 100 * value + shift(curve.concentrationM)),
      }),
    );
    assert.equal(countFlag(shifted, 'REGENERATION_INCOMPLETE'), 0);
  });

  test('RMAX_DIFFERS: no loss → one Rmax, no flag', () => {
    const found = SEEDS.map((seed) => analyzeShaped({ ...SPR, seed, computeResponse: loseLigand(1) }));
    assert.ok(countFlag(found, 'RMAX_DIFFERS') <= 1);
  });
});

describe('detector', () => {
  /** The detector reports nothing above `ceiling`; noise is added before it does. */
  function analyzeClipped(ceiling: number, seed: number): SequenceAffinity {
    const [set] = parseTraces([
      createShapedFile({
        concentrationsM: [1e-9, ...DOSES_M],
        computeResponse: (curve) => computeOneToOneResponse(curve, KINETICS),
        noiseSd: 0.004,
        seed,
      }),
    ]);
    const traces = set.traces.map((trace) => ({
      ...trace,
      steps: trace.steps.map((step) => ({
        ...step,
        signal: step.signal.map((value) => Math.min(ceiling, value)),
      })),
    }));
    return analyzeOne([{ ...set, traces }]);
  }

  test('SATURATED: the two highest doses end at a ceiling → left out, told, KD within its interval', () => {
    const found = SEEDS.map((seed) => analyzeClipped(0.6, seed));
    assert.equal(countFlag(found, 'SATURATED'), SEEDS.length);
    for (const { replicates } of found) assert.equal(replicates[0].fit?.rmax.length, 3);
    assert.ok(found.filter(isWithin).length >= SEEDS.length - 1);
  });

  test('SATURATED: too few doses below the ceiling → told, every value an estimate', () => {
    const found = SEEDS.map((seed) => analyzeClipped(0.2, seed));
    assert.equal(countFlag(found, 'SATURATED'), SEEDS.length);
    for (const { kd, koff } of found) assert.ok(kd?.relation !== '=' && koff?.relation !== '=');
  });

  test('SATURATED: a ceiling above every signal, and a surface that is full → no flag', () => {
    const found = SEEDS.map((seed) => analyzeClipped(2, seed));
    assert.equal(countFlag(found, 'SATURATED'), 0);
    const full = analyzeShaped({ concentrationsM: [1e-6, 3e-6, 1e-5, 3e-5] });
    assert.ok(!hasFlag(full.flags, 'SATURATED'));
  });
});

describe('changes of wells', () => {
  test('held levels: sensors that jump where they leave the analyte → fitted within their scatter, KD measured and held', () => {
    const samples = ['design', 'b', 'c', 'd'].map((sample) => ({ sample, ...KINETICS, rmax: 0.4 }));
    const still = SEEDS.map((seed) => analyzePlate({ seed, samples }));
    const jumping = SEEDS.map((seed) => analyzePlate({ seed, samples, interStepSd: 0.02 }));
    const computeWidth = ({ kd }: SequenceAffinity): number =>
      Math.log((kd?.ci95High ?? Number.POSITIVE_INFINITY) / (kd?.ci95Low ?? 0));
    const computeMiddle = (found: readonly SequenceAffinity[]): number =>
      computeMedian(found.map(computeWidth));
    assert.ok(jumping.filter(({ kd }) => kd?.relation === '=').length >= SEEDS.length - 1);
    assert.ok(jumping.filter(isWithin).length >= SEEDS.length - 1);
    assert.ok(computeMiddle(jumping) < 2 * computeMiddle(still));
  });
});
