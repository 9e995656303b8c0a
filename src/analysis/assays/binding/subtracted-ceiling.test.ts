/** A ceiling of the detector in a table from which the blank was subtracted: no curve is flat any more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import { computeOneToOneResponse } from '#testing/analysis/noise.ts';
import { createShapedFile } from '#testing/analysis/shaped-plate.ts';
import { createNormals } from '#testing/analysis/synthetic.ts';
import type { SequenceAffinity } from '../affinity/types.ts';
import { hasFlag } from '../../quality/flags.ts';

interface Clipped {
  kon: number;
  koff: number;
  dosesM: readonly number[];
  ceiling: number;
}

const SEEDS = [1, 2, 3, 4];
const LENGTH_S = 600;

/** The detector ends at `ceiling`; then the same blank is subtracted from each curve. */
function analyzeSubtracted({ kon, koff, dosesM, ceiling }: Clipped, seed: number): SequenceAffinity {
  const normal = createNormals(seed);
  const blank = Array.from({ length: LENGTH_S + 1 }, () => 0.004 * normal());
  const file = createShapedFile({
    concentrationsM: dosesM,
    computeResponse: (curve) =>
      computeOneToOneResponse(curve, { kon, koff }).map(
        (value, k) => Math.min(ceiling, value + 0.004 * normal()) - (blank[k] ?? 0),
      ),
    computeBaseline: () => 0.004 * normal(),
  });
  return analyzeAffinity([file], { curves: false }).sequences[0];
}

const ORDINARY = { kon: 2e5, koff: 2e-3, dosesM: [1e-9, 3e-9, 1e-8, 3e-8, 1e-7] };

test('SATURATED: two doses that end at a ceiling, less the same blank → left out, told, KD within its interval', () => {
  for (const seed of SEEDS) {
    const { kd, flags } = analyzeSubtracted({ ...ORDINARY, ceiling: 0.6 }, seed);
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

const SLOW = { kon: 1.5e6, dosesM: [1e-10, 2e-10, 4e-10, 8e-10] };

test('limit_of_top_dose: the highest dose alone ends at a ceiling, less a blank → no firm limit below KD', () => {
  for (const seed of SEEDS) {
    const { kd } = analyzeSubtracted({ ...SLOW, koff: 1.5e-4, ceiling: 0.22 }, seed);
    assert.ok(kd?.relation !== '<' || kd.value > 1e-10, `${kd?.relation} ${kd?.value}`);
  }
});

test('limit_of_top_dose: a complex that hardly dissociates, no ceiling → a firm limit, which holds', () => {
  for (const seed of SEEDS) {
    const { kd } = analyzeSubtracted({ ...SLOW, koff: 1e-6, dosesM: [1e-9, 2e-9, 4e-9, 8e-9], ceiling: 2 }, seed);
    assert.equal(kd?.relation, '<');
    assert.ok(kd.value > 1e-6 / 1.5e6);
  }
});
