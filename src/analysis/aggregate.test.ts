import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregateQuantity, speaksFor } from './aggregate.ts';
import { bound, measured } from './quantity.ts';
import { normals } from './testing/synthetic.ts';

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

test('replicates that differ by an SD of 0.11 in log10: 92–99 % of 2,000 intervals hold the middle', (context) => {
  const told: string[] = [];
  for (const n of [2, 3, 4]) {
    for (const se of [0.005, 0.03, 0.11]) {
      const normal = normals(1_000 * n + 1_000 * se);
      let held = 0;
      for (let k = 0; k < 2_000; k += 1) {
        const found = aggregateQuantity(
          Array.from({ length: n }, () =>
            measured(1e-8 * 10 ** (0.11 * normal() + se * normal()), 'M', se * Math.LN10),
          ),
        );
        if ((found?.ci95Low ?? 1) < 1e-8 && (found?.ci95High ?? 0) > 1e-8) held += 1;
      }
      told.push(`n ${n}, SE ${se}: ${((100 * held) / 2_000).toFixed(1)} %`);
      // The wider of two intervals holds more than 95 % where both are as wide.
      assert.ok(held > 0.92 * 2_000 && held < 0.99 * 2_000, told.join('; '));
    }
  }
  context.diagnostic(told.join('; '));
});
