import type { ReadContext } from '#core/context.ts';
import { findDatabaseState } from './store.ts';

/** `GET /info/health-db`. The door answers while the database cannot be reached. */
export async function checkDatabase(_input: unknown, { sql, database, rawFiles }: ReadContext) {
  const db = await findDatabaseState(sql, database);
  const isFull = rawFiles.blobs.isDiskFull();
  return {
    status: db === 'connected' && !isFull ? 'ok' : 'degraded',
    db,
    ...(isFull ? { raw_files: 'disk_full' } : {}),
  };
}
