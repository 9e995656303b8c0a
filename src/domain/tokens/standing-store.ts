/** Which of many tokens are still valid, for connections that stay open. */
import type { LabScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';

interface Held {
  readonly tokenId: string;
  readonly organizationId: string;
  readonly userId: string;
}

/** Selects the tokens that are not revoked, nor any ancestor, and whose holders are members still. */
export async function selectStandingTokens(
  _lab: LabScope,
  sql: Sql,
  held: readonly Held[],
): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ id: string }>(
    `select t.id from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as asked (id, organization_id, user_id)
     join tokens t on t.id = asked.id and t.organization_id = asked.organization_id and t.user_id = asked.user_id
     join memberships m on m.organization_id = t.organization_id and m.user_id = t.user_id
     where not exists (select 1 from tokens a where a.id = any (t.makers || t.path) and a.revoked_at is not null)`,
    [
      held.map(({ tokenId }) => tokenId),
      held.map(({ organizationId }) => organizationId),
      held.map(({ userId }) => userId),
    ],
  );
  return new Set(rows.map(({ id }) => id));
}
