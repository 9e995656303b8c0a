import { exactlyOne, first, type Sql } from '#core/sql.ts';
import { organizationOf, type OrganizationScope, type Scope } from '#core/scope.ts';
import type { Parties } from '#domain/billing/rules.ts';
import type { AppliedTax, CostBreakdown, LineItem } from '#domain/pricing/contract.ts';
import type { Totals } from '#domain/pricing/totals.ts';
import type { Composition, Rejection } from './lab-contract.ts';

export interface QuoteRow {
  readonly id: string;
  readonly organization_id: string;
  readonly experiment_id: string;
  readonly quote_number: string;
  readonly status: 'draft' | 'open' | 'accepted' | 'canceled' | 'stale';
  readonly pricing_version: string;
  readonly currency: string;
  readonly line_items: LineItem[];
  /** Null for a quote that the lab made by hand. */
  readonly breakdown: CostBreakdown | null;
  readonly origin: 'price_list' | 'custom';
  readonly composition: Composition | null;
  readonly tax: AppliedTax | null;
  readonly parties: Parties | null;
  readonly opened_at: string | null;
  readonly acceptance_notes: string | null;
  /** What the client said when it rejected the quote. */
  readonly rejection: Rejection | null;
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
  breakdown, subtotal_cents, tax_cents, total_cents, notes, terms_and_conditions, valid_until, created_at, updated_at, origin,
  composition, tax, parties, opened_at, acceptance_notes, rejection`;

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

export interface NewQuote extends QuoteContent {
  readonly id: string;
  readonly experimentId: string;
  readonly quoteNumber: string;
  readonly currency: string;
  readonly createdAt: Date;
}

/** What a draft can still change. */
export interface QuoteContent {
  readonly pricingVersion: string;
  readonly breakdown: CostBreakdown | null;
  readonly composition: Composition | null;
  readonly lineItems: readonly LineItem[];
  readonly subtotalCents: number;
  readonly taxCents: number;
  readonly totalCents: number;
  readonly tax: AppliedTax;
  readonly notes: string;
  readonly terms: string;
  readonly validUntil: Date;
}

function contentValues(content: QuoteContent): unknown[] {
  const asJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
  return [
    content.pricingVersion,
    asJson(content.breakdown),
    asJson(content.composition),
    asJson(content.lineItems),
    content.subtotalCents,
    content.taxCents,
    content.totalCents,
    asJson(content.tax),
    content.notes,
    content.terms,
    content.validUntil,
  ];
}

export async function insertQuote(scope: OrganizationScope, sql: Sql, quote: NewQuote): Promise<void> {
  await sql.query(
    `insert into quotes (id, organization_id, experiment_id, quote_number, status, currency, created_at, updated_at,
       origin, pricing_version, breakdown, composition, line_items, subtotal_cents, tax_cents, total_cents, tax, notes,
       terms_and_conditions, valid_until)
     values ($1, $2, $3, $4, 'draft', $5, $6, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
    [
      quote.id,
      organizationOf(scope),
      quote.experimentId,
      quote.quoteNumber,
      quote.currency,
      quote.createdAt,
      quote.composition === null ? 'price_list' : 'custom',
      ...contentValues(quote),
    ],
  );
}

/** Only a draft can be rewritten; an open quote never changes. */
export async function rewriteDraft(
  scope: Scope,
  sql: Sql,
  id: string,
  content: QuoteContent,
  at: Date,
): Promise<void> {
  const rows = await sql.query<{ id: string }>(
    `update quotes set updated_at = $3, pricing_version = $4, breakdown = $5, composition = $6, line_items = $7,
       subtotal_cents = $8, tax_cents = $9, total_cents = $10, tax = $11, notes = $12, terms_and_conditions = $13,
       valid_until = $14
     where ($1::uuid is null or organization_id = $1) and id = $2 and status = 'draft' returning id`,
    [organizationOf(scope), id, at, ...contentValues(content)],
  );
  exactlyOne(rows);
}

/** From here on the quote is what the client has seen. */
export async function markOpen(
  scope: Scope,
  sql: Sql,
  id: string,
  opening: {
    readonly parties: Parties;
    readonly tax: AppliedTax;
    readonly totals: Totals;
    readonly at: Date;
  },
): Promise<void> {
  const rows = await sql.query<{ id: string }>(
    `update quotes set status = 'open', parties = $3, opened_at = $4, updated_at = $4, tax = $5, subtotal_cents = $6,
       tax_cents = $7, total_cents = $8
     where ($1::uuid is null or organization_id = $1) and id = $2 and status = 'draft' returning id`,
    [
      organizationOf(scope),
      id,
      JSON.stringify(opening.parties),
      opening.at,
      JSON.stringify(opening.tax),
      opening.totals.subtotal_cents,
      opening.totals.tax_cents,
      opening.totals.total_cents,
    ],
  );
  exactlyOne(rows);
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
    readonly rejection?: Rejection;
    readonly acceptanceNotes?: string;
  },
): Promise<void> {
  const rows = await sql.query<{ id: string }>(
    `update quotes set status = $4, updated_at = $5, rejection = coalesce($6, rejection), acceptance_notes = coalesce($7, acceptance_notes)
     where ($1::uuid is null or organization_id = $1) and id = $2 and status = $3 returning id`,
    [
      organizationOf(scope),
      id,
      change.from,
      change.to,
      change.at,
      change.rejection === undefined ? null : JSON.stringify(change.rejection),
      change.acceptanceNotes ?? null,
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
