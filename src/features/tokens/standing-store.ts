/** Which of many tokens are still valid, for connections that stay open. */
import type { Role, StaffRole } from '#core/permissions.ts';
import type { LabScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';

interface Held {
  readonly tokenId: string;
  readonly organizationId: string;
  readonly userId: string;
}

/** What the holder of a token is now. */
export interface Standing {
  readonly role: Role;
  readonly staffRoles: readonly StaffRole[];
}

/** Selects by their ids the tokens that are not revoked, nor any ancestor, and whose holders are members still. */
export async function selectStandingTokens(
  _lab: LabScope,
  sql: Sql,
  held: readonly Held[],
): Promise<ReadonlyMap<string, Standing>> {
  const rows = await sql.query<{ id: string; role: Role; staff_roles: readonly StaffRole[] }>(
    `select t.id, m.role, u.staff_roles
     from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as asked (id, organization_id, user_id)
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
  return new Map(rows.map(({ id, role, staff_roles: staffRoles }) => [id, { role, staffRoles }]));
}
