/** Browser sessions, and the tokens through which they act in an organization. */
import { createHash } from 'node:crypto';
import { getGrantedRole, type Grant } from '#core/grants.ts';
import type { Role, StaffRole } from '#core/permissions.ts';
import type { LabScope, OrganizationScope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import { expression, insertOwnedWhere } from '#core/write-rows.ts';

export interface SessionStanding {
  readonly id: string;
  readonly user_id: string;
  readonly expires_at: string;
  readonly seen_at: string | null;
  readonly email: string;
  readonly name: string | null;
  readonly staff_roles: readonly StaffRole[];
  readonly is_partner: boolean;
  /** The session's organization; null when it has none or the person has left it. */
  readonly organization_id: string | null;
  readonly organization_name: string | null;
  readonly organization_slug: string | null;
  readonly role: Role | null;
  readonly token_id: string | null;
  readonly token_revoked: boolean;
}

/** Runs on every request, so that an ended session, a removed member or a lower role takes effect at once. */
export async function selectSessionStanding(
  _lab: LabScope,
  sql: Sql,
  token: string,
  at: Date,
): Promise<SessionStanding | undefined> {
  const rows = await sql.query<SessionStanding>(
    `select s.id, s.user_id, s.expires_at, s.seen_at, u.email, u.name, u.staff_roles, p.user_id is not null as is_partner,
       m.organization_id, o.name as organization_name, o.slug as organization_slug, m.role, t.id as token_id,
       t.revoked_at is not null as token_revoked
     from sessions s
     join users u on u.id = s.user_id
     left join memberships m on m.organization_id = s.active_organization_id and m.user_id = s.user_id
     left join organizations o on o.id = m.organization_id
     left join tokens t on t.session_id = s.id and t.organization_id = m.organization_id and t.client_id is null
     left join partners p on p.user_id = s.user_id and p.organization_id = m.organization_id
     where s.token = $1 and s.expires_at > $2`,
    [createHash('sha256').update(token).digest('base64url'), at],
  );
  return getFirst(rows);
}

/** Records when the session was last used, to the minute. */
export async function touchSession(sql: Sql, sessionId: string, at: Date): Promise<void> {
  await sql.query(`update sessions set seen_at = $2 where id = $1`, [sessionId, at]);
}

/** Selects the organization in which a new session starts: the last one used, else the first one joined. */
export async function selectHomeOrganization(
  _lab: LabScope,
  sql: Sql,
  userId: string,
): Promise<string | undefined> {
  const rows = await sql.query<{ organization_id: string }>(
    `select m.organization_id from memberships m
     left join lateral (
       select max(t.created_at) as used_at from tokens t
       where t.user_id = m.user_id and t.organization_id = m.organization_id and t.session_id is not null and t.client_id is null) l on true
     where m.user_id = $1 order by l.used_at desc nulls last, m.created_at, m.organization_id limit 1`,
    [userId],
  );
  return getFirst(rows)?.organization_id;
}

export interface SessionToken {
  readonly id: string;
  readonly session_id: string;
  readonly user_id: string;
  readonly created_at: Date;
}

/** Switches the session to this organization. The first time, a token is made for the session there. */
export async function enterOrganization(
  scope: OrganizationScope,
  sql: Sql,
  grant: Grant,
  token: SessionToken,
): Promise<void> {
  const role = getGrantedRole(scope, grant);
  const { organizationId } = scope;
  await sql.query(`update sessions set active_organization_id = $2 where id = $1`, [
    token.session_id,
    organizationId,
  ]);
  await sql.query(
    ...insertOwnedWhere(
      scope,
      'tokens',
      {
        ...token,
        name: 'Browser session',
        kind: 'root',
        token_type: 'user',
        role,
        root_token_id: token.id,
        path: [token.id],
        expires_at: expression`(select expires_at from sessions where id = ${token.session_id})`,
      },
      expression`exists (select 1 from sessions where id = ${token.session_id} and user_id = ${token.user_id})
        and not exists (
          select 1 from tokens where session_id = ${token.session_id} and organization_id = ${organizationId} and client_id is null)`,
    ),
  );
}

/** Revokes the tokens of a session, which end with it. */
export async function revokeSessionTokens(
  _lab: LabScope,
  sql: Sql,
  sessionId: string,
  at: Date,
): Promise<void> {
  await sql.query(
    `with held as materialized (
       select id from tokens where session_id = $1 and revoked_at is null order by id for no key update)
     update tokens set revoked_at = $2 where id in (select id from held)`,
    [sessionId, at],
  );
}

export interface SessionRow {
  readonly id: string;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  readonly created_at: string;
  readonly seen_at: string | null;
}

export async function selectSessions(sql: Sql, userId: string, at: Date): Promise<SessionRow[]> {
  return sql.query<SessionRow>(
    `select id, ip_address, user_agent, created_at, seen_at from sessions
     where user_id = $1 and expires_at > $2 order by coalesce(seen_at, created_at) desc, id`,
    [userId, at],
  );
}

export interface EndedSession {
  readonly id: string;
  readonly active_organization_id: string | null;
}

export interface SessionChoice {
  readonly user_id: string;
  readonly only?: string;
  readonly except?: string;
}

/** Ends one session of a person, all but one, or all; returns those that were open. */
export async function deleteSessions(sql: Sql, which: SessionChoice): Promise<EndedSession[]> {
  return sql.query<EndedSession>(
    `delete from sessions where user_id = $1 and ($2::uuid is null or id = $2) and ($3::uuid is null or id <> $3)
     returning id, active_organization_id`,
    [which.user_id, which.only ?? null, which.except ?? null],
  );
}

export async function deleteExpiredSessions(sql: Sql, before: Date): Promise<void> {
  await sql.query(`delete from sessions where expires_at < $1`, [before]);
}
