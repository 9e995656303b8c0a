import type { ReadContext } from '#core/context.ts';
import { findDatabaseState } from '#domain/info/store.ts';

/** `GET /info/health-db`. The door answers while the database cannot be reached. */
export async function checkDatabase(_input: unknown, { sql, database }: ReadContext) {
  const db = await findDatabaseState(sql, database);
  return { status: db === 'connected' ? 'ok' : 'degraded', db };
}
