import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeLevels, hasRightToLeft, mirror, orderRuns } from './typesetter.ts';

test('order of runs: levels of a line → nested runs are turned as rule L2 says', () => {
  assert.deepEqual(orderRuns([0, 0, 0]), [0, 1, 2]);
  assert.deepEqual(orderRuns([0, 1, 2, 1, 0]), [0, 3, 2, 1, 4]);
  assert.deepEqual(orderRuns([1, 2, 2, 1]), [3, 1, 2, 0]);
  assert.deepEqual(orderRuns([1, 0, 1]), [0, 1, 2]);
  assert.deepEqual(orderRuns([]), []);
});

test('levels of a line: Hebrew with digits → digits keep their direction, Latin has none', () => {
  assert.deepEqual(Array.from(computeLevels('a \u05d0 12')), [0, 0, 1, 1, 2, 2]);
  assert.equal(hasRightToLeft('a (12)'), false);
  assert.equal(hasRightToLeft('a \u05d0'), true);
});

test('mirror: brackets from right to left → the opposite ones; letters stay', () => {
  assert.equal(mirror('(a]'), ')a[');
});
