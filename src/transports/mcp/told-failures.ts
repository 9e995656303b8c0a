/** What the tool protocol tells a client about a failure. */
import type { Failure } from '#core/failures.ts';
import { buildErrorBody } from '../rest/errors.ts';

/** The failure as a client may see it; for an internal error only the request id. */
export function buildPublicBody(failure: Failure, requestId: string): Record<string, unknown> {
  const body = buildErrorBody(failure, requestId);
  return failure.code === 'internal_error' ? { ...body, error: 'internal error' } : body;
}
