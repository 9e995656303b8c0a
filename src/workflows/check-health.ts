import type { PublicContext } from '#core/context.ts';
import { Answer } from '#core/operation.ts';

/** `GET /info/health-db`. */
export async function databaseHealth(_input: unknown, context: PublicContext) {
  const answers = await context.sql.query('select 1').then(
    () => true,
    () => false,
  );
  return answers ? { status: 'ok', db: 'ok' } : new Answer(503, { status: 'unavailable', db: 'unreachable' });
}
