import { organizationOf, type OrganizationScope, type Scope } from '#core/scope.ts';
import { exactlyOne, first, type Sql } from '#core/sql.ts';
import type { AppliedTax } from '#domain/pricing/contract.ts';
import { appliedTax, type BillingProfile, type TaxRate } from './rules.ts';

export interface ProfileRow extends BillingProfile {
  readonly organization_id: string;
  readonly organization_name: string;
}

/** The profile and the rate of its country, as they are at one moment. */
export interface BilledRow extends ProfileRow {
  readonly rate: TaxRate | null;
}

const RATE = `case when r.country is not null then json_build_object('name', r.name, 'treatment', r.treatment,
  'rate_basis_points', r.rate_basis_points, 'note', r.note) end as rate`;

/** Of every organization there is one; what was never set is null. */
export async function findProfile(
  _own: Scope,
  sql: Sql,
  organizationId: string,
): Promise<ProfileRow | undefined> {
  const rows = await sql.query<ProfileRow>(
    `select o.id as organization_id, o.name as organization_name, b.legal_name, b.address, b.country, b.tax_id,
       b.page_size
     from organizations o left join billing_profiles b on b.organization_id = o.id where o.id = $1`,
    [organizationId],
  );
  return first(rows);
}

export async function saveProfile(
  scope: OrganizationScope,
  sql: Sql,
  profile: BillingProfile,
  at: Date,
): Promise<void> {
  await sql.query(
    `insert into billing_profiles (organization_id, legal_name, address, country, tax_id, page_size, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (organization_id) do update set legal_name = $2, address = $3, country = $4, tax_id = $5,
       page_size = $6, updated_at = $7`,
    [
      organizationOf(scope),
      profile.legal_name,
      profile.address,
      profile.country,
      profile.tax_id,
      profile.page_size,
      at,
    ],
  );
}

/** Who is billed now and the rate that applies, read in one statement so that the two belong together. */
export async function billedNow(scope: OrganizationScope, sql: Sql): Promise<BilledRow> {
  const rows = await sql.query<BilledRow>(
    `select o.id as organization_id, o.name as organization_name, b.legal_name, b.address, b.country, b.tax_id,
       b.page_size, ${RATE}
     from organizations o left join billing_profiles b on b.organization_id = o.id
     left join tax_rates r on r.country = b.country where o.id = $1`,
    [organizationOf(scope)],
  );
  return exactlyOne(rows);
}

/** The tax that the organization pays now, by the rate of its country. */
export async function taxOf(scope: OrganizationScope, sql: Sql): Promise<AppliedTax> {
  const { rate, tax_id: taxId } = await billedNow(scope, sql);
  return appliedTax(rate, taxId);
}

export interface TaxRateRow extends TaxRate {
  readonly country: string;
  readonly updated_at: string;
}

export async function taxRates(_lab: Scope, sql: Sql): Promise<TaxRateRow[]> {
  return sql.query<TaxRateRow>(
    `select country, name, treatment, rate_basis_points, note, updated_at from tax_rates order by country`,
  );
}

export async function saveTaxRate(
  _lab: Scope,
  sql: Sql,
  country: string,
  rate: TaxRate,
  at: Date,
): Promise<TaxRateRow> {
  const rows = await sql.query<TaxRateRow>(
    `insert into tax_rates (country, name, treatment, rate_basis_points, note, updated_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (country) do update set name = $2, treatment = $3, rate_basis_points = $4, note = $5, updated_at = $6
     returning country, name, treatment, rate_basis_points, note, updated_at`,
    [country, rate.name, rate.treatment, rate.rate_basis_points, rate.note, at],
  );
  return exactlyOne(rows);
}

/** False when there was none. */
export async function removeTaxRate(_lab: Scope, sql: Sql, country: string): Promise<boolean> {
  const rows = await sql.query(`delete from tax_rates where country = $1 returning country`, [country]);
  return rows.length > 0;
}
