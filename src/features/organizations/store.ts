import { getExactlyOne, getFirst, type Sql } from '#core/sql.ts';
import { expression, insertInto } from '#core/write-rows.ts';
import { getOrganizationId, type LabScope, type OrganizationScope, type Scope } from '#core/scope.ts';
import { getGrantedRole, type Grant } from '#core/grants.ts';
import type { Role } from '#core/permissions.ts';

export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
}

export interface NewOrganization extends OrganizationRow {
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

export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  /** True when the person has opened a link that was sent to the address. */
  readonly isVerified?: boolean;
  readonly createdAt: Date;
}

export async function insertUser(sql: Sql, user: NewUser): Promise<void> {
  await sql.query(
    ...insertInto('users', {
      id: user.id,
      email: expression`lower(${user.email})`,
      name: user.name,
      email_verified: user.isVerified ?? false,
      created_at: user.createdAt,
      updated_at: user.createdAt,
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
  membership: { userId: string; at: Date },
): Promise<void> {
  const role = getGrantedRole(scope, grant);
  await sql.query(
    ...insertInto(
      'memberships',
      {
        organization_id: scope.organizationId,
        user_id: membership.userId,
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
