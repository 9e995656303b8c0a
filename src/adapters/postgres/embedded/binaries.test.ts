import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
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
const needsRoot = process.geteuid?.() === 0 ? false : 'needs root';

function scratch(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-binaries-'));
  chmodSync(directory, 0o755);
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The installed package as npm leaves it when it does not run install scripts: without the library links. */
function packageWithoutLinks(directory: string): NativePackage {
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

function versionOf(binaries: Binaries, account: Account): string {
  const identity = account.switched ? { uid: account.uid, gid: account.gid } : {};
  const options = { encoding: 'utf8', cwd: '/', ...identity } as const;
  return (
    execFileSync(binaries.initdb, ['--version'], options) +
    execFileSync(binaries.postgres, ['--version'], options)
  );
}

test('binaries: without the install script a copy with the links is made, once, and again when damaged', (t) => {
  const base = scratch(t);
  const native = packageWithoutLinks(base);
  const dataDir = join(base, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const binaries = prepareBinaries(dataDir, OWN, native);
  assert.ok(binaries.postgres.startsWith(dataDir));
  assert.match(
    versionOf(binaries, OWN),
    /^initdb \(PostgreSQL\) 18\.\d+\npostgres \(PostgreSQL\) 18\.\d+\n$/,
  );
  const made = lstatSync(binaries.postgres).ino;
  assert.equal(lstatSync(prepareBinaries(dataDir, OWN, native).postgres).ino, made);
  assert.deepEqual(readdirSync(dataDir), [`binaries-${native.version}`]);
  truncateSync(binaries.postgres, 0);
  assert.match(versionOf(prepareBinaries(dataDir, OWN, native), OWN), /postgres \(PostgreSQL\) 18/);
});

test(
  'binaries: what the unprivileged user cannot read is copied next to the data',
  { skip: needsRoot },
  (t) => {
    const base = scratch(t);
    const closed = join(base, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const native = packageWithoutLinks(closed);
    const dataDir = join(base, 'data');
    mkdirSync(dataDir, { mode: 0o711 });
    const binaries = prepareBinaries(dataDir, NOBODY, native);
    assert.ok(binaries.postgres.startsWith(dataDir));
    assert.match(versionOf(binaries, NOBODY), /postgres \(PostgreSQL\) 18/);
  },
);

test('binaries: an installation that is complete and readable is used where it is', (t) => {
  const base = scratch(t);
  const native = packageWithoutLinks(base);
  const first = prepareBinaries(base, OWN, native);
  rmSync(join(native.root, 'native'), { recursive: true });
  cpSync(join(first.postgres, '..', '..'), join(native.root, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  const dataDir = join(base, 'data');
  mkdirSync(dataDir);
  assert.ok(prepareBinaries(dataDir, OWN, native).postgres.startsWith(native.root));
});

test('binaries: copies of other versions are removed', (t) => {
  const base = scratch(t);
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
