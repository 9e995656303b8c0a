/** What the tool protocol says about a failure, to the client and in the log. */
import type { Logger } from 'pino';
import { getFailureSentence, type Failure } from '#core/failures.ts';
import { buildErrorBody } from '../rest/errors.ts';

/** The failure as a client may see it; for an internal error only the request id. */
export function buildPublicBody(failure: Failure, requestId: string): Record<string, unknown> {
  const body = buildErrorBody(failure, requestId);
  return failure.code === 'internal_error' ? { ...body, error: 'internal error' } : body;
}

export function logFailure(log: Logger, entry: Readonly<Record<string, unknown>>, failure: Failure): void {
  const told = { ...entry, code: failure.code, status: failure.status, detail: failure.detail };
  if (failure.status >= 500 && failure.code !== 'payment_rail_not_served')
    log.error(told, getFailureSentence(failure.code));
  else log.debug(told, getFailureSentence(failure.code));
}
