import type { Sql } from '#core/sql.ts';

export interface PasskeyRow {
  readonly id: string;
  readonly name: string | null;
  readonly created_at: string | null;
}

export async function selectPasskeys(sql: Sql, userId: string): Promise<PasskeyRow[]> {
  return sql.query<PasskeyRow>(
    `select id, name, created_at from passkeys where user_id = $1 order by created_at, id`,
    [userId],
  );
}

/** Returns whether a passkey of that id existed. */
export async function deletePasskey(
  sql: Sql,
  passkey: { readonly id: string; readonly userId: string },
): Promise<boolean> {
  const rows = await sql.query(`delete from passkeys where id = $1 and user_id = $2 returning id`, [
    passkey.id,
    passkey.userId,
  ]);
  return rows.length > 0;
}
