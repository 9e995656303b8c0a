/**
 * Operations on billing details and tax rates.
 * This folder: who is billed, where, and with which tax. Not here: prices (`features/pricing`), invoices.
 */
import { ONE_LINE } from '#core/one-line.ts';
import { OrganizationName, UpdatedAt } from '#core/fields.ts';
import { defineOperation } from '#core/operation.ts';
import { describe, Nullable, OneOf, strict, Type, Uuid } from '#core/schema.ts';

const COUNTRY = 'ISO 3166-1 alpha-2, such as DE';
const COUNTRY_PATTERN = '^[A-Z]{2}$';
/** A single line of printable text. */
const defineLine = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: ONE_LINE });

const profile = {
  legal_name: Nullable(defineLine(200), {
    description: 'name on documents; null: the name of the organization is printed',
  }),
  address: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 600,
      pattern: '^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f]*$',
    }),
    { description: 'up to ten lines, separated by line feeds; null: none is printed' },
  ),
  country: Nullable(Type.String({ pattern: COUNTRY_PATTERN, description: COUNTRY }), {
    description: 'null: not known, so no tax is charged',
  }),
  tax_id: Nullable(defineLine(50), {
    description:
      'VAT number or the like; in the European Union the VAT number with its country letters; null: none',
  }),
  page_size: Nullable(OneOf(['a4', 'letter']), {
    description: 'paper size of documents; null: chosen by the country',
  }),
};

const Profile = Type.Object({
  organization_id: describe(Uuid, 'the organization that is billed'),
  organization_name: OrganizationName,
  ...profile,
});
const Changes = Type.Partial(Type.Object(profile), {
  ...strict,
  description: 'an omitted field is kept; null clears a field',
});

const example = {
  organization_id: '01980000-0000-7000-8000-0000000000b1',
  organization_name: 'Demo organization',
  legal_name: 'Demo Biosciences GmbH',
  address: 'Accounts Payable\n1 Example Street\n10115 Berlin',
  country: 'DE',
  tax_id: 'DE000000000',
  page_size: null,
};

export const getBillingProfile = defineOperation({
  id: 'get_billing_profile',
  method: 'GET',
  path: '/billing/profile',
  tag: 'billing',
  summary: 'Read the billing details on your quotes and invoices',
  effect: 'read',
  permission: 'billing:read',
  output: Profile,
  failures: [],
  example: { output: example },
});

export const updateBillingProfile = defineOperation({
  id: 'update_billing_profile',
  method: 'PATCH',
  path: '/billing/profile',
  tag: 'billing',
  summary: 'Change the billing details on your quotes and invoices',
  description:
    'Country and tax id decide the tax. Open quotes, and invoices made from them, keep their buyer and tax. An omitted field is kept; null clears a field.',
  effect: 'reversible',
  permission: 'billing:update',
  bodyMode: 'required',
  body: Changes,
  output: Profile,
  failures: ['invalid_request'],
  example: { body: { country: 'DE', tax_id: 'DE000000000' }, output: example },
});

const OrganizationParams = Type.Object({
  organization_id: Type.String({ format: 'uuid', description: 'UUID; quotes and invoices name it' }),
});

export const getOrganizationBilling = defineOperation({
  id: 'get_organization_billing',
  method: 'GET',
  path: '/lab/organizations/{organization_id}/billing',
  tag: 'billing',
  summary: 'Read the billing details of an organization',
  effect: 'read',
  permission: 'lab:read',
  params: OrganizationParams,
  output: Profile,
  failures: ['organization_not_found'],
  example: { params: { organization_id: example.organization_id }, output: example },
});

export const updateOrganizationBilling = defineOperation({
  id: 'update_organization_billing',
  method: 'PATCH',
  path: '/lab/organizations/{organization_id}/billing',
  tag: 'billing',
  summary: 'Change the billing details of an organization',
  description: 'An omitted field is kept; null clears a field.',
  effect: 'reversible',
  permission: 'lab:bill',
  params: OrganizationParams,
  bodyMode: 'required',
  body: Changes,
  output: Profile,
  failures: ['organization_not_found', 'invalid_request'],
  example: {
    params: { organization_id: example.organization_id },
    body: { country: 'DE' },
    output: example,
  },
});

const NAME_LENGTH_MAX = 40;
const NAME = 'as it is printed, such as VAT';
const rate = {
  country: Type.String({ pattern: COUNTRY_PATTERN, description: COUNTRY }),
  name: Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, description: NAME }),
  treatment: OneOf(['taxed', 'reverse_charge', 'none'], {
    description: 'reverse_charge: zero for a buyer with a tax id, the rate for all others',
  }),
  rate_basis_points: Type.Integer({ minimum: 0, maximum: 10_000, description: '100 are 1 %' }),
};
const TaxRate = Type.Object({
  ...rate,
  note: Type.String({ description: 'printed under the sums; may be empty' }),
  updated_at: UpdatedAt,
});
const rateExample = {
  country: 'DE',
  name: 'VAT',
  treatment: 'reverse_charge' as const,
  rate_basis_points: 1900,
  note: '',
  updated_at: '2026-01-20T09:00:00.000Z',
};

export const listTaxRates = defineOperation({
  id: 'list_tax_rates',
  method: 'GET',
  path: '/lab/tax-rates',
  tag: 'billing',
  summary: 'List the tax rate of every country that has one; buyers elsewhere pay no tax',
  effect: 'read',
  permission: 'lab:read',
  output: Type.Object({ items: Type.Array(TaxRate, { description: 'all of them, by country' }) }),
  failures: [],
  example: { output: { items: [rateExample] } },
});

export const setTaxRate = defineOperation({
  id: 'set_tax_rate',
  method: 'POST',
  path: '/lab/tax-rates',
  tag: 'billing',
  summary: 'Set the tax rate of a country',
  description: 'New estimates and quotes use it; open quotes and invoices keep their rate.',
  effect: 'reversible',
  permission: 'lab:bill',
  bodyMode: 'required',
  body: Type.Object(
    {
      ...rate,
      name: describe(defineLine(NAME_LENGTH_MAX), NAME),
      note: Type.Optional(
        Type.String({ maxLength: 300, description: 'printed under the sums, such as why no tax is charged' }),
      ),
    },
    strict,
  ),
  output: TaxRate,
  failures: ['invalid_request'],
  example: {
    body: { country: 'DE', name: 'VAT', treatment: 'reverse_charge', rate_basis_points: 1900 },
    output: rateExample,
  },
});

export const removeTaxRate = defineOperation({
  id: 'remove_tax_rate',
  method: 'DELETE',
  path: '/lab/tax-rates/{country}',
  tag: 'billing',
  summary: 'Remove the tax rate of a country',
  effect: 'reversible',
  permission: 'lab:bill',
  params: Type.Object({ country: Type.String({ description: 'ISO 3166-1 alpha-2, such as DE' }) }),
  output: Type.Null(),
  success: 204,
  failures: ['tax_rate_not_found'],
  example: { params: { country: 'DE' } },
});
