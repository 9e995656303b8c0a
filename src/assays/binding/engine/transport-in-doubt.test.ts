/** A lower limit of KD is lower where association hardly bends, because slow transport of a tight binder makes it straight. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import { computeOneToOneResponse } from '#testing/analysis/noise.ts';
import { createShapedFile } from '#testing/analysis/shaped-plate.ts';
import type { SequenceAffinity } from '../../affinity/engine/types.ts';
import type { BindingSettingsInput } from './settings.ts';

interface Binder {
  kon: number;
  koff: number;
  rmax: number;
  dosesM: readonly number[];
  noiseSd: number;
}

function measureBinder(
  { kon, koff, rmax, dosesM, noiseSd }: Binder,
  settings: BindingSettingsInput = {},
): SequenceAffinity {
  const file = createShapedFile({
    concentrationsM: dosesM,
    computeResponse: (curve) => computeOneToOneResponse(curve, { kon, koff }).map((value) => rmax * value),
    noiseSd,
    seed: 4,
  });
  return analyzeAffinity([file], { curves: false, ...settings }).sequences[0];
}

const STRAIGHT = { kon: 2e4, koff: 2e-3, rmax: 10, dosesM: [1e-9, 3e-9, 6e-9, 1e-8], noiseSd: 0.005 };

test('open_above: association at doses far below KD that hardly bends → a lower limit that allows for slow transport, below that of a stated model', () => {
  const { outcome, kd, flags } = measureBinder(STRAIGHT);
  assert.deepEqual([outcome, kd?.relation], ['measured', '>']);
  assert.ok(flags.some(({ code }) => code === 'POORLY_IDENTIFIED'));
  const stated = measureBinder(STRAIGHT, { model: '1:1' }).kd;
  assert.equal(stated?.relation, '>');
  assert.ok(stated.value < 1e-7, `${stated.value}`);
  assert.ok(kd !== null && kd.value < stated.value / 5, `${kd?.value}, ${stated.value}`);
});

test('open_above: association that nears its end at doses far below KD → a firm lower limit, which holds', () => {
  const { kd } = measureBinder({
    kon: 1e4,
    koff: 1e-2,
    rmax: 20,
    dosesM: [3e-9, 1e-8, 3e-8, 1e-7],
    noiseSd: 0.1,
  });
  assert.equal(kd?.relation, '>');
  assert.ok(kd.value < 1e-6, `${kd.value}`);
});
