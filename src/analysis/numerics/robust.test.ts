import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUniforms } from '#testing/analysis/synthetic.ts';
import { computeMedian, computeQuantile } from './robust.ts';

test('median: any number and order of values → the result of sorting', () => {
  const uniform = createUniforms(1);
  const orders: Record<string, (i: number, n: number) => number> = {
    random: () => uniform(),
    few: () => Math.floor(4 * uniform()),
    equal: () => 3,
    ascending: (i) => i,
    descending: (i) => -i,
    organ: (i, n) => Math.min(i, n - i),
    saw: (i) => i % 7,
    huge: (i) => (i % 2 === 0 ? -1e300 : 1e300 * uniform()),
  };
  for (const [name, value] of Object.entries(orders)) {
    for (const n of [1, 2, 3, 16, 17, 18, 33, 100, 101, 1_000, 4_097]) {
      const values = Float64Array.from({ length: n }, (_, i) => value(i, n));
      const before = values.slice();
      const sorted = values.toSorted();
      const expected = n % 2 === 1 ? sorted[n >> 1] : (sorted[(n >> 1) - 1] + sorted[n >> 1]) / 2;
      assert.equal(computeMedian(values), expected, `${name}, ${n}`);
      assert.deepEqual(values, before);
    }
  }
  assert.ok(Number.isNaN(computeMedian([])));
});

test('quantile: type 7 of Hyndman and Fan → the values of R and NumPy, and a half is the median', () => {
  const values = [15, 20, 35, 40, 50];
  const shares = [0, 0.05, 0.3, 0.4, 0.5, 1];
  for (const [k, expected] of [15, 16, 23, 29, 35, 50].entries())
    assert.ok(Math.abs(computeQuantile(values, shares[k]) - expected) < 1e-12, String(shares[k]));
  const uniform = createUniforms(2);
  for (const n of [1, 2, 7, 40]) {
    const drawn = Float64Array.from({ length: n }, uniform);
    assert.ok(Math.abs(computeQuantile(drawn, 0.5) - computeMedian(drawn)) < 1e-15);
  }
  assert.ok(Number.isNaN(computeQuantile([], 0.5)));
});
