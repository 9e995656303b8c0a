/** The log: JSON lines, in which an error says what failed and where, and never what a row or a request held. */
import pino, { type DestinationStream, type Logger } from 'pino';

export function createLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, base: undefined, serializers: { err: errorForLog } }, destination);
}

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** Named members only: a database error also carries the values of the row that it refused. */
function errorForLog(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  return {
    type: error.name,
    message: error.message,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause instanceof Error ? { cause: errorForLog(error.cause) } : {}),
  };
}
