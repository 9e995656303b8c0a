/**
 * Finds the person behind an OAuth access token, in the database on every request. Only the tool protocol accepts
 * such tokens.
 */
import type { Clock } from '#core/clock.ts';
import { fail } from '#core/failures.ts';
import type { Principal } from '#core/principal.ts';
import { labScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { type AccessGrant, narrowByScopes } from '#features/people/programs/rules.ts';
import { selectOAuthStanding } from '#features/people/programs/store.ts';
import { buildPrincipal } from '#features/tokens/rules.ts';
import type { Environment } from '#core/context.ts';
import { recordTokenUse } from '#features/tokens/record-token-use.ts';

/** The form of a JWT; our own tokens never have it. */
const JWT = /^Bearer +(ey[\w-]+\.[\w-]+\.[\w-]+)$/i;

export type ReadAccessToken = (token: string) => Promise<AccessGrant>;

export interface OAuthParts {
  readonly environment: Environment;
  readonly clock: Clock;
  readonly sql: Sql;
  readonly read: ReadAccessToken;
}

/** Returns undefined when the header carries no JWT. Throws `token_revoked`. */
export async function authenticateByOAuth(
  { environment, clock, sql, read }: OAuthParts,
  authorization: string | undefined,
): Promise<Principal | undefined> {
  const token = JWT.exec(authorization ?? '')?.[1];
  if (token === undefined) return undefined;
  const grant = await read(token);
  const { userId, programTokenId: id } = grant;
  const at = clock.now();
  const standing = await selectOAuthStanding(labScope, sql, { ...grant, at });
  if (standing === undefined) throw fail('token_revoked', {}, { detail: 'session or consent has ended' });
  if (standing.member_role === null)
    throw fail('token_revoked', {}, { detail: 'holder left the organization' });
  if (!standing.revoked) await recordTokenUse(sql, { id, lastUsedAt: standing.last_used_at }, at);
  return buildPrincipal(
    {
      v: 1,
      env: environment,
      tid: id,
      path: [id],
      sub: userId,
      org: standing.organization_id,
      role: standing.role,
      iat: grant.issuedAt,
      exp: Math.min(grant.expiresAt, Math.floor(Date.parse(standing.ends_at) / 1_000)),
      cav: narrowByScopes(standing.limits, grant.scopes),
    },
    standing,
    { credential: 'oauth' },
  );
}
