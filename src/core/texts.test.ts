import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDecimal } from './texts.ts';

test('decimal: a number as people write it → its value', () => {
  assert.deepEqual(
    ['12', ' 1.5 ', '-0.25', '.5', '3.', '1e-9', '+2E3'].map(parseDecimal),
    [12, 1.5, -0.25, 0.5, 3, 1e-9, 2000],
  );
});

test('decimal: hexadecimal, infinite, empty, with a comma or with words → undefined', () => {
  for (const text of ['0x10', '0b1', '1e999', 'Infinity', 'NaN', '', ' ', '1,5', '1 000', '5 nM', '--1', '.'])
    assert.equal(parseDecimal(text), undefined, text);
});
