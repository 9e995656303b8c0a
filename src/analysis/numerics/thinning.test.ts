import assert from 'node:assert/strict';
import { test } from 'node:test';
import { averageBlocks, chooseStride, keepExtremes, takeEvery } from './thinning.ts';

const VALUES = Float64Array.from({ length: 10 }, (_, i) => i);

test('thinning: at most as many points as asked for, and all of them where they are fewer', () => {
  for (let length = 1; length < 200; length += 1) {
    const stride = chooseStride(length, 24);
    assert.ok(takeEvery(new Float64Array(length), stride, 0).length <= 24);
    if (length <= 24) assert.equal(stride, 1);
  }
});

test('thinning: every third value, from the first or from the last of each three', () => {
  assert.deepEqual([...takeEvery(VALUES, 3, 0)], [0, 3, 6, 9]);
  assert.deepEqual([...takeEvery(VALUES, 3, 2)], [2, 5, 8]);
});

test('thinning: means of blocks whose lengths differ by one at most', () => {
  assert.deepEqual([...averageBlocks(VALUES, { length: 10, blocks: 4 })], [0.5, 3, 5.5, 8]);
  assert.deepEqual([...averageBlocks(VALUES, { offset: 2, length: 4, blocks: 2 })], [2.5, 4.5]);
});

test('thinning: at most the limit, with both ends and the extremes, in their order', () => {
  const points = Array.from({ length: 5000 }, (_, x) => ({
    x,
    y: Math.sin(x / 7) + (x === 1234 ? 9 : x === 4321 ? -9 : 0),
  }));
  const kept = keepExtremes(points, 400);
  assert.ok(kept.length <= 400);
  assert.deepEqual([kept[0], kept.at(-1)], [points[0], points.at(-1)]);
  assert.ok(kept.some(({ x }) => x === 1234) && kept.some(({ x }) => x === 4321));
  assert.ok(kept.every(({ x }, index) => index === 0 || x > kept[index - 1].x));
  assert.equal(keepExtremes(points.slice(0, 400), 400).length, 400);
  assert.deepEqual(keepExtremes([], 400), []);
});
