import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const KNIP = join(ROOT, 'node_modules', 'knip', 'bin', 'knip.js');

const MANIFEST = JSON.stringify({
  name: 'a-product',
  type: 'module',
  imports: { '#core/*': './src/core/*' },
  dependencies: { unheard: '1.0.0' },
});

/** What is found in a project of these files under the configuration of this one. */
function findUnused(files: Readonly<Record<string, string>>, options: readonly string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), 'assayer-unused-'));
  const config = readFileSync(join(ROOT, 'knip.jsonc'), 'utf8');
  try {
    for (const [path, text] of Object.entries({ 'package.json': MANIFEST, 'knip.jsonc': config, ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const { stdout } = spawnSync(process.execPath, [KNIP, '--no-progress', ...options], {
      cwd: folder,
      encoding: 'utf8',
    });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const PROJECT = {
  'src/main.ts':
    "import { used } from '#core/a.ts';\nnew Worker(new URL('./thread.ts', import.meta.url));\nused();\n",
  'src/thread.ts': '',
  'src/core/a.ts': 'export function used() {}\nexport const forgotten = 1;\n',
  'src/core/left.ts': '',
  'src/core/tested.ts': 'export const tested = 1;\n',
  'tests/a.test.ts': "import { tested } from '#core/tested.ts';\ntested;\n",
};

test('unused: an unused file, export or package → named; a worker or what a test uses → not', () => {
  const found = findUnused(PROJECT);
  for (const name of ['src/core/left.ts', 'forgotten', 'unheard']) assert.ok(found.includes(name), found);
  for (const name of ['thread.ts', 'tested']) assert.ok(!found.includes(name), found);
});

test('unused: a product file that only a test uses → named', () => {
  const found = findUnused(PROJECT, ['--production', '--include', 'files']);
  assert.match(found, /src\/core\/tested\.ts/);
});
