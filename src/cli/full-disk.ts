/** Explains to the operator in one sentence that a disk is full, whichever part of a start found it first. */
import { statfsSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { DATABASE_DISK_FULL, isOutOfSpace } from '#core/out-of-space.ts';
import type { Settings } from '#settings/settings.ts';
import { CommandError } from './command-error.ts';

/** What PostgreSQL and its programs write of a write that the disk or a quota refuses. */
const REFUSED = /No space left on device|Disk quota exceeded/;
/** PostgreSQL ends when it cannot make the next file of its log, which has this size. */
const LOG_FILE_BYTES = 16 * 1024 * 1024;
const NEEDED_AT_FIRST = '200 MB';

/** Undefined where the error has another cause. */
export function explainFullDisk(
  error: unknown,
  { dataDir, databaseUrl }: Pick<Settings, 'dataDir' | 'databaseUrl'>,
): CommandError | undefined {
  const directory = resolve(dataDir);
  if (databaseUrl !== null && isOfDatabase(error))
    return new CommandError(
      'DATABASE_URL: the disk of this server is full; make room on it and start again.',
      1,
      { cause: error },
    );
  const isRefused = isOutOfSpace(error) || isSaid(error);
  // A database that ends because of its disk leaves a lost connection, which says nothing about the cause.
  if (!isRefused && (databaseUrl !== null || !isAlmostFull(directory))) return undefined;
  const path = findPath(error);
  if (path !== undefined && !`${path}${sep}`.startsWith(`${directory}${sep}`))
    return new CommandError(
      `${path} cannot be written: its disk, or the quota of this user, is full; make room there and start again.`,
      1,
      { cause: error },
    );
  return new CommandError(
    `DATA_DIR ${directory}: its disk, or the quota of this user, is full; make room there (a new service needs ${NEEDED_AT_FIRST}), or name a directory on another disk.`,
    1,
    { cause: error },
  );
}

function isOfDatabase(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === DATABASE_DISK_FULL) || isOfDatabase(error.cause);
}

function isSaid(error: unknown): boolean {
  return error instanceof Error && (REFUSED.test(error.message) || isSaid(error.cause));
}

function findPath(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'path' in error && typeof error.path === 'string' ? error.path : findPath(error.cause);
}

function isAlmostFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < LOG_FILE_BYTES;
  } catch {
    return false;
  }
}
