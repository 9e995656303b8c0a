/** Locks a member, so that the organization keeps an administrator. */
import { fail } from '#core/failures.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { findMember, lockAdministration, countOtherAdministrators, type MemberRow } from './store.ts';

/** Throws `member_not_found`. */
export async function holdMember(
  tx: Transaction,
  scope: OrganizationScope,
  userId: string,
): Promise<MemberRow> {
  await lockAdministration(scope, tx);
  const member = await findMember(scope, tx, userId);
  if (member === undefined) throw fail('member_not_found');
  return member;
}

/** Throws `last_administrator`. */
export async function refuseLastAdministrator(
  tx: Transaction,
  scope: OrganizationScope,
  member: MemberRow,
): Promise<void> {
  if (member.role === 'admin' && (await countOtherAdministrators(scope, tx, member.user_id)) === 0)
    throw fail('last_administrator');
}
