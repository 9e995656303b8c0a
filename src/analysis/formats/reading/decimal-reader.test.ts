import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUniforms } from '#testing/analysis/synthetic.ts';
import { DecimalReader } from './decimal-reader.ts';

test('decimal reader: any decimal anywhere in a text → the same bits as Number', () => {
  const uniform = createUniforms(5);
  const digits = (most: number): string => {
    const count = Math.floor((most + 1) * uniform());
    return Array.from({ length: count }, () => Math.floor(10 * uniform())).join('');
  };
  const reader = new DecimalReader();
  let read = 0;
  for (let i = 0; i < 50_000; i += 1) {
    const text = `${uniform() < 0.3 ? '-' : ''}${digits(9)}${uniform() < 0.8 ? '.' : ''}${digits(9)}`;
    const isRead = reader.read(`x,${text},7`, 2);
    const count = text.replaceAll(/[^0-9]/g, '').length;
    assert.equal(isRead, count > 0 && count <= 15, text);
    if (!isRead) continue;
    assert.ok(Object.is(reader.value, Number(text)), text);
    assert.equal(reader.end, 2 + text.length);
    read += 1;
  }
  assert.ok(read > 40_000);
});

test('decimal reader: anything but a decimal → not read, or read up to the end of the decimal', () => {
  const reader = new DecimalReader();
  for (const text of ['', '-', '.', '-.', '+1', 'e5', 'NaN', ' 1', '1234567890123456', '0.1234567890123456'])
    assert.equal(reader.read(text, 0), false, text);
  for (const [text, end] of [
    ['1e5', 1],
    ['1.2.3', 3],
    ['1,5', 1],
    ['1-2', 1],
    ['7 ', 1],
    ['0x10', 1],
  ] as const) {
    assert.equal(reader.read(text, 0), true);
    assert.equal(reader.end, end, text);
  }
});
