import type { PublicContext } from '#core/context.ts';

/** `GET /info/health`: answers while the process serves requests; it asks nothing of the database. */
export async function checkHealth(_input: unknown, _context: PublicContext) {
  return { status: 'ok' };
}
