import type { Environment } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { grantedPermissions, type Role } from '#core/permissions.ts';
import type { Principal } from '#core/principal.ts';
import type { TokenClaims } from './capability.ts';

/** What the database says, at this moment, about the holder of a token. */
export interface TokenStanding {
  readonly revoked: boolean;
  readonly member_role: Role | null;
  readonly user_email: string;
  readonly is_staff: boolean;
  readonly organization_slug: string;
}

/** Joins the signed claims with the present standing; the weaker of both decides. */
export function principalOf(claims: TokenClaims, standing: TokenStanding | undefined): Principal {
  if (standing === undefined) throw fail('token_invalid');
  if (standing.revoked) throw fail('token_revoked');
  if (standing.member_role === null)
    throw fail('token_revoked', {}, { detail: 'holder left the organization' });
  return {
    userId: claims.sub,
    userEmail: standing.user_email,
    organizationId: claims.org,
    organizationSlug: standing.organization_slug,
    role: standing.member_role,
    isStaff: standing.is_staff,
    tokenId: claims.tid,
    tokenExpiresAt: claims.exp === null ? null : new Date(claims.exp * 1000).toISOString(),
    permissions: grantedPermissions(claims.role, standing.member_role, standing.is_staff),
  };
}

export interface NewRootToken {
  readonly id: string;
  readonly userId: string;
  readonly organizationId: string;
  readonly role: Role;
  readonly expiresAt: Date | null;
}

export function rootClaims(environment: Environment, token: NewRootToken, now: Date): TokenClaims {
  return {
    v: 1,
    env: environment,
    tid: token.id,
    path: [token.id],
    sub: token.userId,
    org: token.organizationId,
    role: token.role,
    iat: Math.floor(now.getTime() / 1000),
    exp: token.expiresAt === null ? null : Math.floor(token.expiresAt.getTime() / 1000),
  };
}
