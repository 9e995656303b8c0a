/** When tokens were last used. */
import type { LabScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';

/** A token that another transaction holds is left to the next request, so that no request waits for this note. */
export async function touchToken(_lab: LabScope, sql: Sql, tokenId: string, at: Date): Promise<void> {
  await sql.query(
    `update tokens set last_used_at = $2
     where id = (select id from tokens where id = $1 for no key update skip locked)`,
    [tokenId, at],
  );
}
