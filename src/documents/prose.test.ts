import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markCode, prose, markStrong, writeMarkdown, writePlain } from './prose.ts';

test('prose: text with Markdown characters → the same words as Markdown and as plain text', () => {
  const said = prose`${markStrong('A limit')} is ${markCode('<')} or ${'**not**'}: see ${markCode('a_b.md')}.`;
  assert.equal(writeMarkdown(said), '**A limit** is `<` or **not**: see `a_b.md`.');
  assert.equal(writePlain(said), 'A limit is < or **not**: see a_b.md.');
});
