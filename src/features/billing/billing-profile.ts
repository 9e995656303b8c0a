/** Billing details, their tax, and the parts of them that documents show. */
import type { Site, WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { createOrganizationScope, type OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import {
  applyTaxRate,
  buildBuyer,
  choosePaper,
  refuseImplausible,
  type BillingProfile,
  type Parties,
} from './rules.ts';
import * as store from './store.ts';
import type { AppliedTax } from '../pricing/contract.ts';

/** Throws `organization_not_found`. */
export async function requireProfile(sql: Sql, organizationId: string): Promise<store.ProfileRow> {
  const profile = await store.findProfile(createOrganizationScope(organizationId), sql);
  if (profile === undefined) throw fail('organization_not_found');
  return profile;
}

export async function changeProfile(
  context: WriteContext,
  organizationId: string,
  changes: Partial<BillingProfile>,
) {
  const present = await requireProfile(context.tx, organizationId);
  context.setAuditOrganization(organizationId);
  const profile = { ...present, ...changes };
  refuseImplausible(profile, changes);
  await store.saveProfile(createOrganizationScope(organizationId), context.tx, profile, context.clock.now());
  return profile;
}

/** Seller, buyer and tax of a document. */
export interface Terms {
  readonly parties: Parties;
  readonly tax: AppliedTax;
}

/** Reads them together, as they are now. */
export async function readCurrentTerms(site: Site, scope: OrganizationScope, sql: Sql): Promise<Terms> {
  const billed = await store.selectBilled(scope, sql);
  const parties = {
    seller: findSeller(site),
    buyer: buildBuyer(billed.organization_name, billed),
    paper: choosePaper(billed, site.letterhead.paper),
  };
  return { parties, tax: applyTaxRate(billed.rate, billed.tax_id) };
}

export async function findParties(site: Site, scope: OrganizationScope, sql: Sql): Promise<Parties> {
  return (await readCurrentTerms(site, scope, sql)).parties;
}

export function findSeller({ letterhead: { seller } }: Site): Parties['seller'] {
  return seller.name === null ? null : seller;
}
