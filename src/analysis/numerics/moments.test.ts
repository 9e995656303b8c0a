/** R² and other values computed from means, against sums by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeRSquared, sumVariances } from './moments.ts';

const assertNear = (found: number, expected: number): void =>
  assert.ok(Math.abs(found - expected) < 1e-12, `${found}, not ${expected}`);

test('computeRSquared: several series → one mean for all', () => {
  // Mean 3; squared deviations 4 + 1 + 0 + 1 + 4.
  assertNear(computeRSquared(2.5, [[1, 2, 3], Float64Array.of(4, 5)]), 0.75);
});

test('computeRSquared: values with errors → weighted by the inverse of their variance', () => {
  // Weights 1, 1 and 1/4.
  const mean = (0 + 2 + 8 / 4) / 2.25;
  const total = mean ** 2 + (2 - mean) ** 2 + (8 - mean) ** 2 / 4;
  assertNear(computeRSquared(1, [[0, 2, 8]], [[1, 1, 2]]), 1 - 1 / total);
});

test('computeRSquared: equal values → 0', () => {
  assert.equal(computeRSquared(0, [[2, 2, 2]]), 0);
});

test('sumVariances: two parts → Welch–Satterthwaite degrees of freedom', () => {
  const { variance, freedom } = sumVariances([
    { variance: 2, freedom: 4 },
    { variance: 1, freedom: 8 },
  ]);
  assertNear(variance, 3);
  assertNear(freedom, 9 / (4 / 4 + 1 / 8));
});
