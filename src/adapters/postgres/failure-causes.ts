/** Finds out why a database cannot be used, in words without the password of its address. */
import { statfsSync } from 'node:fs';
import { DATABASE_DISK_FULL, isOutOfSpace } from '#core/out-of-space.ts';
import { findErrorCode, getErrorMessage } from '#core/records.ts';

interface Server {
  readonly address: string;
  readonly user: string;
  readonly database: string;
}

/** What PostgreSQL and its programs write of a write that the disk or a quota refuses. */
const REFUSED = /No space left on device|Disk quota exceeded/;
/** PostgreSQL ends when it cannot make the next file of its log, which has this size. */
const LOG_FILE_BYTES = 16 * 1024 * 1024;

/** Why the server of the address refuses a connection; the reason is undefined where nobody knows it. */
export function describeServerFailure(
  cause: unknown,
  databaseUrl: string,
): { readonly address: string; readonly reason: string | undefined } {
  const server = parseServer(databaseUrl);
  const reason = explainCode(findErrorCode(cause), server) ?? explainMessage(getErrorMessage(cause), server);
  return { address: server.address, reason };
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

/** Whether the disk of the database server is full. */
export function isOfFullDatabase(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === DATABASE_DISK_FULL) || isOfFullDatabase(error.cause);
}

/** Whether a disk of this machine refused a write, by code or by what programs wrote. */
export function isOutOfRoom(error: unknown): boolean {
  return isOutOfSpace(error) || isSaid(error);
}

function isSaid(error: unknown): boolean {
  return error instanceof Error && (REFUSED.test(error.message) || isSaid(error.cause));
}

/** The file that an error is about. */
export function findPath(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'path' in error && typeof error.path === 'string' ? error.path : findPath(error.cause);
}

export function isAlmostFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < LOG_FILE_BYTES;
  } catch {
    return false;
  }
}
