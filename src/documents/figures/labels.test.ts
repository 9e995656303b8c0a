import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '#testing/properties.ts';
import { spaceApart } from './labels.ts';

test('labels: crowded and uncrowded positions → apart by the gap, in order, inside, unmoved where there is room', () => {
  const place = (middles: readonly number[], width: number) =>
    spaceApart(
      middles.map((at) => ({ at, width })),
      { low: 0, high: 100, gap: 2 },
    );
  assert.deepEqual(place([15, 50, 85], 10), [15, 50, 85]);
  assert.deepEqual(place([95, 96, 97], 10), [71, 83, 95]);
  assert.deepEqual(place([3, 2], 10), [17, 5]);
  fc.assert(
    fc.property(fc.array(fc.nat(100), { minLength: 1, maxLength: 8 }), (middles) => {
      const found = place(middles, 10).toSorted((x, y) => x - y);
      assert.ok(
        found.every(
          (at, index) => at >= 5 && at <= 95 && (index === 0 || at - (found[index - 1] ?? 0) >= 12),
        ),
      );
    }),
    { numRuns: 100, seed: 3 },
  );
});
