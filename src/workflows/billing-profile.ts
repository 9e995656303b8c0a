/** Who is billed, how they are taxed, and what of that stands on a document. */
import { fail } from '#core/failures.ts';
import type { ReadContext, Site, WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { labScope, organizationScope, type OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import type {
  getOrganizationBilling,
  removeTaxRate,
  setTaxRate,
  updateBillingProfile,
  updateOrganizationBilling,
} from '#domain/billing/contract.ts';
import { buyerOf, paperFor, type BillingProfile, type Parties } from '#domain/billing/rules.ts';
import * as store from '#domain/billing/store.ts';

async function requireProfile(sql: Sql, organizationId: string): Promise<store.ProfileRow> {
  const profile = await store.findProfile(labScope, sql, organizationId);
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
  await store.saveProfile(organizationScope(organizationId), context.tx, profile, context.clock.now());
  return profile;
}

/** `GET /lab/tax-rates`. */
export async function taxRateList(_input: object, { sql }: ReadContext) {
  return { items: await store.taxRates(labScope, sql) };
}

/** `POST /lab/tax-rates`. */
export async function setRate(input: Input<typeof setTaxRate>, context: WriteContext) {
  const { country, name, treatment, rate_basis_points: basisPoints, note = '' } = input.body;
  if (treatment === 'none' && basisPoints !== 0) {
    const message = 'must be 0 where no tax is charged';
    throw fail(
      'invalid_request',
      { reason: `rate_basis_points ${message}.` },
      { problems: [{ path: 'rate_basis_points', message }] },
    );
  }
  const rate = { name, treatment, rate_basis_points: basisPoints, note };
  return store.saveTaxRate(labScope, context.tx, country, rate, context.clock.now());
}

/** `DELETE /lab/tax-rates/{country}`. */
export async function removeRate(input: Input<typeof removeTaxRate>, context: WriteContext) {
  if (!(await store.removeTaxRate(labScope, context.tx, input.params.country)))
    throw fail('tax_rate_not_found');
  return null;
}

/** Both sides of a document as they are now. */
export async function presentParties(site: Site, scope: OrganizationScope, sql: Sql): Promise<Parties> {
  const profile = await requireProfile(sql, scope.organizationId);
  const { seller, paper } = site.letterhead;
  return {
    seller: seller.name === null ? null : seller,
    buyer: buyerOf(profile.organization_name, profile),
    paper: paperFor(profile, paper),
  };
}
