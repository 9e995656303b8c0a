import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonBytes } from './json-bytes.ts';
import { createUniforms } from '#testing/analysis/synthetic.ts';

function stringifyRounded(values: readonly number[]): string {
  return JSON.stringify(values.map((value) => Math.round(value * 1e6) / 1e6));
}

test('JSON bytes: any numbers → those of JSON.stringify at six decimals', () => {
  const small = [0, -0, 1e-7, -1e-7, 4.9e-7, 5e-7, -5e-7, 1e-6, -1e-6, 0.1, 1.000_1, 9.999_999_5];
  const whole = [1, 9, 10, 99, 100, 999, 1_000, 1_001, 99_999.5, 123_456_789.000_001, 999_999_999.999_999];
  const large = [1e9, -1e9, 1e15, 1e21, 1e300, 5e-324, Number.NaN, Number.POSITIVE_INFINITY];
  const uniform = createUniforms(3);
  const random = Array.from(
    { length: 50_000 },
    () => (uniform() - 0.5) * 10 ** Math.floor(20 * uniform() - 8),
  );
  for (const values of [[], small, whole, large, random]) {
    assert.equal(
      Buffer.from(new JsonBytes().addArray(values).getBytes()).toString(),
      stringifyRounded(values),
    );
  }
});

test('JSON bytes: raw JSON larger than the first buffer → unchanged', () => {
  const text = JSON.stringify({ name: 'Größe'.repeat(40_000) });
  const json = new JsonBytes().addRaw('[').addRaw(text).addRaw(',').addArray([1.5]).addRaw(']').getBytes();
  assert.equal(Buffer.from(json).toString(), `[${text},[1.5]]`);
});
