import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregateQuantity, speaksFor } from './aggregate.ts';
import { bound, measured } from './quantity.ts';

test('replicates passed: one that did not load says nothing beside others that did', () => {
  assert.equal(speaksFor('measured', 'measured'), true);
  assert.equal(speaksFor('measured', 'non_binder'), true);
  assert.equal(speaksFor('measured', 'not_expressed'), false);
  assert.equal(speaksFor('not_expressed', 'not_expressed'), true);
  assert.equal(speaksFor('failed_qc', 'failed_qc'), false);
});

test('bounds among values: an estimate without interval, never lower than a replicate is known to be', () => {
  const kd = (value: number): ReturnType<typeof measured> => ({
    ...measured(value, 'M', 0.1),
    relation: '~',
  });
  const tight = aggregateQuantity([bound(1.6e-10, 'M', '<'), kd(2e-14), kd(1.6e-14)], {
    notBelowBounds: true,
  });
  assert.deepEqual(
    [tight?.relation, tight?.value, tight?.ci95Low, tight?.ci95High],
    ['~', 1.6e-10, null, null],
  );
  const weak = aggregateQuantity([bound(2e-6, 'M', '>'), kd(5e-7)], { notBelowBounds: true });
  assert.deepEqual([weak?.relation, weak?.value], ['~', 2e-6]);
  const mean = aggregateQuantity([bound(1e-10, 'M', '<'), kd(1e-8), kd(1e-9)], { notBelowBounds: true });
  assert.ok(mean !== null && Math.abs(Math.log10(mean.value) + 9) < 1e-9);
});
