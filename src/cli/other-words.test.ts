import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMeant, findNearest, formatChoice } from './other-words.ts';

test('nearest: a word with one or two slips → the known word; a foreign one → none', () => {
  assert.equal(findNearest('resluts', ['results', 'start']), 'results');
  assert.equal(findNearest('frob', ['results', 'start']), undefined);
});

test('meant: another word, a misspelled one, a beginning → the known words; none of them → nothing', () => {
  const known = ['show', 'list', 'estimate', 'results', 'revoke'];
  assert.deepEqual(findMeant('get', known), ['show', 'list']);
  assert.deepEqual(findMeant('delete', known), ['revoke']);
  assert.deepEqual(findMeant('Reslts', known), ['results']);
  assert.deepEqual(findMeant('estim', known), ['estimate']);
  assert.deepEqual(findMeant('re', known), []);
  for (const word of ['wombat', 'constructor', '__proto__', '']) assert.deepEqual(findMeant(word, known), []);
});

test('choice: several words → joined by or', () => {
  assert.equal(formatChoice(['show', 'list']), '"show" or "list"');
  assert.equal(formatChoice(['show']), '"show"');
});
