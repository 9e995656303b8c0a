import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { failureCodes } from '#core/failures.ts';
import { bindings } from '#transports/operations.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const tags = [...new Set(bindings.map(({ operation }) => operation.tag))];

test('coverage: every tag → has a file here that proves what its operations declare', () => {
  for (const tag of tags) {
    const text = readFileSync(join(import.meta.dirname, `${tag}.test.ts`), 'utf8');
    assert.ok(text.includes(`proveCoverage('${tag}')`), tag);
  }
});

/** The sources but the catalog and the contracts, which only name failures. */
function readRaisingSources(): string {
  const files = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['src/core/failures.ts', '**/*.test.ts'] });
  return files
    .filter((file) => !file.endsWith('contract.ts'))
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');
}

test('coverage: every failure of the catalog → is raised somewhere', () => {
  const text = readRaisingSources();
  assert.deepEqual(
    failureCodes.filter((code) => !text.includes(`'${code}'`)),
    [],
  );
});
