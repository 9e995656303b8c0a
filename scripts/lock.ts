/**
 * `npm run lock`: writes package-lock.json anew from package.json alone. Beside an existing `node_modules`, or an existing
 * lockfile, npm keeps what is there and leaves out the optional packages of other platforms.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const LIMIT_MS = 300_000;

/** The lockfile that npm writes for package.json in an empty folder; with a date, from what was published by then. */
export function resolveCleanly(before?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'assayer-lock-'));
  try {
    for (const name of ['package.json', '.npmrc']) copyFileSync(join(ROOT, name), join(folder, name));
    const date = before === undefined ? [] : [`--before=${before}`];
    execFileSync('npm', ['install', '--package-lock-only', ...date], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: LIMIT_MS,
    });
    return readFileSync(join(folder, 'package-lock.json'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  writeFileSync(join(ROOT, 'package-lock.json'), resolveCleanly());
  console.log('package-lock.json is written; run "npm ci" and the tests.');
}
