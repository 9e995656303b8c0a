/** Which of many tokens are still valid, for connections that stay open. */
import type { LabScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';

interface Held {
  readonly tokenId: string;
  readonly organizationId: string;
  readonly userId: string;
}

interface Standing {
  readonly isStaff: boolean;
}

/** Selects by their ids the tokens that are not revoked, nor any ancestor, and whose holders are members still. */
export async function selectStandingTokens(
  _lab: LabScope,
  sql: Sql,
  held: readonly Held[],
): Promise<ReadonlyMap<string, Standing>> {
  const rows = await sql.query<{ id: string; is_staff: boolean }>(
    `select t.id, cardinality(u.staff_roles) > 0 as is_staff from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as asked (id, organization_id, user_id)
     join tokens t on t.id = asked.id and t.organization_id = asked.organization_id and t.user_id = asked.user_id
     join users u on u.id = t.user_id
     join memberships m on m.organization_id = t.organization_id and m.user_id = t.user_id
     where not exists (select 1 from tokens a where a.id = any (t.makers || t.path) and a.revoked_at is not null)`,
    [
      held.map(({ tokenId }) => tokenId),
      held.map(({ organizationId }) => organizationId),
      held.map(({ userId }) => userId),
    ],
  );
  return new Map(rows.map(({ id, is_staff: isStaff }) => [id, { isStaff }]));
}
