/** Which permission a caller lacks for an operation; REST and the tool protocol ask here. */
import { listPermissions, type Operation } from '#core/operation.ts';
import type { Permission } from '#core/permissions.ts';
import type { Principal } from '#core/principal.ts';

/** Finds the first permission that the caller lacks. Whoever holds a limited token may end that token, whatever its limits. */
export function findMissingPermission(
  operation: Pick<Operation, 'permission' | 'alsoNeeds' | 'acceptsRevoked'>,
  { permissions, restrictions }: Principal,
): Permission | undefined {
  if (operation.acceptsRevoked === true && restrictions.isLimited) return undefined;
  return listPermissions(operation).find((needed) => !permissions.has(needed));
}
