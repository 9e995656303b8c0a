import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { findNamedFiles } from './named-files.ts';

const FILES = [
  'node_modules/other/one.test.ts',
  'src/core/wells.test.ts',
  'src/core/wells.ts',
  'tests/lists/deep/walk.test.ts',
  'tests/lists/sort.test.ts',
  'tests/nightly/large.test.ts',
  'tests/support/service.ts',
];
const root = mkdtempSync(join(tmpdir(), 'assayer-named-'));
after(() => rmSync(root, { recursive: true }));
for (const file of FILES) {
  mkdirSync(join(root, dirname(file)), { recursive: true });
  writeFileSync(join(root, file), '');
}
const find = (...names: string[]) => findNamedFiles(root, names, false);
const list = (...names: string[]) => find(...names).files.toSorted();

test('names: a folder → the test files under it, those of the night only if it is theirs', () => {
  assert.deepEqual(list('tests/lists'), ['tests/lists/deep/walk.test.ts', 'tests/lists/sort.test.ts']);
  assert.deepEqual(list('tests/lists/'), list('tests/lists'));
  assert.deepEqual(list('./tests'), list('tests/lists'));
  assert.deepEqual(list('.'), list());
  assert.deepEqual(list('tests/nightly'), ['tests/nightly/large.test.ts']);
  assert.deepEqual(findNamedFiles(root, ['tests/lists', join(root, 'src')], true).files.length, 3);
});

test('names: none, files and patterns → every test file of the day, each once', () => {
  assert.deepEqual(list(), [
    'src/core/wells.test.ts',
    'tests/lists/deep/walk.test.ts',
    'tests/lists/sort.test.ts',
  ]);
  assert.equal(findNamedFiles(root, [], true).files.length, 4);
  assert.deepEqual(list('src/core/wells.test.ts', 'src/core', 'src/**/*.test.ts'), [
    'src/core/wells.test.ts',
  ]);
  assert.deepEqual(list('tests/nightly/*'), ['tests/nightly/large.test.ts']);
});

test('names: what does not exist, or holds no test → a sentence that names it', () => {
  const { files, problems } = find(
    'src/core',
    'tests/none',
    'tests/support',
    'src/core/wells.ts',
    'tests/x*.test.ts',
  );
  assert.deepEqual(files, ['src/core/wells.test.ts']);
  assert.deepEqual(
    problems.map((problem) => problem.replace(root, 'ROOT')),
    [
      'There is no file or folder tests/none, and no test file matches it as a pattern; give a path from ROOT.',
      'The folder tests/support holds no test file; test files end with .test.ts.',
      'src/core/wells.ts is no test file; test files end with .test.ts.',
      'There is no file or folder tests/x*.test.ts, and no test file matches it as a pattern; give a path from ROOT.',
    ],
  );
});
