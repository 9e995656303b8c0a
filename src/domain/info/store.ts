import type { Sql } from '#core/sql.ts';

/** Returns whether the database answers; never throws. */
export async function isDatabaseAnswering(sql: Sql): Promise<boolean> {
  return sql.query(`select 1`).then(
    () => true,
    () => false,
  );
}
