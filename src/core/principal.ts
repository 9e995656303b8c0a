import type { Permission, Role } from './permissions.ts';
import { organizationScope, type OrganizationScope } from './scope.ts';

/** What a token may not do although its permissions would let it. */
export interface Restrictions {
  /** It was derived from another token. */
  readonly isAttenuated: boolean;
  /** Lists of experiment ids and codes; each must name the experiment. None: every experiment. */
  readonly experiments: readonly (readonly string[])[];
  readonly hasSpendLimit: boolean;
  /** The machine methods of its payment policy; null for a token that pays by invoice. */
  readonly paymentMethods: readonly string[] | null;
}

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
  readonly tokenExpiresAt: string | null;
  /** A person who signed in, in their browser: what they make may outlast the session. */
  readonly isSession: boolean;
  readonly permissions: ReadonlySet<Permission>;
  readonly restrictions: Restrictions;
}

export function scopeOf(principal: Principal): OrganizationScope {
  return organizationScope(principal.organizationId);
}
