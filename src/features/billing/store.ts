import type { OrganizationScope } from '#core/scope.ts';
import { getExactlyOne, getFirst, type Sql } from '#core/sql.ts';
import { insertInto, insertOwned } from '#core/write-rows.ts';
import type { AppliedTax } from '../pricing/contract.ts';
import { applyTaxRate, type BillingProfile, type TaxRate } from './rules.ts';

export interface ProfileRow extends BillingProfile {
  readonly organization_id: string;
  readonly organization_name: string;
}

/** The billing profile and the tax rate of its country, read at the same moment. */
export interface BilledRow extends ProfileRow {
  readonly rate: TaxRate | null;
}

const RATE = `case when r.country is not null then json_build_object('name', r.name, 'treatment', r.treatment,
  'rate_basis_points', r.rate_basis_points, 'note', r.note) end as rate`;

/** Every organization has a profile; fields that were never set are null. */
export async function findProfile(scope: OrganizationScope, sql: Sql): Promise<ProfileRow | undefined> {
  const rows = await sql.query<ProfileRow>(
    `select o.id as organization_id, o.name as organization_name, b.legal_name, b.address, b.country, b.tax_id,
       b.page_size
     from organizations o left join billing_profiles b on b.organization_id = o.id where o.id = $1`,
    [scope.organizationId],
  );
  return getFirst(rows);
}

export async function saveProfile(
  scope: OrganizationScope,
  sql: Sql,
  profile: BillingProfile,
  at: Date,
): Promise<void> {
  await sql.query(
    ...insertOwned(
      scope,
      'billing_profiles',
      {
        legal_name: profile.legal_name,
        address: profile.address,
        country: profile.country,
        tax_id: profile.tax_id,
        page_size: profile.page_size,
        updated_at: at,
      },
      `on conflict (organization_id) do update set legal_name = excluded.legal_name,
       address = excluded.address, country = excluded.country, tax_id = excluded.tax_id,
       page_size = excluded.page_size, updated_at = excluded.updated_at`,
    ),
  );
}

/** Reads the current profile and its tax rate in one statement, so that the two belong together. */
export async function selectBilled(scope: OrganizationScope, sql: Sql): Promise<BilledRow> {
  const rows = await sql.query<BilledRow>(
    `select o.id as organization_id, o.name as organization_name, b.legal_name, b.address, b.country, b.tax_id,
       b.page_size, ${RATE}
     from organizations o left join billing_profiles b on b.organization_id = o.id
     left join tax_rates r on r.country = b.country where o.id = $1`,
    [scope.organizationId],
  );
  return getExactlyOne(rows);
}

/** Finds the tax that the organization pays now, by the rate of its country. */
export async function selectAppliedTax(scope: OrganizationScope, sql: Sql): Promise<AppliedTax> {
  const { rate, tax_id: taxId } = await selectBilled(scope, sql);
  return applyTaxRate(rate, taxId);
}

export interface TaxRateRow extends TaxRate {
  readonly country: string;
  readonly updated_at: string;
}

export async function selectTaxRates(sql: Sql): Promise<TaxRateRow[]> {
  return sql.query<TaxRateRow>(
    `select country, name, treatment, rate_basis_points, note, updated_at from tax_rates order by country`,
  );
}

export async function saveTaxRate(sql: Sql, country: string, rate: TaxRate, at: Date): Promise<TaxRateRow> {
  const rows = await sql.query<TaxRateRow>(
    ...insertInto(
      'tax_rates',
      {
        country,
        name: rate.name,
        treatment: rate.treatment,
        rate_basis_points: rate.rate_basis_points,
        note: rate.note,
        updated_at: at,
      },
      `on conflict (country) do update set name = excluded.name, treatment = excluded.treatment,
       rate_basis_points = excluded.rate_basis_points, note = excluded.note, updated_at = excluded.updated_at
     returning country, name, treatment, rate_basis_points, note, updated_at`,
    ),
  );
  return getExactlyOne(rows);
}

/** Returns false when the country had no rate. */
export async function removeTaxRate(sql: Sql, country: string): Promise<boolean> {
  const rows = await sql.query(`delete from tax_rates where country = $1 returning country`, [country]);
  return rows.length > 0;
}
