import type { PublicContext } from '#core/context.ts';
import { Answer } from '#core/operation.ts';
import { isDatabaseAnswering } from '#domain/info/store.ts';

/** `GET /info/health-db`. */
export async function checkDatabase(_input: unknown, context: PublicContext) {
  const answers = await isDatabaseAnswering(context.sql);
  return answers
    ? { status: 'ok', db: 'connected' }
    : new Answer(503, { status: 'unavailable', db: 'unreachable' });
}
