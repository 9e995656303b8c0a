/** Locks the staff of the lab, so that somebody who may appoint others always remains. */
import { fail } from '#core/failures.ts';
import { staffRoles, staffRolePermissions, type StaffRole } from '#core/permissions.ts';
import type { Transaction } from '#core/sql.ts';
import { countOthersWithRole, findStaff, lockStaff, type StaffRow } from '#domain/staff/store.ts';

const appointing = staffRoles.filter((role) => staffRolePermissions[role].has('lab:appoint'));

export async function holdStaff(tx: Transaction, userId: string): Promise<StaffRow> {
  await lockStaff(tx);
  const person = await findStaff(tx, userId);
  if (person === undefined) throw fail('staff_not_found');
  return person;
}

/** Refuses a change after which nobody may appoint staff. */
export async function refuseLastAppointer(
  tx: Transaction,
  person: StaffRow,
  roles: readonly StaffRole[],
): Promise<void> {
  for (const role of appointing) {
    const isLost = person.roles.includes(role) && !roles.includes(role);
    if (isLost && (await countOthersWithRole(tx, role, person.user_id)) === 0)
      throw fail('last_appointing_person');
  }
}
