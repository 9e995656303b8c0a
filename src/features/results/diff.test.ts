import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDifferences } from './diff-results.ts';

test('result diff: equal values with members in another order → no difference', () => {
  assert.deepEqual(findDifferences({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }), []);
});

test('result diff: changed, new and missing values → each with its path', () => {
  const before = { kd: { value: 1, n: 3 }, flags: ['A'], old: true };
  const after = { kd: { value: 2, n: 3 }, flags: ['A', 'B'], young: 0 };
  assert.deepEqual(findDifferences(before, after), [
    { path: 'kd.value', before: 1, after: 2 },
    { path: 'flags.1', before: undefined, after: 'B' },
    { path: 'young', before: undefined, after: 0 },
    { path: 'old', before: true, after: undefined },
  ]);
});

test('result diff: null against zero, a number against an object → differences', () => {
  assert.deepEqual(findDifferences({ x: null }, { x: 0 }), [{ path: 'x', before: null, after: 0 }]);
  assert.deepEqual(findDifferences({ x: 1 }, { x: { y: 1 } }), [{ path: 'x', before: 1, after: { y: 1 } }]);
});
