import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinWords } from './word-list.ts';

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
