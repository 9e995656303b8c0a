/** Explains to the operator why the database cannot be used, in one sentence without the password of its address. */
import { findErrorCode, getErrorMessage } from '#core/records.ts';
import { EmbeddedPostgresError } from '#adapters/postgres/embedded/errors.ts';
import { UnsuitableServerError } from '#adapters/postgres/durability.ts';
import { MigrationError } from '#adapters/postgres/migrate.ts';
import { DatabaseUnavailableError } from '#core/sql.ts';
import type { Settings } from '#settings/settings.ts';
import { CommandError } from './command-error.ts';
import { statfsSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { DATABASE_DISK_FULL, isOutOfSpace } from '#core/out-of-space.ts';

interface Server {
  readonly address: string;
  readonly user: string;
  readonly database: string;
}

/** Converts an error of opening the database to a sentence; returns any other error unchanged. */
export function explainDatabase(error: unknown, { databaseUrl, dataDir }: Settings): unknown {
  if (error instanceof CommandError) return error;
  const fullDisk = explainFullDisk(error, { databaseUrl, dataDir });
  if (fullDisk !== undefined) return fullDisk;
  if (error instanceof EmbeddedPostgresError || error instanceof MigrationError)
    return new CommandError(error.message);
  if (databaseUrl === null) return explainEmbedded(error, dataDir);
  const server = parseServer(databaseUrl);
  if (error instanceof UnsuitableServerError) return new CommandError(`DATABASE_URL: ${error.message}`);
  const cause = error instanceof DatabaseUnavailableError ? error.cause : error;
  if (isAboutFiles(cause))
    return new CommandError(`DATABASE_URL: ${getErrorMessage(cause)}; correct the path.`);
  const reason = explainCode(findErrorCode(cause), server) ?? explainMessage(getErrorMessage(cause), server);
  if (reason !== undefined) return new CommandError(`DATABASE_URL: ${reason}.`);
  if (!(error instanceof DatabaseUnavailableError)) return error;
  return new CommandError(`DATABASE_URL: the server at ${server.address} cannot be used now; try again.`);
}

function explainEmbedded(error: unknown, dataDir: string): unknown {
  if (
    error instanceof DatabaseUnavailableError ||
    error instanceof UnsuitableServerError ||
    isAboutFiles(error)
  )
    return new CommandError(
      `The embedded database in DATA_DIR ${dataDir} cannot be used: ${getErrorMessage(error)}; its log is postgres/postgres.log there.`,
    );
  return error;
}

/** True for errors about files: of the data directory, or a certificate that the address names. */
function isAboutFiles(error: unknown): boolean {
  return error instanceof Error && 'path' in error && 'syscall' in error && error.syscall !== 'connect';
}

function parseServer(databaseUrl: string): Server {
  const { hostname, port, username, pathname, searchParams } = new URL(databaseUrl);
  const host = searchParams.get('host') ?? hostname;
  const user = decodeReadable(username);
  return {
    address: `${host === '' ? 'localhost' : host}:${port === '' ? '5432' : port}`,
    user: user === '' ? 'of this account' : user,
    database: decodeReadable(pathname.slice(1)),
  };
}

function decodeReadable(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

function explainCode(code: string | undefined, { address, user, database }: Server): string | undefined {
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host of ${address} cannot be found by its name; correct it`;
    case 'ECONNREFUSED':
    case 'ENOENT':
      return `nothing accepts connections at ${address}; start the server or correct the address`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EHOSTDOWN':
    case 'ENETDOWN':
    case 'ETIMEDOUT':
      return `${address} cannot be reached from this machine; correct the address or open the network path to it`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `what answers at ${address} closed the connection; check that it is a PostgreSQL server`;
    case '28P01':
    case '28000':
      return `the server at ${address} rejects the user ${user}; correct user and password`;
    case '3D000':
      return `there is no database ${database} at ${address}; create it or correct the name`;
    case '42501':
      return `the user ${user} may not create tables in the database ${database}; grant it that right`;
    case '25006':
      return `the server at ${address} is read-only, such as a standby; name the primary`;
    case '57P03':
      return `the server at ${address} is starting or stopping; try again when it accepts connections`;
    case '53300':
      return `the server at ${address} has no connection left; raise max_connections or lower DATABASE_POOL_SIZE`;
    case 'ERR_INVALID_URL':
      return 'it is not a valid address; write postgres://user:password@host:5432/database';
    default:
      return undefined;
  }
}

/** Explains driver errors that have no code. */
function explainMessage(message: string, { address, user }: Server): string | undefined {
  if (/^timeout expired|^timeout exceeded|^Query read timeout/.test(message))
    return `what listens at ${address} did not answer as a PostgreSQL server in time; correct the address or find the program that uses it`;
  if (/^Connection terminated|^Received unexpected|^Unknown (?:auth|message)/i.test(message))
    return `what answers at ${address} closed the connection and may be no PostgreSQL server; correct the address`;
  if (/SCRAM|SASL|password/i.test(message))
    return `the server at ${address} wants a password of the user ${user}; put it into the address`;
  if (/SSL/.test(message))
    return `the connection to ${address} cannot be encrypted as asked; correct sslmode and its certificates`;
  if (message.startsWith('URI malformed'))
    return 'it is not percent-encoded; write special characters of the password as %XX';
  return undefined;
}

/** Explains to the operator in one sentence that a disk is full, whichever part of a start found it first. */

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
