import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFixed, formatSignalValue } from './quantities.ts';

test('formatFixed: values below zero → a minus sign, and none before a value that rounds to zero', () => {
  const shown = [-0.0004, -0.0006, 0.0004, -1.5, 0].map((value) => formatFixed(value, 3));
  assert.deepEqual(shown, ['0.000', '−0.001', '0.000', '−1.500', '0.000']);
  assert.equal(formatFixed(-1250, -2), '−1300');
});

test('formatSignalValue: nm, RU, below the noise → three digits, and at most four decimals', () => {
  const shown = [0.093572, 0.0070166, 0.591, 129.4, -0.00299, 3e-5, 0].map(formatSignalValue);
  assert.deepEqual(shown, ['0.0936', '0.0070', '0.591', '129', '−0.0030', '0.0000', '0.00']);
});
