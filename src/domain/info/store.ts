import type { Sql } from '#core/sql.ts';

/** Whether the database answers at all; it never throws. */
export async function databaseAnswers(sql: Sql): Promise<boolean> {
  return sql.query(`select 1`).then(
    () => true,
    () => false,
  );
}
