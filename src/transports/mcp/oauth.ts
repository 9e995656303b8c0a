/**
 * Finds the person behind an OAuth access token, in the database on every request. Only the tool protocol accepts
 * such tokens.
 */
import type { Clock } from '#core/clock.ts';
import { fail } from '#core/failures.ts';
import type { Principal } from '#core/principal.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import type { AccessGrant } from '#domain/oauth/grant.ts';
import { buildRestrictions } from '#domain/oauth/rules.ts';
import { selectOAuthStanding } from '#domain/oauth/store.ts';
import { buildPrincipal } from '#domain/tokens/rules.ts';
import type { Environment } from '#core/context.ts';

/** The form of a JWT; our own tokens never have it. */
const JWT = /^Bearer +(ey[\w-]+\.[\w-]+\.[\w-]+)$/i;

export type ReadAccessToken = (token: string) => Promise<AccessGrant>;

export interface OAuthParts {
  readonly environment: Environment;
  readonly clock: Clock;
  readonly sql: Sql;
  readonly read: ReadAccessToken;
}

/** Returns undefined when the header carries no JWT. */
export async function authenticateByOAuth(
  { environment, clock, sql, read }: OAuthParts,
  authorization: string | undefined,
): Promise<Principal | undefined> {
  const token = JWT.exec(authorization ?? '')?.[1];
  if (token === undefined) return undefined;
  const grant = await read(token);
  const { userId, sessionId, clientId, organizationId } = grant;
  const scope = createOrganizationScope(organizationId);
  const standing = await selectOAuthStanding(scope, sql, { sessionId, userId, clientId, at: clock.now() });
  if (standing === undefined) throw fail('token_revoked', {}, { detail: 'session or consent has ended' });
  const { token_id: id, member_role: role } = standing;
  if (role === null) throw fail('token_revoked', {}, { detail: 'holder left the organization' });
  return buildPrincipal(
    {
      v: 1,
      env: environment,
      tid: id,
      path: [id],
      sub: userId,
      org: organizationId,
      role,
      iat: grant.issuedAt,
      exp: grant.expiresAt,
      cav: buildRestrictions(grant.scopes, organizationId),
    },
    standing,
    { credential: 'oauth' },
  );
}
