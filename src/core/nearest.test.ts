import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findNearest } from './nearest.ts';

test('nearest: one or two slips, a beginning, another case → the known word; a foreign word → none', () => {
  const known = ['show', 'list', 'estimate', 'results', 'revoke'];
  assert.equal(findNearest('resluts', known), 'results');
  assert.equal(findNearest('estim', known), 'estimate');
  assert.equal(findNearest('Reslts', known), 'results');
  for (const word of ['re', 'frob', 'wombat', 'constructor', '__proto__', ''])
    assert.equal(findNearest(word, known), undefined, word);
});
