/** What only the operator can do for people: appointments of staff and partners, and recovery. */
import { grantByOperator, grantStaffByOperator } from '#core/grants.ts';
import { staffRoles, type StaffRole } from '#core/permissions.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import { findUserByEmail, selectOrganizationsOfUser } from '../organizations/store.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import { addPartner } from '../tokens/partners/store.ts';
import { lockStaff, selectStaffRoles, setStaffRoles } from './staff/store.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Operator } from '../installation/operator.ts';
import { randomBytes } from 'node:crypto';
import { addMs, HOUR_MS } from '#core/clock.ts';
import { insertLink, findPersonByEmail } from './store.ts';
import { normalizeEmail } from './rules.ts';

export type Appointment =
  | { readonly kind: 'appointed' | 'already'; readonly organizationName?: string }
  | { readonly kind: 'unknown_user' }
  /** The person has no organization of that name, or several and none was named. */
  | { readonly kind: 'which_organization'; readonly slugs: readonly string[] };

/** Gives a person roles in the lab beside those that the person has. */
export function appointStaffByOperator(
  database: Database,
  operator: Operator,
  email: string,
  added: readonly StaffRole[],
): Promise<Appointment> {
  return withUser(database, email, async (tx, userId) => {
    await lockStaff(tx);
    const present = await selectStaffRoles(tx, userId);
    if (added.every((role) => present.includes(role))) return { kind: 'already' };
    const roles = staffRoles.filter((role) => present.includes(role) || added.includes(role));
    await setStaffRoles(tx, grantStaffByOperator(roles), { userId, at: operator.clock.now() });
    await recordChange(operator, tx, createOrganizationScope(INSTALLATION_ID), {
      ...operator.actor,
      operation: 'make_staff',
      subject: userId,
      details: { email, roles },
    });
    return { kind: 'appointed' };
  });
}

/** Makes a person a partner within one organization: there the person's admin tokens may add clients. */
export function appointPartner(
  database: Database,
  operator: Operator,
  email: string,
  slug: string | undefined,
): Promise<Appointment> {
  return withUser(database, email, async (tx, userId) => {
    const all = await selectOrganizationsOfUser(labScope, tx, userId);
    const fitting = slug === undefined ? all : all.filter((each) => each.slug === slug.toUpperCase());
    const [organization, ...others] = fitting;
    if (organization === undefined || others.length > 0)
      return { kind: 'which_organization', slugs: all.map((each) => each.slug) };
    const scope = createOrganizationScope(organization.id);
    const grant = grantByOperator({ organizationId: organization.id, role: 'admin' });
    const isNew = await addPartner(scope, tx, grant, { user_id: userId, at: operator.clock.now() });
    if (isNew)
      await recordChange(operator, tx, scope, {
        ...operator.actor,
        operation: 'make_partner',
        subject: userId,
        details: { email },
      });
    return { kind: isNew ? 'appointed' : 'already', organizationName: organization.name };
  });
}

function withUser(
  database: Database,
  email: string,
  work: (tx: Transaction, userId: string) => Promise<Appointment>,
): Promise<Appointment> {
  return database.runTransaction(async (tx) => {
    const user = await findUserByEmail(tx, email);
    return user === undefined ? { kind: 'unknown_user' } : work(tx, user.id);
  });
}

/** Recovery by the operator at the command line, for a person who has lost every way to sign in. */

const SECRET_BYTES = 24;

/** Path of a link that signs the person in once, within an hour; undefined when no person has the address. */
export async function createRecoveryLink(
  database: Database,
  operator: Operator,
  email: string,
): Promise<string | undefined> {
  return database.runTransaction(async (tx) => {
    const person = await findPersonByEmail(tx, normalizeEmail(email));
    if (person === undefined) return undefined;
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const at = operator.clock.now();
    await insertLink(tx, {
      secret,
      purpose: 'sign_in',
      email: person.email,
      user_id: person.id,
      created_at: at,
      expires_at: addMs(at, HOUR_MS),
    });
    await recordChange(operator, tx, createOrganizationScope(INSTALLATION_ID), {
      ...operator.actor,
      operation: 'make_sign_in_link',
      subject: person.id,
      details: { email: person.email },
    });
    return `/sign-in/link/${secret}`;
  });
}
