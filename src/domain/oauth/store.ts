import type { Role } from '#core/permissions.ts';
import type { OrganizationScope } from '#core/scope.ts';
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
  readonly token_id: string;
  readonly revoked: boolean;
  readonly member_role: Role | null;
  readonly user_email: string;
  readonly is_staff: boolean;
  readonly is_partner: boolean;
  readonly organization_slug: string;
}

/**
 * Runs on every request. Access requires that all of these still exist: the session in which the person consented,
 * the consent, the program, the membership, and a refresh token of the program (a replayed code or a copied refresh
 * token removes it).
 */
export async function selectOAuthStanding(
  scope: OrganizationScope,
  sql: Sql,
  grant: {
    readonly sessionId: string;
    readonly userId: string;
    readonly clientId: string;
    readonly at: Date;
  },
): Promise<OAuthStanding | undefined> {
  return getFirst(
    await sql.query<OAuthStanding>(
      `select t.id as token_id, t.revoked_at is not null as revoked, m.role as member_role, u.email as user_email,
         u.is_staff, false as is_partner, o.slug as organization_slug
       from sessions s
       join users u on u.id = s.user_id
       join organizations o on o.id = $3
       join tokens t on t.session_id = s.id and t.organization_id = o.id
       join oauth_clients c on c.client_id = $4 and c.disabled is not true
       left join memberships m on m.organization_id = o.id and m.user_id = s.user_id
       where s.id = $1 and s.user_id = $2 and s.expires_at > $5
         and exists (select 1 from oauth_consents k
           where k.client_id = c.client_id and k.user_id = s.user_id and k.reference_id = o.id::text)
         and exists (select 1 from oauth_refresh_tokens r
           where r.client_id = c.client_id and r.session_id = s.id and r.reference_id = o.id::text
             and r.revoked is null and r.expires_at > $5)`,
      [grant.sessionId, grant.userId, scope.organizationId, grant.clientId, grant.at],
    ),
  );
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
