import type { Permission, Role } from './permissions.ts';
import { organizationScope, type OrganizationScope } from './scope.ts';

/** What a token may not do although its permissions would let it. */
export interface Restrictions {
  /** It was derived from another token. */
  readonly isAttenuated: boolean;
  /** Lists of experiment ids and codes; each must name the experiment. None: every experiment. */
  readonly experiments: readonly (readonly string[])[];
  readonly hasSpendLimit: boolean;
  /** Some step of its derivation, or its payment policy, sets a limit: it does less than a token of its role. */
  readonly isLimited: boolean;
  /** The machine methods of its payment policy; null for a token that pays by invoice. */
  readonly paymentMethods: readonly string[] | null;
}

/**
 * How the caller was admitted: a person who signed in, in their browser, so that what they make may outlast the session;
 * a capability token; or a program that a person consented to, by OAuth.
 */
export type Credential = 'session' | 'token' | 'oauth';

/** Who is asking, as every door hands it to every handler. */
export interface Principal {
  readonly userId: string;
  readonly userEmail: string;
  readonly organizationId: string;
  readonly organizationSlug: string;
  readonly role: Role;
  readonly isStaff: boolean;
  readonly tokenId: string;
  /** The token and its ancestors, from the root down. */
  readonly tokenPath: readonly string[];
  /** Whose requests count together: the top of the token's lineage, or the person of a session or a program. */
  readonly familyId: string;
  /** True only where the operation answers a revoked token as well. */
  readonly isRevoked: boolean;
  readonly tokenExpiresAt: string | null;
  readonly credential: Credential;
  readonly permissions: ReadonlySet<Permission>;
  readonly restrictions: Restrictions;
}

export function scopeOf(principal: Principal): OrganizationScope {
  return organizationScope(principal.organizationId);
}
