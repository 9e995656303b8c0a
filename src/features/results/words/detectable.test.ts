import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResult } from '#testing/hard-binding.ts';
import { describeResult } from './results.ts';

test('non_binder: the run would have shown a KD → the line says so; inconclusive → it does not', () => {
  const describe = (outcome: 'non_binder' | 'inconclusive', kd: number | null): string =>
    describeResult(createResult('affinity', { outcome, quantities: {}, summary: { kd_detectable_m: kd } }));
  assert.equal(describe('non_binder', 3.2e-6), 'no binding detected; a KD below 3.2 µM would have been seen');
  assert.equal(describe('non_binder', null), 'no binding detected');
  assert.equal(describe('inconclusive', 3.2e-6), 'inconclusive: binding neither shown nor excluded');
});
