import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { Role } from '#core/permissions.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { LabScope, OrganizationScope } from '#core/scope.ts';
import { getExactlyOne, getFirst, type Sql } from '#core/sql.ts';

export function listMemberPage(scope: OrganizationScope, sql: Sql, query: ListQuery): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: `m.user_id, u.email, u.name, m.role, u.email_verified as is_address_proven,
        ${writeWireTime('m.created_at')} as joined_at`,
      from: 'memberships m',
      alias: 'm',
      joins: [{ alias: 'u', sql: 'join users u on u.id = m.user_id' }],
      where: 'm.organization_id = $1',
      values: [scope.organizationId],
    },
    query,
  );
}

export interface MemberRow {
  readonly user_id: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly is_address_proven: boolean;
  readonly joined_at: string;
}

/** Locks the administrators of the organization until the transaction ends. */
export async function lockAdministration(scope: OrganizationScope, sql: Sql): Promise<void> {
  await sql.query(`select id from organizations where id = $1 for no key update`, [scope.organizationId]);
}

export async function findMember(
  scope: OrganizationScope,
  sql: Sql,
  userId: string,
): Promise<MemberRow | undefined> {
  return getFirst(
    await sql.query<MemberRow>(
      `select m.user_id, u.email, u.name, m.role, u.email_verified as is_address_proven, m.created_at as joined_at
       from memberships m join users u on u.id = m.user_id where m.organization_id = $1 and m.user_id = $2`,
      [scope.organizationId, userId],
    ),
  );
}

export async function countOtherAdministrators(
  scope: OrganizationScope,
  sql: Sql,
  userId: string,
): Promise<number> {
  const rows = await sql.query<{ n: number }>(
    `select count(*) as n from memberships where organization_id = $1 and role = 'admin' and user_id <> $2`,
    [scope.organizationId, userId],
  );
  return getExactlyOne(rows).n;
}

/** Revokes every token of a person, in all organizations. */
export async function revokeTokensOfPerson(
  _lab: LabScope,
  sql: Sql,
  userId: string,
  at: Date,
): Promise<void> {
  await sql.query(
    `with held as materialized (
       select id from tokens where user_id = $1 and revoked_at is null order by id for no key update)
     update tokens set revoked_at = $2 where id in (select id from held)`,
    [userId, at],
  );
}

/** Ends the membership and every token that the member has here; returns how many tokens were active. */
export async function deleteMembership(
  scope: OrganizationScope,
  sql: Sql,
  userId: string,
  at: Date,
): Promise<number> {
  const values = [scope.organizationId, userId];
  await sql.query(`delete from memberships where organization_id = $1 and user_id = $2`, values);
  await sql.query(`delete from partners where organization_id = $1 and user_id = $2`, values);
  const revoked = await sql.query(
    `with held as materialized (
       select id from tokens where organization_id = $1 and user_id = $2 and revoked_at is null
       order by id for no key update)
     update tokens set revoked_at = $3 where id in (select id from held)
       and (expires_at is null or expires_at > $3) returning id`,
    [...values, at],
  );
  return revoked.length;
}
