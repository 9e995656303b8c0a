/** Locks the staff of the lab, so that somebody who may appoint others, and somebody who may bill, always remain. */
import { fail } from '#core/failures.ts';
import { staffRoles, staffRolePermissions, type StaffRole } from '#core/permissions.ts';
import type { Transaction } from '#core/sql.ts';
import { labScope } from '#core/scope.ts';
import { countOthersWithRole, findStaff, lockStaff, type StaffRow } from './store.ts';

/** The permissions that somebody always keeps: nobody else could give them back in the browser. */
const KEPT = [
  ['lab:appoint', 'last_appointing_person'],
  ['lab:bill', 'last_billing_person'],
] as const;

/** Throws `staff_not_found`. */
export async function holdStaff(tx: Transaction, userId: string): Promise<StaffRow> {
  await lockStaff(tx);
  const person = await findStaff(labScope, tx, userId);
  if (person === undefined) throw fail('staff_not_found');
  return person;
}

/** Refuses a change after which nobody may appoint staff, or nobody may bill. */
export async function refuseLastHolder(
  tx: Transaction,
  person: StaffRow,
  roles: readonly StaffRole[],
): Promise<void> {
  for (const [permission, code] of KEPT)
    for (const role of staffRoles.filter((each) => staffRolePermissions[each].has(permission))) {
      const isLost = person.roles.includes(role) && !roles.includes(role);
      if (isLost && (await countOthersWithRole(tx, role, person.user_id)) === 0) throw fail(code);
    }
}
