import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Account } from './account.ts';
import {
  type Binaries,
  locatePackage,
  type NativePackage,
  prepareBinaries,
  removeOldCopies,
} from './binaries.ts';

const OWN: Account = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, switched: false };
const NOBODY: Account = { uid: 65_534, gid: 65_534, switched: true };
const ORDINARY_ID = 1000;
const asRoot = process.geteuid?.() === 0;
const needsRoot = asRoot ? false : 'needs root';

function createScratch(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-binaries-'));
  chmodSync(directory, 0o755);
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A copy of the installed package without library links, as npm leaves it when it does not run install scripts. */
function createPackageWithoutLinks(directory: string): NativePackage {
  const installed = locatePackage();
  const root = join(directory, 'package');
  cpSync(installed.root, root, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith('.a'),
  });
  for (const link of installed.links) rmSync(join(root, link.target), { force: true });
  return { ...installed, root };
}

function readVersion(binaries: Binaries, account: Account): string {
  const identity = account.switched ? { uid: account.uid, gid: account.gid } : {};
  const options = { encoding: 'utf8', cwd: '/', ...identity } as const;
  return (
    execFileSync(binaries.initdb, ['--version'], options) +
    execFileSync(binaries.postgres, ['--version'], options)
  );
}

test('binaries: the install script did not run → the library links are made in the package once', (t) => {
  const base = createScratch(t);
  const native = createPackageWithoutLinks(base);
  const dataDir = join(base, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const binaries = prepareBinaries(dataDir, OWN, native);
  assert.ok(binaries.postgres.startsWith(native.root));
  assert.match(
    readVersion(binaries, OWN),
    /^initdb \(PostgreSQL\) 18\.\d+\npostgres \(PostgreSQL\) 18\.\d+\n$/,
  );
  const [link] = native.links;
  const made = lstatSync(join(native.root, link.target)).ino;
  assert.equal(prepareBinaries(dataDir, OWN, native).postgres, binaries.postgres);
  assert.equal(lstatSync(join(native.root, link.target)).ino, made);
  assert.deepEqual(readdirSync(dataDir), []);
});

test('binaries: the package is read-only → copied with the links once, and again when damaged', (t) => {
  const base = createScratch(t);
  const native = createPackageWithoutLinks(base);
  const libraries = join(native.root, 'native', 'lib');
  chmodSync(libraries, 0o555);
  const dataDir = join(base, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  if (asRoot) chownSync(dataDir, ORDINARY_ID, ORDINARY_ID);
  const postgres = prepareAsOrdinaryUser(dataDir, native);
  assert.ok(postgres.startsWith(dataDir));
  assert.match(execFileSync(postgres, ['--version'], { encoding: 'utf8' }), /postgres \(PostgreSQL\) 18/);
  const made = lstatSync(postgres).ino;
  assert.equal(lstatSync(prepareAsOrdinaryUser(dataDir, native)).ino, made);
  assert.deepEqual(readdirSync(dataDir), [`binaries-${native.version}`]);
  truncateSync(postgres, 0);
  prepareAsOrdinaryUser(dataDir, native);
  assert.match(execFileSync(postgres, ['--version'], { encoding: 'utf8' }), /postgres \(PostgreSQL\) 18/);
  // Allows an ordinary user to remove it.
  chmodSync(libraries, 0o755);
});

/** Runs `prepareBinaries` in a process of an ordinary user, because permissions do not apply to root. */
function prepareAsOrdinaryUser(dataDir: string, native: NativePackage): string {
  const module = new URL('./binaries.ts', import.meta.url).href;
  const program = `
    const { prepareBinaries } = await import(${JSON.stringify(module)});
    const own = { uid: process.geteuid(), gid: process.getegid(), switched: false };
    process.stdout.write(prepareBinaries(process.argv[1], own, JSON.parse(process.argv[2])).postgres);
  `;
  const identity = asRoot ? { uid: ORDINARY_ID, gid: ORDINARY_ID } : {};
  const args = ['--input-type=module', '--eval', program, dataDir, JSON.stringify(native)];
  return execFileSync(process.execPath, args, { encoding: 'utf8', ...identity });
}

test(
  'binaries: the unprivileged user cannot read the package → copied next to the data',
  { skip: needsRoot },
  (t) => {
    const base = createScratch(t);
    const closed = join(base, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const native = createPackageWithoutLinks(closed);
    const dataDir = join(base, 'data');
    mkdirSync(dataDir, { mode: 0o711 });
    const binaries = prepareBinaries(dataDir, NOBODY, native);
    assert.ok(binaries.postgres.startsWith(dataDir));
    assert.match(readVersion(binaries, NOBODY), /postgres \(PostgreSQL\) 18/);
  },
);

test('binaries: copies of other versions → removed', (t) => {
  const base = createScratch(t);
  mkdirSync(join(base, 'binaries-17.0.0'));
  mkdirSync(join(base, 'cluster'));
  removeOldCopies(base, {
    postgres: join(base, 'binaries-18.0.0', 'bin', 'postgres'),
    initdb: '',
    majorVersion: 18,
  });
  assert.equal(existsSync(join(base, 'binaries-17.0.0')), false);
  assert.equal(existsSync(join(base, 'cluster')), true);
});
