import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const SCRIPT = join(import.meta.dirname, 'fresh-machine');

/** Stands for the tools that make a root and enter it: one step passes, and nothing is made. */
const TOOLS: Readonly<Record<string, string>> = {
  id: 'echo 0',
  debootstrap: '',
  chroot: '',
  git: '',
  npm: '',
  unshare: String.raw`printf 'trixie\troot\ta step\tok\t1\n' >>"$FRESH_RESULTS"`,
};

test('fresh-machine: every step passes → it ends with 0, without a complaint, and leaves no folder', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-fresh-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const [tools, work] = [join(directory, 'tools'), join(directory, 'work')];
  mkdirSync(tools);
  mkdirSync(work);
  for (const [name, body] of Object.entries(TOOLS))
    writeFileSync(join(tools, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${tools}:${process.env['PATH']}`, TMPDIR: work };
  const { status, stdout, stderr } = spawnSync('bash', [SCRIPT, 'trixie'], { encoding: 'utf8', env });
  assert.match(stdout, /1 passed, 0 failed/);
  assert.deepEqual([stderr, status, readdirSync(work)], ['', 0, []]);
});
