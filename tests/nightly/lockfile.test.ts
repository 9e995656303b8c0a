/** The lockfile against the registry that this machine uses. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '#testing/launcher.ts';
import { resolveCleanly } from '../../scripts/lock.ts';

test('lockfile: a clean resolution of what was published when it was committed → the same file', (t) => {
  const written = ['log', '-1', '--format=%aI', '--', 'package-lock.json'];
  const date = execFileSync('git', written, { cwd: ROOT, encoding: 'utf8' }).trim();
  assert.match(date, /^\d{4}-\d\d-\d\dT/);
  t.diagnostic(`published by ${date}`);
  const clean = JSON.parse(resolveCleanly(date));
  assert.deepEqual(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')), clean);
});
