/** Classifies errors of the driver and the server. */
import { findErrorCode, getErrorMessage } from '#core/records.ts';
import { DATABASE_DISK_FULL } from '#core/out-of-space.ts';
import { DatabaseUnavailableError } from '#core/sql.ts';

/** Socket-level failures: the server does not exist or has gone. */
const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOENT',
  'EPIPE',
  'EAGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** admin_shutdown, crash_shutdown, cannot_connect_now. All of class 08 (connection) and 53 (resources) count. */
const SHUTDOWN_STATES = new Set(['57P01', '57P02', '57P03']);
/** Messages of driver errors that have no code. */
const DRIVER_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Query read timeout|timeout expired)/;
/** The server can be read and refuses to write; a new connection may reach the server that took its place. */
const READ_ONLY = '25006';
const NO_WRITES_RETRY_SECONDS = 10;
const SERIALIZATION_STATES = new Set(['40001', '40P01']);

/** Whether the error means that the database cannot be used now, for any statement. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true;
  if (!(error instanceof Error)) return false;
  const code = findErrorCode(error);
  if (code === undefined) return DRIVER_MESSAGES.test(error.message);
  if (SYSTEM_CODES.has(code) || SHUTDOWN_STATES.has(code) || code === READ_ONLY) return true;
  return code.length === 5 && (code.startsWith('08') || code.startsWith('53'));
}

const TIMED_OUT =
  /^(?:timeout exceeded when trying to connect|timeout expired|Connection terminated due to connection timeout|Query read timeout)/;

/** Whether a limit of this process passed before a connection answered. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && TIMED_OUT.test(error.message);
}

/** Whether the transaction lost against another one and may succeed when run again. */
export function isSerializationFailure(error: unknown): boolean {
  return SERIALIZATION_STATES.has(findErrorCode(error) ?? '');
}

/**
 * Whether a prepared statement has become stale through a schema change and must be prepared again, on a new
 * connection.
 */
export function isStalePlan(error: unknown): boolean {
  return (
    findErrorCode(error) === '0A000' &&
    error instanceof Error &&
    error.message.includes('cached plan must not change result type')
  );
}

/** Converts connection-level failures to the port's own error; returns every other error unchanged. */
export function translateError(error: unknown): unknown {
  if (error instanceof DatabaseUnavailableError || !isUnavailable(error)) return error;
  const detail = getErrorMessage(error);
  const noWrites = explainNoWrites(findErrorCode(error));
  return new DatabaseUnavailableError(`The database is not available now (${detail}).`, {
    cause: error,
    ...(noWrites === undefined ? {} : { noWrites, retryAfterSeconds: NO_WRITES_RETRY_SECONDS }),
  });
}

function explainNoWrites(code: string | undefined): string | undefined {
  switch (code) {
    case READ_ONLY:
      return 'it is read-only, such as a standby or a server with default_transaction_read_only; name the primary or switch that off';
    case DATABASE_DISK_FULL:
      return 'its disk is full; free space on the disk of the database';
    default:
      return undefined;
  }
}
