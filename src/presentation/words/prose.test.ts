import assert from 'node:assert/strict';
import { test } from 'node:test';
import { code, prose, strong, writeMarkdown, writePlain } from './prose.ts';

test('prose: the same words as Markdown and as plain text, whatever marks stand in them', () => {
  const said = prose`${strong('A limit')} is ${code('<')} or ${'**not**'}: see ${code('a_b.md')}.`;
  assert.equal(writeMarkdown(said), '**A limit** is `<` or **not**: see `a_b.md`.');
  assert.equal(writePlain(said), 'A limit is < or **not**: see a_b.md.');
});
