/**
 * `npm run lock`: writes package-lock.json anew from package.json alone. Beside an existing `node_modules`, or an existing
 * lockfile, npm keeps what is there and leaves out the optional packages of other platforms. It runs on the bundled Node,
 * because npm chooses older versions of packages for an older Node.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
/** The packages in this repository that package.json names. */
const LOCAL_PACKAGES = ['src/adapters/x402/local-chain/package.json', 'scripts/no-compiler/package.json'];
const LIMIT_MS = 300_000;
const NPM_MAJOR_MIN = 11;

/** The program of the npm that started us. */
function locateNpm(): string {
  const { npm_execpath: program, npm_config_user_agent: agent = '' } = process.env;
  const major = Number(/^npm\/(\d+)\./.exec(agent)?.[1]);
  if (program === undefined || !(major >= NPM_MAJOR_MIN))
    throw new Error(
      `Run this with npm ${NPM_MAJOR_MIN} or newer: an older one leaves out the C library of packages.`,
    );
  return program;
}

/** The lockfile that npm writes for package.json in an empty folder; with a date, from what was published by then. */
export function resolveCleanly(before?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'assayer-lock-'));
  try {
    for (const name of ['package.json', '.npmrc', ...LOCAL_PACKAGES])
      cpSync(join(ROOT, name), join(folder, name));
    const date = before === undefined ? [] : [`--before=${before}`];
    execFileSync(process.execPath, [locateNpm(), 'install', '--package-lock-only', '--save', ...date], {
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
