/** Who is billed, how they are taxed, and what of that stands on a document. */
import { fail, invalidFields } from '#core/failures.ts';
import type { ReadContext, Site, WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { organizationScope, type OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import type {
  getOrganizationBilling,
  removeTaxRate,
  setTaxRate,
  updateBillingProfile,
  updateOrganizationBilling,
} from '#domain/billing/contract.ts';
import {
  appliedTax,
  buyerOf,
  paperFor,
  refuseImplausible,
  type BillingProfile,
  type Parties,
} from '#domain/billing/rules.ts';
import { countryProblem } from '#core/countries.ts';
import * as store from '#domain/billing/store.ts';
import type { AppliedTax } from '#domain/pricing/contract.ts';

async function requireProfile(sql: Sql, organizationId: string): Promise<store.ProfileRow> {
  const profile = await store.findProfile(organizationScope(organizationId), sql);
  if (profile === undefined) throw fail('organization_not_found');
  return profile;
}

/** `GET /billing/profile`. */
export function ownProfile(_input: object, { sql, principal }: ReadContext) {
  return requireProfile(sql, principal.organizationId);
}

/** `PATCH /billing/profile`. */
export function changeOwnProfile(input: Input<typeof updateBillingProfile>, context: WriteContext) {
  return change(context, context.principal.organizationId, input.body);
}

/** `GET /lab/organizations/{organization_id}/billing`. */
export function profileOfOrganization(input: Input<typeof getOrganizationBilling>, { sql }: ReadContext) {
  return requireProfile(sql, input.params.organization_id);
}

/** `PATCH /lab/organizations/{organization_id}/billing`. */
export function changeProfileOfOrganization(
  input: Input<typeof updateOrganizationBilling>,
  context: WriteContext,
) {
  return change(context, input.params.organization_id, input.body);
}

async function change(context: WriteContext, organizationId: string, changes: Partial<BillingProfile>) {
  const present = await requireProfile(context.tx, organizationId);
  context.concern(organizationId);
  const profile = { ...present, ...changes };
  refuseImplausible(profile, changes);
  await store.saveProfile(organizationScope(organizationId), context.tx, profile, context.clock.now());
  return profile;
}

/** `GET /lab/tax-rates`. */
export async function taxRateList(_input: object, { sql }: ReadContext) {
  return { items: await store.taxRates(sql) };
}

/** `POST /lab/tax-rates`. */
export async function setRate(input: Input<typeof setTaxRate>, context: WriteContext) {
  const { country, name, treatment, rate_basis_points: basisPoints, note = '' } = input.body;
  const problem = countryProblem(country);
  if (problem !== undefined) throw invalidFields([{ path: 'country', message: problem }]);
  if (treatment === 'none' && basisPoints !== 0)
    throw invalidFields([{ path: 'rate_basis_points', message: 'must be 0 where no tax is charged' }]);
  const rate = { name, treatment, rate_basis_points: basisPoints, note };
  return store.saveTaxRate(context.tx, country, rate, context.clock.now());
}

/** `DELETE /lab/tax-rates/{country}`. */
export async function removeRate(input: Input<typeof removeTaxRate>, context: WriteContext) {
  if (!(await store.removeTaxRate(context.tx, input.params.country))) throw fail('tax_rate_not_found');
  return null;
}

/** Both sides of a document as they are now, and the tax between them. */
export async function presentTerms(
  site: Site,
  scope: OrganizationScope,
  sql: Sql,
): Promise<{ readonly parties: Parties; readonly tax: AppliedTax }> {
  const billed = await store.billedNow(scope, sql);
  const parties = {
    seller: presentSeller(site),
    buyer: buyerOf(billed.organization_name, billed),
    paper: paperFor(billed, site.letterhead.paper),
  };
  return { parties, tax: appliedTax(billed.rate, billed.tax_id) };
}

export async function presentParties(site: Site, scope: OrganizationScope, sql: Sql): Promise<Parties> {
  return (await presentTerms(site, scope, sql)).parties;
}

export function presentSeller({ letterhead: { seller } }: Site): Parties['seller'] {
  return seller.name === null ? null : seller;
}
