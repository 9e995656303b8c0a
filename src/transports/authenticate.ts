/** Turns a credential into its principal, and checks in the database on every request that it is still valid. */
import type { Clock } from '#core/clock.ts';
import { createUnauthenticatedFailure } from '#core/failures.ts';
import type { Operation } from '#core/operation.ts';
import type { Principal } from '#core/principal.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import type { Keyring } from '#features/tokens/capability.ts';
import { buildPrincipal } from '#features/tokens/rules.ts';
import { selectTokenStanding } from '#features/tokens/store.ts';
import { recordTokenUse } from '#features/tokens/record-token-use.ts';

export interface Credentials {
  /** The `Authorization` header; if two are sent, only the first is read. */
  readonly authorization: string | undefined;
  /**
   * `X-Service-Api-Key`, for callers whose `Authorization` carries a payment. It takes precedence when both are sent.
   */
  readonly apiKey: string | undefined;
  /** This installation's name of that header. */
  readonly apiKeyHeader: string;
}

/** Rejects a revoked token unless the operation accepts one. */
export type Authenticate = (
  credentials: Credentials,
  operation?: Pick<Operation, 'acceptsRevoked'>,
) => Promise<Principal>;

export function createAuthenticator(keyring: Keyring, sql: Sql, clock: Clock): Authenticate {
  return async (credentials, { acceptsRevoked = false } = {}) => {
    const claims = await keyring.verify(getToken(credentials), clock.now());
    const standing = await selectTokenStanding(createOrganizationScope(claims.org), sql, claims);
    const principal = buildPrincipal(claims, standing, { acceptsRevoked });
    if (standing !== undefined && !standing.revoked)
      await recordTokenUse(sql, { id: claims.tid, lastUsedAt: standing.last_used_at }, clock.now());
    return principal;
  };
}

function getToken({ authorization, apiKey, apiKeyHeader }: Credentials): string {
  if (apiKey !== undefined && apiKey !== '') return apiKey;
  const match = /^Bearer +(\S+)$/i.exec(authorization ?? '');
  if (match === null) throw createUnauthenticatedFailure(isPayment(authorization) ? apiKeyHeader : undefined);
  return match[1];
}

/** `Authorization: Payment …` is a payment credential; the token is then in X-Service-Api-Key. */
export function isPayment(authorization: string | undefined): boolean {
  return authorization !== undefined && /^Payment\b/i.test(authorization);
}
