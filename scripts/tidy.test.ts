/** The check as it is run: over a folder under git, with an exit code. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createTree } from './tidy/fixtures/tree.ts';
import { GLOBAL_TABLES } from './tidy/rules/migrations.ts';

function createFolder(context: TestContext, files: Iterable<readonly [string, string]>): string {
  const folder = mkdtempSync(join(tmpdir(), 'assayer-tidy-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function tidy(folder: string): { status: number | null; lines: string[] } {
  const script = join(import.meta.dirname, 'tidy.ts');
  const { status, stdout } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  return { status, lines: stdout.trimEnd().split('\n') };
}

test('saw-nothing: an empty folder → a failure', (context) => {
  const { status, lines } = tidy(createFolder(context, []));
  assert.equal(status, 1);
  assert.equal(lines[0], '.:1 saw-nothing: saw no files');
});

test('tidy: findings → file, line and rule, and the last line says what was seen', (context) => {
  const { files } = createTree({ 'src/core/a.ts': '\nlet a: any;\n', '.gitignore': 'ignored/\n' });
  const folder = createFolder(context, [...files, ['ignored/a.md', 'no title'], ['src/core/b.bin', '\0']]);
  const { status, lines } = tidy(folder);
  assert.equal(status, 1);
  assert.ok(lines.includes('src/core/a.ts:2 no-any: any checks nothing; name the type, or unknown'));
  assert.ok(!lines.some((line) => line.startsWith('ignored/')));
  assert.equal(
    lines.at(-1),
    `11 files, 5 sources, 3 imports, ${GLOBAL_TABLES.length + 1} tables, 1 failure codes, 0 operations: ${lines.length - 1} to tidy`,
  );
});
