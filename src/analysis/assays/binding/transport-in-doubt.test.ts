/** A lower limit of KD is firm only where association bends, because slow transport of a tight binder makes it straight. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import { computeOneToOneResponse } from '#testing/analysis/noise.ts';
import { createShapedFile } from '#testing/analysis/shaped-plate.ts';
import type { Quantity } from '../../quantities/quantity.ts';

interface Binder {
  kon: number;
  koff: number;
  rmax: number;
  dosesM: readonly number[];
  noiseSd: number;
}

function measureKd({ kon, koff, rmax, dosesM, noiseSd }: Binder): Quantity | null {
  const file = createShapedFile({
    concentrationsM: dosesM,
    computeResponse: (curve) => computeOneToOneResponse(curve, { kon, koff }).map((value) => rmax * value),
    noiseSd,
    seed: 4,
  });
  return analyzeAffinity([file], { curves: false }).sequences[0].kd;
}

test('transport_in_doubt: association at doses far below KD that hardly bends → no firm lower limit', () => {
  const kd = measureKd({ kon: 2e4, koff: 2e-3, rmax: 10, dosesM: [1e-9, 3e-9, 6e-9, 1e-8], noiseSd: 0.005 });
  assert.equal(kd?.relation, '~');
});

test('transport_in_doubt: association that nears its end at doses far below KD → a firm lower limit, which holds', () => {
  const kd = measureKd({ kon: 1e4, koff: 1e-2, rmax: 20, dosesM: [3e-9, 1e-8, 3e-8, 1e-7], noiseSd: 0.1 });
  assert.equal(kd?.relation, '>');
  assert.ok(kd.value < 1e-6, `${kd.value}`);
});
