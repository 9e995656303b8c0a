import { getExactlyOne, getFirst, type Sql } from '#core/sql.ts';
import { expression, insertInto, insertOwned } from '#core/write-rows.ts';
import { getOrganizationId, type LabScope, type OrganizationScope, type Scope } from '#core/scope.ts';
import { getGrantedRole, type Grant } from '#core/grants.ts';
import type { Role } from '#core/permissions.ts';
import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';

interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
}

interface NewOrganization extends OrganizationRow {
  readonly createdAt: Date;
}

export async function insertOrganization(sql: Sql, organization: NewOrganization): Promise<void> {
  const { id, name, slug, createdAt } = organization;
  await sql.query(...insertInto('organizations', { id, name, slug, created_at: createdAt }));
}

/**
 * Locks out other inserts until the transaction ends, so that two processes starting at once agree on one
 * organization.
 */
export async function lockOrganizations(sql: Sql): Promise<void> {
  await sql.query(`lock table organizations in share row exclusive mode`);
}

export async function findOrganizationBySlug(sql: Sql, slug: string): Promise<OrganizationRow | undefined> {
  return getFirst(
    await sql.query<OrganizationRow>(`select id, name, slug from organizations where slug = $1`, [slug]),
  );
}

export async function selectTakenSlugs(sql: Sql, slugs: readonly string[]): Promise<string[]> {
  const rows = await sql.query<{ slug: string }>(`select slug from organizations where slug = any($1)`, [
    slugs,
  ]);
  return rows.map(({ slug }) => slug);
}

export async function selectOrganizationName(scope: Scope, sql: Sql): Promise<string> {
  const rows = await sql.query<{ name: string }>(`select name from organizations where id = $1`, [
    getOrganizationId(scope),
  ]);
  return getExactlyOne(rows).name;
}

interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  /** True when the person has opened a link that was sent to the address. */
  readonly is_verified?: boolean;
  readonly created_at: Date;
}

export async function insertUser(sql: Sql, { is_verified: isVerified, ...user }: NewUser): Promise<void> {
  await sql.query(
    ...insertInto('users', {
      ...user,
      email: expression`lower(${user.email})`,
      email_verified: isVerified ?? false,
      updated_at: user.created_at,
    }),
  );
}

export async function findUserByEmail(sql: Sql, email: string): Promise<{ id: string } | undefined> {
  return getFirst(await sql.query<{ id: string }>(`select id from users where email = lower($1)`, [email]));
}

export async function setMembership(
  scope: OrganizationScope,
  sql: Sql,
  grant: Grant,
  membership: { user_id: string; at: Date },
): Promise<void> {
  const role = getGrantedRole(scope, grant);
  await sql.query(
    ...insertOwned(
      scope,
      'memberships',
      {
        user_id: membership.user_id,
        role,
        created_at: membership.at,
      },
      'on conflict (organization_id, user_id) do update set role = excluded.role',
    ),
  );
}

/** Reads every organization of the person. Only `whoami` shows more than the active one. */
export async function findUser(sql: Sql, id: string): Promise<{ email: string } | undefined> {
  return getFirst(await sql.query<{ email: string }>(`select email from users where id = $1`, [id]));
}

export async function selectOrganizationsOfUser(
  _lab: LabScope,
  sql: Sql,
  userId: string,
): Promise<(OrganizationRow & { role: Role })[]> {
  return sql.query(
    `select o.id, o.name, o.slug, m.role from memberships m join organizations o on o.id = m.organization_id
     where m.user_id = $1 order by o.name, o.id`,
    [userId],
  );
}

export async function selectMemberRole(
  scope: OrganizationScope,
  sql: Sql,
  userId: string,
): Promise<Role | undefined> {
  const rows = await sql.query<{ role: Role }>(
    `select role from memberships where organization_id = $1 and user_id = $2`,
    [scope.organizationId, userId],
  );
  return getFirst(rows)?.role;
}

export async function renameOrganization(scope: OrganizationScope, sql: Sql, name: string): Promise<void> {
  await sql.query(`update organizations set name = $2 where id = $1`, [scope.organizationId, name]);
}

/** Selects the person who was the first administrator of the environment, whatever their current address. */
export async function selectFirstAdministrator(
  scope: OrganizationScope,
  sql: Sql,
): Promise<{ user_id: string } | undefined> {
  return getFirst(
    await sql.query<{ user_id: string }>(
      `select m.user_id from memberships m join users u on u.id = m.user_id
       where m.organization_id = $1 and m.role = 'admin' and u.is_staff
       order by u.created_at, u.id limit 1`,
      [scope.organizationId],
    ),
  );
}

/** `$1` is the installation, which has a row of its own and orders nothing. */
export function listOrganizationsPage(
  _lab: LabScope,
  sql: Sql,
  query: ListQuery,
  installationId: string,
): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: `o.id, o.name, o.slug, b.legal_name, b.country,
        (select count(*) from memberships m where m.organization_id = o.id) as member_count,
        (select count(*) from experiments e where e.organization_id = o.id) as experiment_count,
        (select coalesce(sum(i.total_cents), 0)::bigint from invoices i
          where i.organization_id = o.id and i.status = 'open') as owed_cents,
        ${writeWireTime('o.created_at')} as created_at`,
      from: 'organizations o',
      alias: 'o',
      joins: [{ alias: 'b', sql: 'left join billing_profiles b on b.organization_id = o.id' }],
      where: 'o.id <> $1::uuid',
      values: [installationId],
    },
    query,
  );
}

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
