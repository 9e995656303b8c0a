import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Quantity } from '#features/results/contract.ts';
import { createKdScale } from './view.ts';

const buildKd = (value: number, relation: Quantity['relation'] = '='): Quantity => ({
  value,
  unit: 'M',
  relation,
  ci95_low: null,
  ci95_high: null,
  n: 3,
  log10_sd: null,
});

const findPlace = (drawn: string): number => Number(/cx="([\d.]+)"/.exec(drawn)?.[1]);

test('scale: a strong and a weak binder → the strong one at the left, as in the figure below, and both ends named', () => {
  const kds = [buildKd(2e-9), buildKd(4e-6)] as const;
  const scale = createKdScale([2e-9, 4e-6]);
  const [strong, weak] = kds.map((kd) => findPlace(scale.draw(kd)?.text ?? ''));
  assert.ok((strong ?? 0) < (weak ?? 0), `${strong} and ${weak}`);
  assert.deepEqual(scale.ends, ['0.1 nM', '10 µM']);
});

test('scale: a limit → its arrow points to the side of the possible values', () => {
  const scale = createKdScale([1e-8]);
  assert.match(scale.draw(buildKd(1e-8, '<'))?.text ?? '', /class="limit" d="M[\d.]+ 5l-5 4 5 4"/);
  assert.match(scale.draw(buildKd(1e-8, '>'))?.text ?? '', /class="limit" d="M[\d.]+ 5l5 4-5 4"/);
});
