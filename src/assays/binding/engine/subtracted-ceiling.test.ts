/** A ceiling of the detector in a table from which the blank was subtracted: no curve is flat any more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import { computeOneToOneResponse } from '#testing/analysis/noise.ts';
import { createShapedFile } from '#testing/analysis/shaped-plate.ts';
import { createNormals } from '#testing/analysis/synthetic.ts';
import type { SequenceAffinity } from '../../affinity/engine/types.ts';
import { hasFlag } from '#analysis/quality/flags.ts';

interface Clipped {
  kon: number;
  koff: number;
  dosesM: readonly number[];
  ceiling: number;
  noiseSd: number;
  dissociationS: number;
}

const SEEDS = [1, 2, 3];
const LENGTH_S = 800;

/** The detector ends at `ceiling`; then the same blank is subtracted from each curve. */
function analyzeSubtracted(clipped: Clipped, seed: number): SequenceAffinity {
  const { kon, koff, dosesM, ceiling, noiseSd, dissociationS } = clipped;
  const normal = createNormals(seed);
  const blank = Array.from({ length: LENGTH_S + 1 }, () => noiseSd * normal());
  const file = createShapedFile({
    concentrationsM: dosesM,
    associationS: 180,
    dissociationS,
    computeResponse: (curve) =>
      computeOneToOneResponse(curve, { kon, koff }).map(
        (value, k) => Math.min(ceiling, value + noiseSd * normal()) - (blank[k] ?? 0),
      ),
    computeBaseline: () => noiseSd * normal(),
  });
  return analyzeAffinity([file], { curves: false }).sequences[0];
}

const ORDINARY = {
  kon: 2e5,
  koff: 2e-3,
  dosesM: [1e-9, 3e-9, 1e-8, 3e-8, 1e-7],
  noiseSd: 0.004,
  dissociationS: 300,
};

test('SATURATED: two doses that end at a ceiling, less the same blank → left out, told, KD within its interval', () => {
  for (const seed of SEEDS) {
    const { kd, flags } = analyzeSubtracted({ ...ORDINARY, ceiling: 0.5 }, seed);
    assert.ok(hasFlag(flags, 'SATURATED'));
    assert.ok((kd?.ci95Low ?? 0) < 1e-8 && 1e-8 < (kd?.ci95High ?? Number.POSITIVE_INFINITY), `${kd?.value}`);
  }
});

test('SATURATED: a surface that is full at several doses, less the same blank → no flag', () => {
  for (const seed of SEEDS) {
    const dosesM = [1e-8, 1e-7, 3e-7, 1e-6];
    const { flags } = analyzeSubtracted({ ...ORDINARY, dosesM, ceiling: 2 }, seed);
    assert.ok(!hasFlag(flags, 'SATURATED'));
  }
});

const SLOW = { kon: 1.58e6, noiseSd: 0.0012, dissociationS: 600 };

test('limit_of_top_dose: the highest dose alone ends at a ceiling, less a blank → no limit, or that of the others, which holds', () => {
  const dosesM = [7.6e-11, 1.5e-10, 3e-10, 6.1e-10];
  for (const seed of SEEDS) {
    const { kd, flags } = analyzeSubtracted({ ...SLOW, koff: 1.46e-4, dosesM, ceiling: 0.12 }, seed);
    assert.ok(hasFlag(flags, 'DOSE_INFLUENTIAL'), `${seed}`);
    if (kd === null) continue;
    assert.equal(kd.relation, '<');
    assert.ok(kd.value > 1.46e-4 / SLOW.kon, `${seed}: ${kd.value}`);
  }
});

test('limit_of_top_dose: a complex that hardly dissociates, no ceiling → a firm limit, which holds', () => {
  const dosesM = [7.6e-10, 1.5e-9, 3e-9, 6.1e-9, 1.2e-8];
  for (const seed of SEEDS) {
    const { kd } = analyzeSubtracted({ ...SLOW, koff: 1e-6, dosesM, ceiling: 2 }, seed);
    assert.equal(kd?.relation, '<');
    assert.ok(kd.value > 1e-6 / SLOW.kon);
  }
});
