import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFixed } from './quantities.ts';

test('formatFixed: values below zero → a minus sign, and none before a value that rounds to zero', () => {
  const shown = [-0.0004, -0.0006, 0.0004, -1.5, 0].map((value) => formatFixed(value, 3));
  assert.deepEqual(shown, ['0.000', '−0.001', '0.000', '−1.500', '0.000']);
  assert.equal(formatFixed(-1250, -2), '−1300');
});
