/** When to come again: every answer of 429 and 503 says it, RFC 9110 §10.2.3. */
import type { FastifyInstance } from 'fastify';

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
