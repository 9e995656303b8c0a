/** The private directory of the server's socket. */
import { findErrorCode } from '#core/records.ts';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Account, canReach } from './account.ts';

/** The kernel limits a socket path to about 100 bytes: `/.s.PGSQL.5432.lock` must still fit after this directory. */
const MAX_DIRECTORY_BYTES = 70;
const RECORD_FILE = 'socket-directory';

/**
 * Makes or finds the directory and writes its path into the data directory. The path is short even when that of the
 * data directory is long. Its name follows from the data directory; when another user has that name, a random one is
 * used.
 */
export function prepareSocketDirectory(dataDir: string, account: Account): string {
  const digest = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const name = `assayer-pg-${digest}`;
  const recorded = findSocketDirectory(dataDir);
  // A copied data directory still names the socket of the original, through which both would reach one server.
  if (recorded !== undefined && basename(recorded).startsWith(name) && isOurs(recorded, account))
    return recorded;
  const prefix = join(chooseSocketParent(account), name);
  const directory = claimDirectory(prefix, account) ? prefix : mkdtempSync(`${prefix}-`);
  chmodSync(directory, 0o700);
  if (account.switched) chownSync(directory, account.uid, account.gid);
  writeFileSync(join(dataDir, RECORD_FILE), `${directory}\n`);
  return directory;
}

function chooseSocketParent(account: Account): string {
  const temporary = tmpdir();
  const short = Buffer.byteLength(temporary) + 'assayer-pg-'.length + 16 + 8 <= MAX_DIRECTORY_BYTES;
  return short && canReach(temporary, account) ? temporary : '/tmp';
}

/** Creates the directory, or accepts one of an earlier start that no other user could have changed. */
function claimDirectory(directory: string, account: Account): boolean {
  try {
    mkdirSync(directory, { mode: 0o700 });
    return true;
  } catch (error) {
    if (findErrorCode(error) !== 'EEXIST') throw error;
    return isOurs(directory, account);
  }
}

function isOurs(directory: string, account: Account): boolean {
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  return (
    stats !== undefined && stats.isDirectory() && stats.uid === account.uid && (stats.mode & 0o077) === 0
  );
}

/** The directory that the last start recorded; undefined when there is no usable record. */
export function findSocketDirectory(dataDir: string): string | undefined {
  try {
    const path = readFileSync(join(dataDir, RECORD_FILE), 'utf8').trim();
    return path.startsWith('/') && Buffer.byteLength(path) <= MAX_DIRECTORY_BYTES ? path : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Removes the socket of a server that has ended. Its lock file names a pid; if that is reused or not yet reaped, the
 * next server would refuse to start.
 */
export function clearStaleSocket(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (name.startsWith('.s.PGSQL.')) rmSync(join(directory, name), { force: true });
  }
}

/** Removes the directory after a clean stop; the next start creates it again. */
export function removeSocketDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}
