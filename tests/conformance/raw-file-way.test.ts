/** The way of a raw file, as `ARCHITECTURE.md` lists it, is the one that the sources have. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..', '..');
const SRC = join(ROOT, 'src');
const FILES_MAX = 20;

interface Step {
  readonly ordinal: number;
  readonly file: string;
  /** Imports the file where no file before it does. */
  readonly joint: string | null;
}

const way = listSteps();

test(`raw_file_way: files from upload to result row → at most ${FILES_MAX}, in order, each once`, () => {
  assert.ok(way.length > 10 && way.length <= FILES_MAX, `${way.length} files`);
  assert.deepEqual(
    way.map(({ ordinal }) => ordinal),
    way.map((_, index) => index + 1),
  );
  assert.equal(new Set(way.map(({ file }) => file)).size, way.length);
  for (const { file } of way) assert.ok(existsSync(join(SRC, file)), `${file} is not there`);
});

test('raw_file_way: every file → is imported by one before it, or by the joint that is named', () => {
  for (const [index, { file, joint }] of way.entries()) {
    if (index === 0) continue;
    const before = way.slice(0, index).map((step) => step.file);
    const importers = joint === null ? before : [joint];
    assert.ok(
      importers.some((importer) => listImports(importer).has(file)),
      `${file} is imported by none of ${importers.join(', ')}`,
    );
  }
});

test('raw_file_way: a joint → is needed, since no file before imports what it joins, and is not on the way itself', () => {
  for (const [index, { file, joint }] of way.entries()) {
    if (joint === null) continue;
    const before = way.slice(0, index).map((step) => step.file);
    assert.ok(!before.some((importer) => listImports(importer).has(file)), `${file} needs no joint`);
    assert.ok(!way.some((step) => step.file === joint), `${joint} is counted already`);
  }
});

function listSteps(): Step[] {
  const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const [, section = ''] = page.split("## A raw file's way\n");
  const [table = ''] = section.split('\n## ');
  const rows = table.matchAll(/^\| (\d+) \| `([^`]+)` \| .+? \| (?:`([^`]+)` )?\|$/gm);
  return [...rows].map(([, ordinal, file = '', joint]) => ({
    ordinal: Number(ordinal),
    file,
    joint: joint ?? null,
  }));
}

/** The files of `src/` that a file imports values of; types alone hand nothing on. */
function listImports(importer: string): Set<string> {
  const text = readFileSync(join(SRC, importer), 'utf8');
  const found = new Set<string>();
  for (const [, names = '', from = ''] of text.matchAll(/^import (?!type\b)([^;]*?) from '([^']+)';/gm)) {
    const isOfTypes = names
      .replaceAll(/[{}\n]/g, ' ')
      .split(',')
      .every((name) => name.trim() === '' || name.trim().startsWith('type '));
    if (isOfTypes) continue;
    found.add(findPath(importer, from));
  }
  // What a file loads when it first needs it.
  for (const [, from = ''] of text.matchAll(/\bimport\('([^']+)'\)/g)) found.add(findPath(importer, from));
  return found;
}

function findPath(importer: string, from: string): string {
  return from.startsWith('#') ? from.slice(1) : relative(SRC, join(SRC, dirname(importer), from));
}
