import type { PublicContext } from '#core/context.ts';
import { Answer } from '#core/operation.ts';
import { findDatabaseState } from '#domain/info/store.ts';

/** `GET /info/health-db`. */
export async function checkDatabase(_input: unknown, context: PublicContext) {
  const db = await findDatabaseState(context.sql, context.database);
  if (db === 'unreachable') return new Answer(503, { status: 'unavailable', db });
  return { status: db === 'connected' ? 'ok' : 'degraded', db };
}
