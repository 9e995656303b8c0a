import assert from 'node:assert/strict';
import { test } from 'node:test';
import { code, prose, strong, writeMarkdown, writePlain } from './prose.ts';

test('prose: text with Markdown characters → the same words as Markdown and as plain text', () => {
  const said = prose`${strong('A limit')} is ${code('<')} or ${'**not**'}: see ${code('a_b.md')}.`;
  assert.equal(writeMarkdown(said), '**A limit** is `<` or **not**: see `a_b.md`.');
  assert.equal(writePlain(said), 'A limit is < or **not**: see a_b.md.');
});
