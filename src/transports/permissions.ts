/** Which permission a caller lacks for an operation, and who gets to see it; every door asks here. */
import { listPermissions, type Operation } from '#core/operation.ts';
import {
  partnerPermissions,
  STAFF_PERMISSION,
  staffPermissions,
  type Permission,
} from '#core/permissions.ts';
import type { Principal } from '#core/principal.ts';

/** Finds the first permission that the caller lacks. Whoever holds a limited token may end that token, whatever its limits. */
export function findMissingPermission(
  operation: Pick<Operation, 'permission' | 'alsoNeeds' | 'acceptsRevoked'>,
  { permissions, restrictions }: Principal,
): Permission | undefined {
  if (operation.acceptsRevoked === true && restrictions.isLimited) return undefined;
  return listPermissions(operation).find((needed) => !permissions.has(needed));
}

/** Those whom an operation is described to. */
export const audiences = ['everyone', 'partner', 'staff'] as const;
export type Audience = (typeof audiences)[number];

export function getAudience(operation: Pick<Operation, 'permission' | 'alsoNeeds'>): Audience {
  const neededPermissions = listPermissions(operation);
  if (neededPermissions.some((permission) => staffPermissions.has(permission))) return 'staff';
  return neededPermissions.some((permission) => partnerPermissions.has(permission)) ? 'partner' : 'everyone';
}

/** Returns the audiences that a caller belongs to; null is a caller without a token. */
export function listAudiences(principal: Pick<Principal, 'permissions'> | null): ReadonlySet<Audience> {
  const belongs = new Set<Audience>(['everyone']);
  if (principal?.permissions.has('partner:mint_token') === true) belongs.add('partner');
  if (principal?.permissions.has(STAFF_PERMISSION) === true) belongs.add('staff');
  return belongs;
}
