/** Whether whoever asked is still there: for pages and every other answer that takes time. */
import type { FastifyReply } from 'fastify';

/**
 * Returns a signal that is aborted when the client goes before it has its answer. The signal of the framework is aborted
 * as soon as the request has arrived.
 */
export function watchClient({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  else
    raw.once('close', () => {
      if (!raw.writableFinished) gone.abort();
    });
  return gone.signal;
}
