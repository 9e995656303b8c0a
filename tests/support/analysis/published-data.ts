/**
 * Published measurements, which lie in `../shared/data` beside the project and are never copied into it. A test that
 * needs what is not there is skipped, but fails under CI; what is there must be what its expectations were made with.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, normalize, relative } from 'node:path';
import type { TestContext } from 'node:test';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const DATA = join(ROOT, '..', 'shared', 'data');
/** As `sha256sum` writes it. */
const CHECKSUMS = join(ROOT, 'tests', 'fixtures', 'published-data.sha256');

/** Where a file or a folder of the measurements is; null after the test was marked as skipped. */
export function findPublished(context: Pick<TestContext, 'skip'>, name: string): string | null {
  const path = normalize(join(DATA, name));
  if (existsSync(path)) {
    const files = statSync(path).isDirectory() ? readdirSync(path).map((file) => join(path, file)) : [path];
    for (const file of files) expectPublished(file);
    return path;
  }
  const sentence = `test data are missing: ${path}`;
  assert.notEqual(process.env['CI'], 'true', sentence);
  context.skip(sentence);
  return null;
}

function expectPublished(path: string): void {
  const name = relative(DATA, path);
  const found = createHash('sha256').update(readFileSync(path)).digest('hex');
  assert.equal(found, readChecksums().get(name), `${name} is not the file that its checksum was taken of`);
}

let known: ReadonlyMap<string, string> | undefined;

function readChecksums(): ReadonlyMap<string, string> {
  known ??= new Map(
    readFileSync(CHECKSUMS, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  return known;
}
