import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeOutline } from './outline.ts';

test('outline: a closed triangle with a curve → the bytes of a simple glyph', () => {
  const bytes = encodeOutline([
    { command: 'moveTo', args: [0, 0] },
    { command: 'lineTo', args: [100.4, 0] },
    { command: 'quadraticCurveTo', args: [100, 100, 0, 0] },
    { command: 'closePath', args: [] },
  ]);
  // One contour, its box, its last point, no instructions, flags, then differences of x and of y.
  const words = [1, 0, 0, 100, 100, 2, 0].flatMap((value) => [value >> 8, value & 255]);
  const places = [0, 100, 0, 0, 0, 100].flatMap((value) => [value >> 8, value & 255]);
  assert.deepEqual(Array.from(bytes.subarray(0, 29)), [...words, 1, 1, 0, ...places]);
  assert.equal(bytes.length % 4, 0);
});

test('outline: no step → no bytes; a cubic curve → an error', () => {
  assert.equal(encodeOutline([]).length, 0);
  assert.throws(
    () => encodeOutline([{ command: 'bezierCurveTo', args: [0, 0, 1, 1, 2, 2] }]),
    /bezierCurveTo/,
  );
});
