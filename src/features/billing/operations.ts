/** The operations of billing, each with what carries it out. */
import { bindRead, bindWrite, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import type { ReadContext, WriteContext } from '#core/context.ts';
import { requireProfile, changeProfile } from './billing-profile.ts';
import type { Input } from '#core/operation.ts';
import * as store from './store.ts';
import { fail, createInvalidFieldsFailure } from '#core/failures.ts';
import type { removeTaxRate as operation } from './contract.ts';
import { findCountryProblem } from '#core/countries.ts';

export const billingOperations: readonly Binding[] = [
  bindRead(contract.getBillingProfile, getBillingProfile),
  bindWrite(contract.updateBillingProfile, updateBillingProfile),
  bindRead(contract.getOrganizationBilling, getOrganizationBilling),
  bindWrite(contract.updateOrganizationBilling, updateOrganizationBilling),
  bindRead(contract.listTaxRates, listTaxRates),
  bindWrite(contract.setTaxRate, setTaxRate),
  bindWrite(contract.removeTaxRate, removeTaxRate),
];

/** `GET /billing/profile`. */
function getBillingProfile(_input: object, { sql, principal }: ReadContext) {
  return requireProfile(sql, principal.organizationId);
}

/** `PATCH /billing/profile`. */
function updateBillingProfile(input: Input<typeof contract.updateBillingProfile>, context: WriteContext) {
  return changeProfile(context, context.principal.organizationId, input.body);
}

/** `GET /lab/organizations/{organization_id}/billing`. */
function getOrganizationBilling(input: Input<typeof contract.getOrganizationBilling>, { sql }: ReadContext) {
  return requireProfile(sql, input.params.organization_id);
}

/** `PATCH /lab/organizations/{organization_id}/billing`. */
function updateOrganizationBilling(
  input: Input<typeof contract.updateOrganizationBilling>,
  context: WriteContext,
) {
  return changeProfile(context, input.params.organization_id, input.body);
}

/** `GET /lab/tax-rates`. */
async function listTaxRates(_input: object, { sql }: ReadContext) {
  return { items: await store.selectTaxRates(sql) };
}

/** `DELETE /lab/tax-rates/{country}`. */
async function removeTaxRate(input: Input<typeof operation>, context: WriteContext) {
  if (!(await store.removeTaxRate(context.tx, input.params.country))) throw fail('tax_rate_not_found');
  return null;
}

/** `POST /lab/tax-rates`. */
async function setTaxRate(input: Input<typeof contract.setTaxRate>, context: WriteContext) {
  const { country, name, treatment, rate_basis_points: basisPoints, note = '' } = input.body;
  const problem = findCountryProblem(country);
  if (problem !== undefined) throw createInvalidFieldsFailure([{ path: 'country', message: problem }]);
  if (treatment === 'none' && basisPoints !== 0)
    throw createInvalidFieldsFailure([
      { path: 'rate_basis_points', message: 'must be 0 where no tax is charged' },
    ]);
  const rate = { name, treatment, rate_basis_points: basisPoints, note };
  return store.saveTaxRate(context.tx, country, rate, context.clock.now());
}
