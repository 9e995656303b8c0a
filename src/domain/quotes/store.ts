import { exactlyOne, first, type Sql } from '#core/sql.ts';
import { organizationOf, type OrganizationScope, type Scope } from '#core/scope.ts';
import type { CostBreakdown, LineItem } from '#domain/pricing/contract.ts';

export interface QuoteRow {
  readonly id: string;
  readonly organization_id: string;
  readonly experiment_id: string;
  readonly quote_number: string;
  readonly status: 'draft' | 'open' | 'accepted' | 'canceled' | 'stale';
  readonly pricing_version: string;
  readonly currency: string;
  readonly line_items: LineItem[];
  readonly breakdown: CostBreakdown;
  readonly subtotal_cents: number;
  readonly tax_cents: number;
  readonly total_cents: number;
  readonly notes: string;
  readonly terms_and_conditions: string;
  readonly valid_until: string;
  readonly created_at: string;
  readonly updated_at: string;
}

const COLUMNS = `id, organization_id, experiment_id, quote_number, status, pricing_version, currency, line_items,
  breakdown, subtotal_cents, tax_cents, total_cents, notes, terms_and_conditions, valid_until, created_at, updated_at`;

export async function findQuote(scope: Scope, sql: Sql, id: string): Promise<QuoteRow | undefined> {
  const rows = await sql.query<QuoteRow>(
    `select ${COLUMNS} from quotes where ($1::uuid is null or organization_id = $1) and id = $2`,
    [organizationOf(scope), id],
  );
  return first(rows);
}

/** The quote that is alive, or the last one that was. */
export async function latestQuote(
  scope: Scope,
  sql: Sql,
  experimentId: string,
): Promise<QuoteRow | undefined> {
  const rows = await sql.query<QuoteRow>(
    `select ${COLUMNS} from quotes where ($1::uuid is null or organization_id = $1) and experiment_id = $2
     order by (status in ('draft', 'open', 'accepted')) desc, created_at desc, id desc limit 1`,
    [organizationOf(scope), experimentId],
  );
  return first(rows);
}

export async function nextQuoteNumber(_lab: Scope, sql: Sql): Promise<number> {
  return exactlyOne(await sql.query<{ number: number }>(`select nextval('quote_numbers') as number`)).number;
}

export interface NewQuote {
  readonly id: string;
  readonly experimentId: string;
  readonly quoteNumber: string;
  readonly breakdown: CostBreakdown;
  readonly lineItems: readonly LineItem[];
  readonly subtotalCents: number;
  readonly taxCents: number;
  readonly totalCents: number;
  readonly currency: string;
  readonly terms: string;
  readonly validUntil: Date;
  readonly createdAt: Date;
}

export async function insertQuote(scope: OrganizationScope, sql: Sql, quote: NewQuote): Promise<void> {
  await sql.query(
    `insert into quotes (id, organization_id, experiment_id, quote_number, status, pricing_version, currency,
       line_items, breakdown, subtotal_cents, tax_cents, total_cents, notes, terms_and_conditions, valid_until,
       created_at, updated_at)
     values ($1, $2, $3, $4, 'draft', $5, $6, $7, $8, $9, $10, $11, '', $12, $13, $14, $14)`,
    [
      quote.id,
      organizationOf(scope),
      quote.experimentId,
      quote.quoteNumber,
      quote.breakdown.pricing_version,
      quote.currency,
      JSON.stringify(quote.lineItems),
      JSON.stringify(quote.breakdown),
      quote.subtotalCents,
      quote.taxCents,
      quote.totalCents,
      quote.terms,
      quote.validUntil,
      quote.createdAt,
    ],
  );
}

/** Only a draft can be priced again; an open quote never changes. */
export async function repriceDraft(
  scope: Scope,
  sql: Sql,
  id: string,
  price: Pick<
    NewQuote,
    'breakdown' | 'lineItems' | 'subtotalCents' | 'taxCents' | 'totalCents' | 'validUntil'
  >,
  at: Date,
): Promise<void> {
  await sql.query(
    `update quotes set pricing_version = $3, line_items = $4, breakdown = $5, subtotal_cents = $6, tax_cents = $7,
       total_cents = $8, valid_until = $9, updated_at = $10
     where ($1::uuid is null or organization_id = $1) and id = $2 and status = 'draft'`,
    [
      organizationOf(scope),
      id,
      price.breakdown.pricing_version,
      JSON.stringify(price.lineItems),
      JSON.stringify(price.breakdown),
      price.subtotalCents,
      price.taxCents,
      price.totalCents,
      price.validUntil,
      at,
    ],
  );
}

/** Compare-and-set of the status; the experiment's row is locked by the caller. */
export async function setQuoteStatus(
  scope: Scope,
  sql: Sql,
  id: string,
  change: {
    readonly from: QuoteRow['status'];
    readonly to: QuoteRow['status'];
    readonly at: Date;
    readonly rejection?: { reason: string; feedback: string | null };
    readonly notes?: string;
  },
): Promise<void> {
  const rows = await sql.query<{ id: string }>(
    `update quotes set status = $4, updated_at = $5, rejection = coalesce($6, rejection), notes = coalesce($7, notes)
     where ($1::uuid is null or organization_id = $1) and id = $2 and status = $3 returning id`,
    [
      organizationOf(scope),
      id,
      change.from,
      change.to,
      change.at,
      change.rejection === undefined ? null : JSON.stringify(change.rejection),
      change.notes ?? null,
    ],
  );
  exactlyOne(rows);
}

/** Open quotes past their date, oldest first. */
export async function expiredQuotes(
  _lab: Scope,
  sql: Sql,
  now: Date,
  limit: number,
): Promise<{ id: string; experiment_id: string }[]> {
  return sql.query(
    `select id, experiment_id from quotes where status = 'open' and valid_until <= $1 order by valid_until limit $2`,
    [now, limit],
  );
}
