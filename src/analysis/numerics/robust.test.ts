import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uniforms } from '#testing/analysis/synthetic.ts';
import { computeMedian } from './robust.ts';

test('median: what sorting gives, for any number and order of values', () => {
  const uniform = uniforms(1);
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
