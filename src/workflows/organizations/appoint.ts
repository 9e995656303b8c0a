/** Appointments that only the operator can make: staff of the lab, and partners. */
import { grantByOperator } from '#core/grants.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import { findUserByEmail, makeStaff, selectOrganizationsOfUser } from '#domain/organizations/store.ts';
import { INSTALLATION_ID } from '#domain/audit/rules.ts';
import { addPartner } from '#domain/partners/store.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Operator } from '../installation/operator.ts';

export type Appointment =
  | { readonly kind: 'appointed' | 'already'; readonly organizationName?: string }
  | { readonly kind: 'unknown_user' }
  /** The person has no organization of that name, or several and none was named. */
  | { readonly kind: 'which_organization'; readonly slugs: readonly string[] };

export function appointStaff(database: Database, operator: Operator, email: string): Promise<Appointment> {
  return withUser(database, email, async (tx, userId) => {
    const grant = grantByOperator({ organizationId: INSTALLATION_ID, role: 'admin' });
    if (!(await makeStaff(tx, grant, userId))) return { kind: 'already' };
    await recordChange(operator, tx, createOrganizationScope(INSTALLATION_ID), {
      ...operator.actor,
      operation: 'make_staff',
      subject: userId,
      details: { email },
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
    const isNew = await addPartner(scope, tx, grant, { userId, at: operator.clock.now() });
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
