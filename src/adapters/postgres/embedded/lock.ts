/**
 * Allows one service per data directory. The lock is a file that names its holder by pid and start time, so that a
 * killed holder is recognized even after its pid has been reused. PostgreSQL's own lock on the cluster is a second
 * protection.
 *
 * A holder that cannot be checked by pid (another machine, another container on a shared volume, an earlier boot) is
 * checked by its heartbeat: it touches the file every second. So is one whose file has another inode than it recorded: a
 * data directory that was copied while its service ran holds a copy of the lock, and nobody touches that.
 */
import { findErrorCode } from '#core/records.ts';
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './errors.ts';
import { isRunning, getOwnIdentity, type ProcessIdentity } from './processes.ts';
import { waitUntil } from './wait.ts';

const HEARTBEAT_INTERVAL_MS = 1_000;
/** A holder elsewhere counts as dead after this long without a heartbeat. */
const HEARTBEAT_LIMIT_MS = 3_500;
/** Limit of waiting for a holder that has announced its stop. */
const STOP_LIMIT_MS = 30_000;
const MOMENT_MS = 1_000;
const MAX_ATTEMPTS = 20;

export interface DataDirectoryLock {
  /** Whether the file still names this holder. */
  isHeld(): boolean;
  /** Announces the stop, so that a waiting service keeps waiting. */
  announceStop(): void;
  release(): void;
}

interface LockRecord extends ProcessIdentity {
  readonly nonce: string;
  /** Of the file itself; absent in the locks of earlier versions. */
  readonly inode?: string;
  /** Absent for a holder that is not stopping. */
  readonly isStopping?: boolean;
}

function formatLockPath(dataDir: string): string {
  return join(dataDir, 'service.lock');
}

/**
 * Takes the lock. Removes one that a dead service left, waits for one whose holder is stopping, and fails when a
 * running service holds it.
 */
export async function acquireLock(
  dataDir: string,
  log: (message: string) => void,
): Promise<DataDirectoryLock> {
  const path = formatLockPath(dataDir);
  const record: LockRecord = { ...getOwnIdentity(), nonce: randomUUID() };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    if (tryCreate(path, record)) return holdLock(path, record);
    const text = readLock(path);
    if (text === undefined) continue;
    const holder = parseLock(text);
    if (holder === undefined || !(await isHolderAlive(path, holder))) clearStale(path, text, record.nonce);
    else if (holder.isStopping !== true) {
      // A service whose launcher was just killed announces its stop within a moment.
      if (!(await waitUntil(() => readLock(path) !== text, MOMENT_MS)))
        throw createInUseError(dataDir, holder);
    } else {
      log(`Waiting for the service that is stopping (process ${holder.pid}) to leave the data directory.`);
      const hasLeft = () => readLock(path) !== text || (isLocal(holder) && !isRunning(holder));
      if (!(await waitUntil(hasLeft, STOP_LIMIT_MS))) throw createInUseError(dataDir, holder);
    }
  }
  throw new EmbeddedPostgresError(`The lock file ${path} keeps changing; another service is starting there.`);
}

/** The running service that holds a data directory; undefined when nobody does. */
export async function findLiveHolder(
  dataDir: string,
): Promise<{ readonly pid: number; readonly isLocal: boolean; readonly isStopping: boolean } | undefined> {
  const path = formatLockPath(dataDir);
  const text = readLock(path);
  const holder = text === undefined ? undefined : parseLock(text);
  if (holder === undefined || !(await isHolderAlive(path, holder))) return undefined;
  return { pid: holder.pid, isLocal: isLocal(holder), isStopping: holder.isStopping === true };
}

/** Whether a data directory has a lock whose holder is gone; false when it has none. */
export async function isAbandoned(dataDir: string): Promise<boolean> {
  const path = formatLockPath(dataDir);
  const text = readLock(path);
  if (text === undefined) return false;
  const holder = parseLock(text);
  return holder === undefined || !(await isHolderAlive(path, holder));
}

function createInUseError(dataDir: string, holder: LockRecord): EmbeddedPostgresError {
  const where = isLocal(holder) ? '' : ` on ${holder.realm.split('/')[0] ?? 'another machine'}`;
  return new EmbeddedPostgresError(
    `Another service (process ${holder.pid}${where}) is already using the data directory ${dataDir}; stop it first, or give this one another data directory.`,
  );
}

/** Writes the record to a second file and links it into place, so that the lock is never seen incomplete. */
function tryCreate(path: string, record: LockRecord): boolean {
  const draft = writeDraft(path, record);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (findErrorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function holdLock(path: string, record: LockRecord): DataDirectoryLock {
  const isHeld = () => {
    const text = readLock(path);
    return text !== undefined && parseLock(text)?.nonce === record.nonce;
  };
  const heartbeat = setInterval(() => touch(path), HEARTBEAT_INTERVAL_MS);
  heartbeat.unref();
  return {
    isHeld,
    announceStop() {
      if (isHeld()) replace(path, { ...record, isStopping: true });
    },
    release() {
      clearInterval(heartbeat);
      if (isHeld()) rmSync(path, { force: true });
    },
  };
}

function replace(path: string, record: LockRecord): void {
  try {
    renameSync(writeDraft(path, record), path);
  } catch {
    // On a full file system the next start fails instead of waiting; this stop continues.
    rmSync(formatDraftPath(path, record), { force: true });
  }
}

function formatDraftPath(path: string, { nonce }: LockRecord): string {
  return `${path}.${nonce}`;
}

/** Writes the record with the inode of its own file, which moving and linking keep and copying does not. */
function writeDraft(path: string, record: LockRecord): string {
  const draft = formatDraftPath(path, record);
  writeFileSync(draft, '', { mode: 0o644 });
  writeFileSync(draft, JSON.stringify({ ...record, inode: findInode(draft) }));
  return draft;
}

function findInode(path: string): string | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino.toString();
}

function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // A full or missing file system must not end the service; on this machine the lock is checked by pid anyway.
  }
}

async function isHolderAlive(path: string, holder: LockRecord): Promise<boolean> {
  if (isLocal(holder) && !(isRunning(holder) && isCopied(path, holder))) return isRunning(holder);
  const before = findModifiedMs(path);
  return waitUntil(() => findModifiedMs(path) !== before, HEARTBEAT_LIMIT_MS);
}

/** Whether the pid of the holder is valid on this machine. */
function isLocal(holder: LockRecord): boolean {
  return holder.realm === getOwnIdentity().realm;
}

function isCopied(path: string, { inode }: LockRecord): boolean {
  return inode !== undefined && inode !== findInode(path);
}

/** Removes only the stale lock that was read. A lock that a faster service has written meanwhile is put back. */
function clearStale(path: string, staleText: string, nonce: string): void {
  const aside = `${path}.stale.${nonce}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return;
    throw error;
  }
  try {
    if (readLock(aside) !== staleText) linkSync(aside, path);
  } catch (error) {
    if (findErrorCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parseLock(text: string): LockRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is LockRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, startTime, realm, nonce } = value as Partial<Record<keyof LockRecord, unknown>>;
  return (
    typeof pid === 'number' &&
    typeof startTime === 'string' &&
    typeof realm === 'string' &&
    typeof nonce === 'string'
  );
}

function findModifiedMs(path: string): number | undefined {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return undefined;
  }
}
