import type { AttenuationSpec } from '#core/capability.ts';
import type { Role, StaffRole } from '#core/permissions.ts';
import type { LabScope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';

export interface OAuthKey {
  readonly id: string;
  readonly public_key: string;
}

/** Keys that access tokens may be signed with. */
export async function selectOAuthKeys(sql: Sql): Promise<OAuthKey[]> {
  return sql.query<OAuthKey>(`select id, public_key from oauth_keys order by created_at desc limit 20`);
}

export interface OAuthStanding {
  readonly organization_id: string;
  readonly role: Role;
  readonly limits: AttenuationSpec;
  readonly ends_at: string;
  readonly last_used_at: string | null;
  readonly revoked: boolean;
  readonly member_role: Role | null;
  readonly user_email: string;
  readonly staff_roles: readonly StaffRole[];
  readonly is_partner: boolean;
  readonly organization_slug: string;
}

/**
 * Runs on every request. Access requires that all of these still exist: the token that the consent made, the session
 * in which the person consented, the consent, the program, the membership, and a refresh token of the program (a
 * replayed code or a copied refresh token removes it). No request of a program names its organization, so the lab's
 * scope is asked.
 */
export async function selectOAuthStanding(
  _lab: LabScope,
  sql: Sql,
  grant: {
    readonly programTokenId: string;
    readonly sessionId: string;
    readonly userId: string;
    readonly clientId: string;
    readonly at: Date;
  },
): Promise<OAuthStanding | undefined> {
  return getFirst(
    await sql.query<OAuthStanding>(
      `select t.organization_id, t.role, t.attenuation_spec as limits, t.expires_at as ends_at, t.last_used_at,
         t.revoked_at is not null as revoked, m.role as member_role, u.email as user_email, u.staff_roles,
         false as is_partner, o.slug as organization_slug
       from tokens t
       join sessions s on s.id = t.session_id and s.user_id = t.user_id
       join users u on u.id = t.user_id
       join organizations o on o.id = t.organization_id
       join oauth_clients c on c.client_id = t.client_id and c.disabled is not true
       left join memberships m on m.organization_id = t.organization_id and m.user_id = t.user_id
       where t.id = $1 and s.id = $2 and t.user_id = $3 and t.client_id = $4 and s.expires_at > $5
         and t.expires_at > $5
         and exists (select 1 from oauth_consents k
           where k.client_id = c.client_id and k.user_id = t.user_id and k.reference_id = t.id::text)
         and exists (select 1 from oauth_refresh_tokens r
           where r.client_id = c.client_id and r.session_id = s.id and r.reference_id = t.id::text
             and r.revoked is null and r.expires_at > $5)`,
      [grant.programTokenId, grant.sessionId, grant.userId, grant.clientId, grant.at],
    ),
  );
}

/** Removes what a program could refresh its access with, and the consent. */
export async function deleteProgramAccess(sql: Sql, tokenId: string): Promise<void> {
  await sql.query(`delete from oauth_refresh_tokens where reference_id = $1`, [tokenId]);
  await sql.query(`delete from oauth_consents where reference_id = $1`, [tokenId]);
}

export interface OAuthClient {
  readonly client_id: string;
  readonly name: string | null;
  readonly redirect_uris: readonly string[];
}

export async function findOAuthClient(sql: Sql, clientId: string): Promise<OAuthClient | undefined> {
  return getFirst(
    await sql.query<OAuthClient>(
      `select client_id, name, redirect_uris from oauth_clients where client_id = $1 and disabled is not true`,
      [clientId],
    ),
  );
}

/** Stores the addresses of a new program. */
export async function setRedirectUris(
  sql: Sql,
  clientId: string,
  redirectUris: readonly string[],
): Promise<void> {
  await sql.query(`update oauth_clients set redirect_uris = $2 where client_id = $1`, [
    clientId,
    redirectUris,
  ]);
}
