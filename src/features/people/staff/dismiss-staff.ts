import type { WriteContext } from '#core/context.ts';
import { authorizeStaffGrant } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import { INSTALLATION_ID } from '../../audit/rules.ts';
import type { dismissStaff as operation } from './contract.ts';
import { setStaffRoles } from './store.ts';
import { holdStaff, refuseLastHolder } from './hold-staff.ts';

/** `DELETE /lab/staff/{user_id}`. */
export async function dismissStaff(input: Input<typeof operation>, context: WriteContext) {
  const { tx, principal, clock } = context;
  const person = await holdStaff(tx, input.params.user_id);
  await refuseLastHolder(tx, person, []);
  const grant = authorizeStaffGrant(principal, 'dismissal', { roles: [], present: person.roles });
  await setStaffRoles(tx, grant, { userId: person.user_id, at: clock.now() });
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ email: person.email, previous_roles: person.roles });
  return { user_id: person.user_id };
}
