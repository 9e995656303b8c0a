import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { createInMemory } from './temporary.ts';

test('temporary files: the caller has chosen a directory → none in memory', () => {
  assert.equal(createInMemory({ TMPDIR: '/somewhere' }), undefined);
});

test('temporary files: memory has room → a directory that every user may enter, gone when it is removed', (context) => {
  const directory = createInMemory({});
  if (directory === undefined) {
    context.skip('this machine has too little memory for temporary files');
    return;
  }
  assert.equal(statSync(directory.path).mode & 0o1777, 0o1777);
  directory.remove();
  assert.ok(!existsSync(directory.path));
});
