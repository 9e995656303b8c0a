/** Turns any error into the failure that a client may see. */
import { findErrorCode, getErrorMessage } from '#core/records.ts';
import type { IncomingMessage } from 'node:http';
import { fail, Failure } from '#core/failures.ts';
import { FilterError } from '#core/filter/index.ts';
import type { Operation } from '#core/operation.ts';
import { isOutOfSpace } from '#core/out-of-space.ts';
import { DatabaseUnavailableError } from '#core/sql.ts';
import type { FastifyInstance } from 'fastify';

/** SQL states of the statement limit and the lock limit. A slow list has become `query_too_expensive` before this. */
const TIMEOUTS: ReadonlySet<string | undefined> = new Set(['57014', '55P03']);
/** Somebody has to make room first. */
const DISK_FULL_RETRY_S = 60;
/** Error codes of a body whose connection ended. */
const BROKEN_OFF: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

export const PROBLEM_MEDIA = 'application/problem+json';

const UNREADABLE_TYPE = 'FST_ERR_CTP_INVALID_MEDIA_TYPE';

/**
 * Facts about the request that failed: whether its body may be of any type, and whether the body arrived completely.
 */
interface FailedRequest {
  readonly servedRoute: {
    readonly config: {
      readonly isUpload?: boolean;
      readonly takesText?: boolean;
      readonly outage?: Operation['outage'];
    };
  } | null;
  readonly raw: Pick<IncomingMessage, 'complete'>;
}

export function toFailure(error: unknown, request?: FailedRequest): Failure {
  const { isUpload = false, takesText = false, outage } = request?.servedRoute?.config ?? {};
  if (error instanceof Failure) return error;
  if (request?.raw.complete === false && BROKEN_OFF.has(findErrorCode(error)))
    return fail('upload_broken_off', {}, { cause: error });
  if (error instanceof FilterError) {
    const problems = [{ path: error.path, message: error.reason }];
    return fail('invalid_query', { reason: error.message }, { problems, cause: error });
  }
  if (isOutOfSpace(error)) return createDiskFullFailure(error, outage);
  if (error instanceof DatabaseUnavailableError) {
    const headers = { 'retry-after': String(error.retryAfterSeconds) };
    // For the log alone: why the database refuses, such as a full disk, and what to do.
    const detail =
      error.noWrites === null ? {} : { detail: `The database takes no writes: ${error.noWrites}.` };
    const options = { headers, cause: error, ...detail };
    if (error.isBusy) return fail('overloaded', {}, options);
    return fail('database_unavailable', {}, { ...options, extra: outage ?? {} });
  }
  const code = findErrorCode(error);
  if (TIMEOUTS.has(code)) return fail('overloaded', {}, { headers: { 'retry-after': '1' }, cause: error });
  const isUnreadable = (isUpload || takesText) && code === UNREADABLE_TYPE;
  return createFailureForCode(isUnreadable ? 'content_type_unreadable' : code, error);
}

/** The log says which disk it is: no client sees paths of the service. */
function createDiskFullFailure(cause: unknown, outage: Operation['outage']): Failure {
  const isOfDatabase = cause instanceof DatabaseUnavailableError;
  const retryAfterS = isOfDatabase ? cause.retryAfterSeconds : DISK_FULL_RETRY_S;
  const reason = isOfDatabase
    ? `The database takes no writes: ${cause.noWrites ?? 'its disk is full'}.`
    : `${getErrorMessage(cause)}: make room on that disk, or raise the quota.`;
  return fail('disk_full', { retry_after: retryAfterS }, { cause, detail: reason, extra: outage ?? {} });
}

function createFailureForCode(code: string | undefined, cause: unknown): Failure {
  switch (code) {
    case UNREADABLE_TYPE:
      return fail('body_not_json', {}, { cause });
    case 'content_type_unreadable':
      return fail('content_type_unreadable', {}, { cause });
    case 'FST_ERR_BAD_URL':
      return fail('invalid_request', { reason: 'the address is not readable.' }, { cause });
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return fail('address_too_long', {}, { cause });
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      return fail('invalid_request', { reason: 'the header Content-Type is missing.' }, { cause });
    default:
      return fail(
        'internal_error',
        {},
        { cause, detail: cause instanceof Error ? (cause.stack ?? '') : String(cause) },
      );
  }
}

/** Builds the body of every 4xx and 5xx answer. */
export function buildErrorBody(failure: Failure, requestId: string): Record<string, unknown> {
  return { ...listErrorMembers(failure, requestId), ...failure.extra };
}

/** The failure as a client may see it; for an internal error only the request id. */
export function buildPublicBody(failure: Failure, requestId: string): Record<string, unknown> {
  const body = buildErrorBody(failure, requestId);
  return failure.code === 'internal_error' ? { ...body, error: 'internal error' } : body;
}

function listErrorMembers(failure: Failure, requestId: string): Record<string, unknown> {
  return {
    error: failure.message,
    request_id: requestId,
    code: failure.code,
    ...(failure.problems.length > 0 ? { problems: failure.problems } : {}),
  };
}

/** The documentation of a failure is below this path, by its code. */
export const ERROR_DOCS_PATH = '/docs/errors';

/** Whether `Accept` names the problem form and does not exclude it by `q=0`. */
export function isProblemFormAsked(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((range) => {
    const [media = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return media === PROBLEM_MEDIA && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

/** RFC 9457, only for callers that ask for it; its own `status` wins over another of that name. */
export function buildProblemBody(
  failure: Failure,
  requestId: string,
  baseUrl: string,
): Record<string, unknown> {
  return {
    ...failure.extra,
    type: `${baseUrl}${ERROR_DOCS_PATH}/${failure.code}`,
    title: failure.message,
    status: failure.status,
    instance: requestId,
    ...listErrorMembers(failure, requestId),
  };
}

/** When to come again: every answer of 429 and 503 says it, RFC 9110 §10.2.3. */

const TEMPORARY_REFUSALS: ReadonlySet<number> = new Set([429, 503]);
/** For an answer that knows nothing more: a place is usually free by then. */
const RETRY_AFTER_S = 2;

/** Whether a status asks the client to send the same request later. */
export function isTemporaryRefusal(status: number): boolean {
  return TEMPORARY_REFUSALS.has(status);
}

/** Adds the header where nobody has set it. */
export function addRetryAfter(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isTemporaryRefusal(reply.statusCode) && !reply.hasHeader('retry-after'))
      reply.header('retry-after', String(RETRY_AFTER_S));
    done(null, payload);
  });
}
