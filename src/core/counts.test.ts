import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCount, formatNoun } from './counts.ts';

test('counts: one, none and many → the noun fits the number', () => {
  assert.deepEqual(
    [0, 1, 2, 1_200].map((count) => formatCount(count, 'raw file')),
    ['0 raw files', '1 raw file', '2 raw files', '1,200 raw files'],
  );
  assert.deepEqual([formatNoun(1, 'heat map'), formatNoun(2, 'heat map')], ['heat map', 'heat maps']);
});
