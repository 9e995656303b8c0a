import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { authorizeStaffGrant } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { labScope } from '#core/scope.ts';
import { INSTALLATION_ID } from '../../audit/rules.ts';
import { hasJoinedByCopiedLink } from '../../organizations/invitation-store.ts';
import { findUserByEmail, selectMemberRole } from '../../organizations/store.ts';
import { isAddressProven } from '../store.ts';
import type { appointStaff as operation } from './contract.ts';
import { findStaff, lockStaff, selectStaffRoles, setStaffRoles } from './store.ts';

/** `POST /lab/staff`. */
export async function appointStaff(input: Input<typeof operation>, context: WriteContext) {
  const { tx, principal, clock } = context;
  const email = input.body.email.trim().toLowerCase();
  const { roles } = input.body;
  await lockStaff(tx);
  const user = await findUserByEmail(tx, email);
  if (user === undefined) throw fail('person_not_found', { email });
  if ((await selectStaffRoles(tx, user.id)).length > 0) throw fail('already_staff', { email });
  await requireKnownPerson(context, user.id, email);
  const grant = authorizeStaffGrant(principal, 'staff', { roles, present: [] });
  await setStaffRoles(tx, grant, { userId: user.id, at: clock.now() });
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ email, roles });
  const appointed = await findStaff(labScope, tx, user.id);
  if (appointed === undefined) throw new Error('the appointed person is not of the staff');
  return appointed;
}

/**
 * Any administrator may open an account under a colleague's address by a copied link, so an unproven account counts only
 * in the organization that handed the link over. Throws `address_not_proven`.
 */
async function requireKnownPerson(
  { tx, principal }: WriteContext,
  userId: string,
  email: string,
): Promise<void> {
  if (await isAddressProven(tx, userId)) return;
  if ((await selectMemberRole(getScope(principal), tx, userId)) !== undefined) return;
  if (await hasJoinedByCopiedLink(labScope, tx, userId)) throw fail('address_not_proven', { email });
}
