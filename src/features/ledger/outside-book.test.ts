import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatExact, toExactFromUnits, toFractionalCents } from './outside-book.ts';

test('exact amounts: tokens of any decimals beside cents → no rounding', () => {
  assert.equal(formatExact(toExactFromUnits(1_234_567n, 10_000n)), '$1.234567');
  assert.equal(formatExact(toExactFromUnits(1n, 10n ** 16n)), '$0.000000000000000001');
  assert.equal(formatExact(-toExactFromUnits(123_456_789n, 1n)), '-$1,234,567.89');
  assert.equal(toFractionalCents(toExactFromUnits(15_000n, 10_000n)), 1.5);
});
