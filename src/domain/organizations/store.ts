import { createHash } from 'node:crypto';
import { exactlyOne, first, type Sql } from '#core/sql.ts';
import { organizationOf, type OrganizationScope, type Scope } from '#core/scope.ts';
import type { Role } from '#core/permissions.ts';

export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
}

export interface NewOrganization extends OrganizationRow {
  readonly createdAt: Date;
}

export async function insertOrganization(
  _lab: Scope,
  sql: Sql,
  organization: NewOrganization,
): Promise<void> {
  await sql.query(`insert into organizations (id, name, slug, created_at) values ($1, $2, $3, $4)`, [
    organization.id,
    organization.name,
    organization.slug,
    organization.createdAt,
  ]);
}

/** Until the transaction ends nobody else adds an organization: two processes starting at once agree on one. */
export async function lockOrganizations(_lab: Scope, sql: Sql): Promise<void> {
  await sql.query(`lock table organizations in share row exclusive mode`);
}

export async function findOrganizationBySlug(
  _lab: Scope,
  sql: Sql,
  slug: string,
): Promise<OrganizationRow | undefined> {
  return first(
    await sql.query<OrganizationRow>(`select id, name, slug from organizations where slug = $1`, [slug]),
  );
}

export async function takenSlugs(_lab: Scope, sql: Sql, slugs: readonly string[]): Promise<string[]> {
  const rows = await sql.query<{ slug: string }>(`select slug from organizations where slug = any($1)`, [
    slugs,
  ]);
  return rows.map(({ slug }) => slug);
}

/** Answers whether the person was none yet. */
export async function makeStaff(_lab: Scope, sql: Sql, userId: string): Promise<boolean> {
  const rows = await sql.query(
    `update users set is_staff = true where id = $1 and not is_staff returning id`,
    [userId],
  );
  return rows.length > 0;
}

export async function organizationName(scope: Scope, sql: Sql): Promise<string> {
  const rows = await sql.query<{ name: string }>(`select name from organizations where id = $1`, [
    organizationOf(scope),
  ]);
  return exactlyOne(rows).name;
}

export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly isStaff: boolean;
  readonly createdAt: Date;
}

export async function insertUser(_lab: Scope, sql: Sql, user: NewUser): Promise<void> {
  await sql.query(`insert into users (id, email, name, is_staff, created_at) values ($1, $2, $3, $4, $5)`, [
    user.id,
    user.email,
    user.name,
    user.isStaff,
    user.createdAt,
  ]);
}

export async function findUserByEmail(
  _lab: Scope,
  sql: Sql,
  email: string,
): Promise<{ id: string } | undefined> {
  return first(
    await sql.query<{ id: string }>(`select id from users where lower(email) = lower($1)`, [email]),
  );
}

export async function setMembership(
  scope: OrganizationScope,
  sql: Sql,
  membership: { userId: string; role: Role; at: Date },
): Promise<void> {
  await sql.query(
    `insert into memberships (organization_id, user_id, role, created_at) values ($1, $2, $3, $4)
     on conflict (organization_id, user_id) do update set role = excluded.role`,
    [organizationOf(scope), membership.userId, membership.role, membership.at],
  );
}

/** Every organization the person belongs to; whoami is the one place that looks beyond the active one. */
export async function organizationsOfUser(
  _own: Scope,
  sql: Sql,
  userId: string,
): Promise<(OrganizationRow & { role: Role })[]> {
  return sql.query(
    `select o.id, o.name, o.slug, m.role from memberships m join organizations o on o.id = m.organization_id
     where m.user_id = $1 order by o.name, o.id`,
    [userId],
  );
}

export interface BrowserSession {
  readonly organization_id: string;
  readonly user_id: string;
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export async function insertSignInLink(
  scope: OrganizationScope,
  sql: Sql,
  link: { secret: string; userId: string; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await sql.query(
    `insert into sign_in_links (digest, organization_id, user_id, created_at, expires_at) values ($1, $2, $3, $4, $5)`,
    [digestOf(link.secret), organizationOf(scope), link.userId, link.createdAt, link.expiresAt],
  );
}

/** Uses a link once; undefined when it is unknown, used or expired. */
export async function redeemSignInLink(
  _anyone: Scope,
  sql: Sql,
  secret: string,
  at: Date,
): Promise<BrowserSession | undefined> {
  const rows = await sql.query<BrowserSession>(
    `update sign_in_links set used_at = $2 where digest = $1 and used_at is null and expires_at > $2
     returning organization_id, user_id`,
    [digestOf(secret), at],
  );
  return first(rows);
}

export async function insertSession(
  scope: OrganizationScope,
  sql: Sql,
  session: { secret: string; userId: string; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await sql.query(
    `insert into sessions (digest, organization_id, user_id, created_at, expires_at) values ($1, $2, $3, $4, $5)`,
    [digestOf(session.secret), organizationOf(scope), session.userId, session.createdAt, session.expiresAt],
  );
}

export interface SessionStanding extends BrowserSession {
  readonly role: Role;
  readonly email: string;
  readonly is_staff: boolean;
  readonly organization_slug: string;
  readonly organization_name: string;
  readonly expires_at: string;
}

export async function findSession(
  _anyone: Scope,
  sql: Sql,
  secret: string,
  at: Date,
): Promise<SessionStanding | undefined> {
  const rows = await sql.query<SessionStanding>(
    `select s.organization_id, s.user_id, s.expires_at, m.role, u.email, u.is_staff, o.slug as organization_slug,
       o.name as organization_name
     from sessions s join users u on u.id = s.user_id join organizations o on o.id = s.organization_id
     join memberships m on m.organization_id = s.organization_id and m.user_id = s.user_id
     where s.digest = $1 and s.ended_at is null and s.expires_at > $2`,
    [digestOf(secret), at],
  );
  return first(rows);
}

export async function endSession(_anyone: Scope, sql: Sql, secret: string, at: Date): Promise<void> {
  await sql.query(`update sessions set ended_at = $2 where digest = $1 and ended_at is null`, [
    digestOf(secret),
    at,
  ]);
}
