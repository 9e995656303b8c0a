/**
 * What a new environment needs before its first request, besides its keys: a row for each assay type, and a first
 * administrator.
 */
import type { Work } from '#core/context.ts';
import { grantByOperator, grantStaffByOperator } from '#core/grants.ts';
import { staffRoles } from '#core/permissions.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { createEntry } from '../pricing/assay-types/rules.ts';
import { insertAssayType } from '../pricing/assay-types/store.ts';
import { FIRST_START } from '../audit/rules.ts';
import { experimentTypes } from '../experiments/types.ts';
import {
  findOrganizationBySlug,
  selectFirstAdministrator,
  findUserByEmail,
  insertOrganization,
  insertUser,
  lockOrganizations,
  setMembership,
} from '../organizations/store.ts';
import { setStaffRoles } from '../people/staff/store.ts';
import { recordChange } from '../audit/record-change.ts';

/** Adds each known assay type that the table lacks. None is offered until staff say so. */
export async function ensureAssayTypes(work: Work, database: Database): Promise<void> {
  const at = work.clock.now();
  await database.runTransaction(async (tx) => {
    for (const name of experimentTypes) await insertAssayType(tx, createEntry(name), at);
  });
}

export interface Founder {
  readonly organizationName: string;
  readonly slug: string;
  readonly email: string;
  readonly name: string;
  readonly isStaff: boolean;
}

/** The first organization and its first member; found again on later starts. */
export async function ensureFounder(
  work: Work,
  database: Database,
  founder: Founder,
): Promise<{ organizationId: string; userId: string; isNew: boolean }> {
  return database.runTransaction(async (tx) => {
    await lockOrganizations(tx);
    const organization = await findOrganizationBySlug(tx, founder.slug);
    // A live environment's first administrator has chosen an address of their own.
    const settled =
      organization === undefined
        ? undefined
        : await selectFirstAdministrator(createOrganizationScope(organization.id), tx);
    const user = await findUserByEmail(tx, founder.email);
    if (organization !== undefined && user === undefined && settled !== undefined)
      return { organizationId: organization.id, userId: settled.user_id, isNew: false };
    if (organization !== undefined && user !== undefined) {
      return { organizationId: organization.id, userId: user.id, isNew: false };
    }
    const at = work.clock.now();
    const organizationId = organization?.id ?? work.ids.createUuid();
    const userId = user?.id ?? work.ids.createUuid();
    const grant = grantByOperator({ organizationId, role: 'admin' });
    if (organization === undefined) {
      const { organizationName: name, slug } = founder;
      await insertOrganization(tx, { id: organizationId, name, slug, createdAt: at });
    }
    if (user === undefined) {
      const { email, name } = founder;
      await insertUser(tx, { id: userId, email, name, created_at: at });
      if (founder.isStaff) await setStaffRoles(tx, grantStaffByOperator(staffRoles), { userId, at });
    }
    await setMembership(createOrganizationScope(organizationId), tx, grant, { user_id: userId, at });
    await recordChange(work, tx, createOrganizationScope(organizationId), {
      ...FIRST_START,
      operation: 'found_organization',
      subject: organizationId,
      details: { email: founder.email },
    });
    return { organizationId, userId, isNew: true };
  });
}
