import type { Permission, Role, StaffRole } from './permissions.ts';
import { createOrganizationScope, type OrganizationScope } from './scope.ts';

/** What a token may not do although its role permits it. */
export interface Restrictions {
  /** It was derived from another token. */
  readonly isAttenuated: boolean;
  /**
   * Lists of experiment ids and codes; an experiment is allowed only if every list names it. Empty: every experiment.
   */
  readonly experiments: readonly (readonly string[])[];
  readonly hasSpendLimit: boolean;
  /** A derivation step or the payment policy sets a limit, so the token may do less than its role. */
  readonly isLimited: boolean;
  /** The machine methods of its payment policy; null for a token that pays by invoice. */
  readonly paymentMethods: readonly string[] | null;
}

/**
 * How the caller authenticated: a person signed in in a browser, so what they create may outlast the session; a
 * capability token; or a program that a person authorized over OAuth.
 */
export type Credential = 'session' | 'token' | 'oauth';

/** The caller, as every transport passes it to every handler. */
export interface Principal {
  readonly userId: string;
  readonly userEmail: string;
  readonly organizationId: string;
  readonly organizationSlug: string;
  readonly role: Role;
  /** Roles in the lab; empty for clients. */
  readonly staffRoles: readonly StaffRole[];
  readonly tokenId: string;
  /** The token and its ancestors, from the root down. */
  readonly tokenPath: readonly string[];
  /**
   * The key by which requests count together: the root of the token's lineage, or the person of a session or a
   * program.
   */
  readonly familyId: string;
  /** True only where the operation also accepts a revoked token. */
  readonly isRevoked: boolean;
  readonly tokenExpiresAt: string | null;
  readonly credential: Credential;
  readonly permissions: ReadonlySet<Permission>;
  readonly restrictions: Restrictions;
}

export function getScope(principal: Principal): OrganizationScope {
  return createOrganizationScope(principal.organizationId);
}
