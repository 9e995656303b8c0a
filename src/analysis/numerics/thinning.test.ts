import assert from 'node:assert/strict';
import { test } from 'node:test';
import { averageBlocks, chooseStride, keepExtremes, keepPoints, takeEvery } from './thinning.ts';

const VALUES = Float64Array.from({ length: 10 }, (_, i) => i);

test('chooseStride: more points than asked for → at most that many; fewer → all', () => {
  for (let length = 1; length < 200; length += 1) {
    const stride = chooseStride(length, 24);
    assert.ok(takeEvery(new Float64Array(length), stride, 0).length <= 24);
    if (length <= 24) assert.equal(stride, 1);
  }
});

test('takeEvery: a stride of three → every third value from the given offset', () => {
  assert.deepEqual([...takeEvery(VALUES, 3, 0)], [0, 3, 6, 9]);
  assert.deepEqual([...takeEvery(VALUES, 3, 2)], [2, 5, 8]);
});

test('averageBlocks: lengths that do not divide evenly → blocks that differ by one value at most', () => {
  assert.deepEqual([...averageBlocks(VALUES, { length: 10, blocks: 4 })], [0.5, 3, 5.5, 8]);
  assert.deepEqual([...averageBlocks(VALUES, { offset: 2, length: 4, blocks: 2 })], [2.5, 4.5]);
});

test('keepExtremes: more points than the limit → at most the limit, with both ends and the extremes in order', () => {
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

test('keepPoints: some times are kept → their points in order; none → no points', () => {
  const points = { timeS: Float64Array.of(1, 2, 3, 4), signal: Float64Array.of(10, 20, 30, 40) };
  const kept = keepPoints(points, (t) => t % 2 === 0);
  assert.deepEqual(
    [[...kept.timeS], [...kept.signal]],
    [
      [2, 4],
      [20, 40],
    ],
  );
  assert.equal(keepPoints(points, () => false).timeS.length, 0);
});
