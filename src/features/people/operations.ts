/** The operations of people, each with what carries it out. */
import { bindLabList, bindRead, bindWrite, type Binding } from '../binding.ts';
import * as tokensContract from '../tokens/contract.ts';
import * as organizationsContract from '../organizations/contract.ts';
import * as staffContract from './staff/contract.ts';
import type { ReadContext, WriteContext } from '#core/context.ts';
import { getScope } from '#core/principal.ts';
import { labScope } from '#core/scope.ts';
import { findExperiment } from '../experiments/store.ts';
import { selectOrganizationsOfUser, selectMemberRole, findUserByEmail } from '../organizations/store.ts';
import { isExperimentAllowed } from '../tokens/attenuation.ts';
import { describeToken } from '../tokens/rules.ts';
import { selectTokenTerms } from '../tokens/spending-store.ts';
import { addMs } from '#core/clock.ts';
import { fail } from '#core/failures.ts';
import { authorizeGrant, authorizeStaffGrant } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import { insertInvitation, hasJoinedByCopiedLink } from '../organizations/invitation-store.ts';
import { isEmail, normalizeEmail } from './rules.ts';
import { findPersonByEmail, isAddressProven } from './store.ts';
import {
  INVITATION_LIFE_MS,
  deliverInvitation,
  makeSecret,
  requireDelivery,
  showInvitation,
} from '../organizations/send-invitation.ts';
import {
  listStaffPage,
  findStaff,
  lockStaff,
  selectStaffRoles,
  setStaffRoles,
  countOthersWithRole,
  type StaffRow,
} from './staff/store.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import { staffRoles, staffRolePermissions, type StaffRole } from '#core/permissions.ts';
import type { Transaction } from '#core/sql.ts';

/** The permissions that somebody always keeps: nobody else could give them back in the browser. */
const KEPT = [
  ['lab:appoint', 'last_appointing_person'],
  ['lab:bill', 'last_billing_person'],
] as const;

/** Throws `staff_not_found`. */
async function holdStaff(tx: Transaction, userId: string): Promise<StaffRow> {
  await lockStaff(tx);
  const person = await findStaff(labScope, tx, userId);
  if (person === undefined) throw fail('staff_not_found');
  return person;
}

/** Refuses a change after which nobody may appoint staff, or nobody may bill. */
async function refuseLastHolder(
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

export const peopleOperations: readonly Binding[] = [
  bindRead(tokensContract.identifyCaller, identifyCaller),
  bindWrite(organizationsContract.inviteMember, inviteMember),
  bindLabList(staffContract.listStaff, ({ scope, sql }, query) => listStaffPage(scope, sql, query)),
  bindWrite(staffContract.appointStaff, appointStaff),
  bindWrite(staffContract.changeStaffRoles, changeStaffRoles),
  bindWrite(staffContract.dismissStaff, dismissStaff),
];

/** `GET /whoami`. */
async function identifyCaller(_input: unknown, context: ReadContext) {
  const { principal, sql } = context;
  const all = await selectOrganizationsOfUser(labScope, sql, principal.userId);
  const memberships = principal.restrictions.isAttenuated
    ? all.filter(({ id }) => id === principal.organizationId)
    : all;
  const terms = await selectTokenTerms(getScope(principal), sql, principal.tokenPath);
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
    token: { ...describeToken(terms), resource_ids: await listAllowedExperiments(context) },
  };
}

/** The names of the last list that every other list also allows; null where no list limits the token. */
async function listAllowedExperiments({ principal, sql }: ReadContext): Promise<string[] | null> {
  const lists = principal.restrictions.experiments;
  const last = lists.at(-1);
  if (last === undefined) return null;
  if (lists.length === 1) return [...last];
  const experiments = await Promise.all(last.map((name) => findExperiment(getScope(principal), sql, name)));
  return last.filter((_name, index) => {
    const experiment = experiments[index];
    return experiment !== undefined && isExperimentAllowed(lists, experiment);
  });
}

/** `POST /organization/invitations`. */
async function inviteMember(input: Input<typeof organizationsContract.inviteMember>, context: WriteContext) {
  const { tx, principal, ids, clock } = context;
  const { delivery = 'mail' } = input.body;
  requireDelivery(context, delivery);
  const email = normalizeEmail(input.body.email);
  if (!isEmail(email)) {
    const problems = [{ path: 'email', message: 'must be an e-mail address' }];
    throw fail('invalid_request', { reason: 'email: must be an e-mail address.' }, { problems });
  }
  const scope = getScope(principal);
  const person = await findPersonByEmail(tx, email);
  if (person !== undefined && (await selectMemberRole(scope, tx, person.id)) !== undefined)
    throw fail('already_member', { email });
  const grant = authorizeGrant(principal, 'membership', { role: input.body.role });
  const secret = makeSecret();
  const at = clock.now();
  const invitation = await insertInvitation(scope, tx, grant, {
    id: ids.createUuid(),
    email,
    secret,
    delivery,
    invitedBy: principal.userId,
    at,
    expiresAt: addMs(at, INVITATION_LIFE_MS),
  });
  if (invitation === undefined) throw fail('already_invited', { email });
  const link = await deliverInvitation(context, invitation, secret);
  return { ...showInvitation(invitation, 'open'), link, link_was_shown: false };
}

/** `POST /lab/staff`. */
async function appointStaff(input: Input<typeof staffContract.appointStaff>, context: WriteContext) {
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

/** `PATCH /lab/staff/{user_id}`. */
async function changeStaffRoles(input: Input<typeof staffContract.changeStaffRoles>, context: WriteContext) {
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

/** `DELETE /lab/staff/{user_id}`. */
async function dismissStaff(input: Input<typeof staffContract.dismissStaff>, context: WriteContext) {
  const { tx, principal, clock } = context;
  const person = await holdStaff(tx, input.params.user_id);
  await refuseLastHolder(tx, person, []);
  const grant = authorizeStaffGrant(principal, 'dismissal', { roles: [], present: person.roles });
  await setStaffRoles(tx, grant, { userId: person.user_id, at: clock.now() });
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ email: person.email, previous_roles: person.roles });
  return { user_id: person.user_id };
}
