import type { WriteContext } from '#core/context.ts';
import { authorizeStaffGrant } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import { staffRoles } from '#core/permissions.ts';
import { INSTALLATION_ID } from '../../audit/rules.ts';
import type { changeStaffRoles as operation } from './contract.ts';
import { setStaffRoles } from './store.ts';
import { holdStaff, refuseLastHolder } from './hold-staff.ts';

/** `PATCH /lab/staff/{user_id}`. */
export async function changeStaffRoles(input: Input<typeof operation>, context: WriteContext) {
  const { tx, principal, clock } = context;
  const person = await holdStaff(tx, input.params.user_id);
  const roles = staffRoles.filter((role) => input.body.roles.includes(role));
  const grant = authorizeStaffGrant(principal, 'staff', { roles, present: person.roles });
  await refuseLastHolder(tx, person, roles);
  await setStaffRoles(tx, grant, { userId: person.user_id, at: clock.now() });
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ email: person.email, roles, previous_roles: person.roles });
  return { ...person, roles };
}
