/** The log: JSON lines. An error is logged by type and place, never with the content of a row or a request. */
import pino, { type DestinationStream, type Logger } from 'pino';
import { getFailureSentence, type Failure } from '#core/failures.ts';

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

/**
 * Writes a failure to the log, whichever transport answered it: the sentence of its code without its values, because
 * client input, even an address, may hold a secret.
 */
export function logFailure(log: Logger, entry: Readonly<Record<string, unknown>>, failure: Failure): void {
  const { code, status, detail } = failure;
  log[chooseLevel(failure)]({ ...entry, code, status, detail }, getFailureSentence(code));
}

/** An error needs somebody who looks at it: a failure that settles itself is a warning. */
function chooseLevel({ code, status, settlesItself }: Failure): 'error' | 'warn' | 'debug' {
  if (settlesItself) return 'warn';
  return status >= 500 && code !== 'payment_rail_not_served' ? 'error' : 'debug';
}
