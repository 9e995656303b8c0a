/** A low R² is a misfit only where the residuals are more than noise. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SequenceAffinity } from '../../affinity/engine/types.ts';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import { hasFlag } from '#analysis/quality/flags.ts';
import { computeOneToOneResponse } from '#testing/analysis/noise.ts';
import { createShapedFile } from '#testing/analysis/shaped-plate.ts';

const SEEDS = [1, 2, 3];
const MAIN = { kon: 1e5, koff: 3e-3 };
/** Of the sites that never dissociate. */
const RESIDUE = 0.5;
/** Both the noise and the misfit lower R² below this. */
const R2_MIN = 0.9999;

function measure(seed: number, { noiseSd, part }: { noiseSd: number; part: number }): SequenceAffinity {
  const plate = createShapedFile({
    concentrationsM: [3e-7, 1e-7, 3e-8, 1e-8],
    computeResponse: (curve) => {
      const main = computeOneToOneResponse(curve, MAIN);
      const kept = computeOneToOneResponse(curve, { ...MAIN, koff: 1e-7 });
      return main.map((value, i) => (1 - part) * value + part * kept[i]);
    },
    noiseSd,
    seed,
  });
  const settings = { model: '1:1', limits: { r2Min: R2_MIN, rmsPctRmaxMax: 4 } } as const;
  return analyzeAffinity([plate], { curves: false, ...settings }).sequences[0];
}

test('POOR_FIT: 1:1 binding whose noise alone lowers R² → not raised', () => {
  for (const seed of SEEDS) {
    const found = measure(seed, { noiseSd: 0.1, part: 0 });
    assert.ok((found.replicates[0].fit?.r2 ?? 1) < R2_MIN, `${found.replicates[0].fit?.r2}`);
    assert.equal(hasFlag(found.flags, 'POOR_FIT'), false);
  }
});

test('POOR_FIT: curves that the model misses by more than their noise → raised, and KD is an estimate', () => {
  for (const seed of SEEDS) {
    const found = measure(seed, { noiseSd: 0.002, part: RESIDUE });
    assert.equal(hasFlag(found.flags, 'POOR_FIT'), true, `${found.replicates[0].fit?.r2}`);
    assert.notEqual(found.kd?.relation, '=');
  }
});
