/** The operations of billing, each with what carries it out. */
import { bindRead, bindWrite, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import { listTaxRates } from './list-tax-rates.ts';
import { setTaxRate } from './set-tax-rate.ts';
import { removeTaxRate } from './remove-tax-rate.ts';
import type { ReadContext, WriteContext } from '#core/context.ts';
import { requireProfile, changeProfile } from './billing-profile.ts';
import type { Input } from '#core/operation.ts';

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
