import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatExcerpt, findMentioned } from './rules.ts';

const people = ['ada@client.example', 'bo.li@client.example', 'ada@lab.example'].map((email) => ({ email }));
const find = (text: string): string[] => findMentioned(text, people).map(({ email }) => email);

test('mentions: an address after @ → its person, whatever the case and what follows', () => {
  assert.deepEqual(find('Hello @Ada@client.example, and (@BO.LI@client.example).'), [
    'ada@client.example',
    'bo.li@client.example',
  ]);
});

test('mentions: the part before @ → its person where one has it, nobody where two have', () => {
  assert.deepEqual(find('@bo.li. please'), ['bo.li@client.example']);
  assert.deepEqual(find('@ada please'), []);
});

test('mentions: an address without @ before it, an unknown one, twice the same → no person, no person, once', () => {
  assert.deepEqual(find('write to ada@client.example or x@@bo.li'), []);
  assert.deepEqual(find('@eve@client.example'), []);
  assert.deepEqual(find('@bo.li @bo.li@client.example'), ['bo.li@client.example']);
});

test('excerpt: lines, controls and length → one line of at most 200 characters', () => {
  assert.equal(formatExcerpt(' a\n\n b\u202e c '), 'a b c');
  assert.equal(formatExcerpt('x'.repeat(300)), `${'x'.repeat(200)}…`);
});
