import type { ReadContext } from '#core/context.ts';
import { labScope } from '#core/scope.ts';
import { selectOrganizationsOfUser } from '#domain/organizations/store.ts';

export async function identifyCaller(_input: unknown, context: ReadContext) {
  const { principal, sql } = context;
  const all = await selectOrganizationsOfUser(labScope, sql, principal.userId);
  const memberships = principal.restrictions.isAttenuated
    ? all.filter(({ id }) => id === principal.organizationId)
    : all;
  return {
    user_id: principal.userId,
    active_organization_id: principal.organizationId,
    organizations: memberships.map(({ id, name, role }) => ({
      id,
      name,
      role,
      active: id === principal.organizationId,
    })),
    permissions: [...principal.permissions].sort(),
    token_expires_at: principal.tokenExpiresAt,
  };
}
