import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinFirst, joinWords, formatCount, formatNoun } from './words.ts';

test('joinWords: none to four words → what Intl.ListFormat writes', () => {
  const words = ['x402-exact', 'mpp-spt', 'async_invoice (a hosted page)', 'wire'];
  for (let count = 0; count <= words.length; count += 1) {
    const some = words.slice(0, count);
    for (const [conjunction, type] of [
      ['and', 'conjunction'],
      ['or', 'disjunction'],
    ] as const)
      assert.equal(joinWords(some, conjunction), new Intl.ListFormat('en-US', { type }).format(some));
  }
});

test('joinFirst: as many words as are shown, and more → all of them; the first and the number of the others', () => {
  assert.equal(joinFirst([], 2), '');
  assert.equal(joinFirst(['a', 'b'], 2), 'a, b');
  assert.equal(joinFirst(['a', 'b', 'c', 'd'], 2), 'a, b and 2 more');
});

test('counts: one, none and many → the noun fits the number', () => {
  assert.deepEqual(
    [0, 1, 2, 1_200].map((count) => formatCount(count, 'raw file')),
    ['0 raw files', '1 raw file', '2 raw files', '1,200 raw files'],
  );
  assert.deepEqual([formatNoun(1, 'heat map'), formatNoun(2, 'heat map')], ['heat map', 'heat maps']);
});
