/** The log: JSON lines. An error is logged by type and place, never with the content of a row or a request. */
import pino, { type DestinationStream, type Logger } from 'pino';

export function createLogger(level: string, destination: DestinationStream): Logger {
  return pino({ level, base: undefined, serializers: { err: toLoggedError } }, destination);
}

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** Logs named members only, because a database error also carries the values of the rejected row. */
function toLoggedError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  return {
    type: error.name,
    message: error.message,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause instanceof Error ? { cause: toLoggedError(error.cause) } : {}),
  };
}
