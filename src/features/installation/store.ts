import type { Database, Sql } from '#core/sql.ts';

export type DatabaseState = 'connected' | 'read_only' | 'disk_full';

/** Asks the database what it can do now, a standby or a server that was made read-only included. */
export async function findDatabaseState(
  sql: Sql,
  database: Pick<Database, 'isDiskFull'>,
): Promise<DatabaseState> {
  const text = `select pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as "isReadOnly"`;
  const [row] = await sql.query<{ isReadOnly: boolean }>(text);
  if (row?.isReadOnly) return 'read_only';
  return database.isDiskFull() ? 'disk_full' : 'connected';
}
