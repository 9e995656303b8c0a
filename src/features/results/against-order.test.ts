import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatNamedShortfall } from './against-order.ts';

const createCounts = (name: string, replicates: number, curves: number) => ({
  name,
  n_replicates_ordered: 3,
  n_replicates: replicates,
  n_curves_planned: 12,
  n_curves: curves,
});

test('formatNamedShortfall: sequences lack replicates, curves alone, or nothing → the first two are named with what they have', () => {
  const counts = [createCounts('d1', 3, 12), createCounts('d2', 2, 8), createCounts('d3', 3, 9)];
  assert.equal(
    formatNamedShortfall(counts),
    '8 of 9 ordered replicates and 29 of 36 planned curves (d2: 2 of 3, d3: 9 of 12 curves)',
  );
  assert.equal(formatNamedShortfall(counts.slice(0, 1)), null);
});

test('formatNamedShortfall: seven sequences lack replicates → five are named and two counted', () => {
  const counts = Array.from({ length: 7 }, (_, index) => createCounts(`d${index + 1}`, 1, 4));
  assert.match(formatNamedShortfall(counts) ?? '', /\(d1: 1 of 3, .*, d5: 1 of 3 and 2 more\)$/);
});
