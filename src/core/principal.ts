import type { Permission, Role } from './permissions.ts';
import { organizationScope, type OrganizationScope } from './scope.ts';

/** Who is asking, as every door hands it to every handler. */
export interface Principal {
  readonly userId: string;
  readonly userEmail: string;
  readonly organizationId: string;
  readonly organizationSlug: string;
  readonly role: Role;
  readonly isStaff: boolean;
  readonly tokenId: string;
  readonly tokenExpiresAt: string | null;
  readonly permissions: ReadonlySet<Permission>;
}

export function scopeOf(principal: Principal): OrganizationScope {
  return organizationScope(principal.organizationId);
}
