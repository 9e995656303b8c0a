import { getExactlyOne, getFirst, type Sql } from '#core/sql.ts';
import { expression, insertOwned, updateRows, type Columns } from '#core/write-rows.ts';
import { getOrganizationId, type LabScope, type OrganizationScope, type Scope } from '#core/scope.ts';
import type { Parties } from '../billing/rules.ts';
import type { AppliedTax, CostBreakdown, LineItem } from '../pricing/contract.ts';
import type { Totals } from '../pricing/totals.ts';
import type { Composition } from './lab-contract.ts';
import { labQuotesList, quotesList, type Rejection } from './lists.ts';
import { CURRENT_FIRST, FROM_SHOWN_QUOTE, IS_SHOWN } from './shown-quote.ts';
import type { ListQuery } from '#core/filter/index.ts';
import { listPage } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';

export interface QuoteRow {
  readonly id: string;
  readonly organization_id: string;
  readonly experiment_id: string;
  readonly quote_number: string;
  readonly status: 'draft' | 'open' | 'accepted' | 'canceled' | 'stale';
  readonly pricing_version: string;
  readonly currency: string;
  readonly line_items: LineItem[];
  /** Null for a quote by hand. */
  readonly breakdown: CostBreakdown | null;
  readonly origin: 'price_list' | 'custom';
  readonly composition: Composition | null;
  readonly tax: AppliedTax | null;
  readonly parties: Parties | null;
  readonly opened_at: string | null;
  /** The expected date of the results on the day of the opening. */
  readonly opened_eta: string | null;
  /** Whether a client may see it. */
  readonly is_shown: boolean;
  readonly acceptance_notes: string | null;
  /** The client's reason for rejecting the quote. */
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

/** Of quotes `q`. */
const COLUMNS = `q.id, q.organization_id, q.experiment_id, q.quote_number, q.status, q.pricing_version, q.currency,
  q.line_items, q.breakdown, q.subtotal_cents, q.tax_cents, q.total_cents, q.notes, q.terms_and_conditions,
  q.valid_until, q.created_at, q.updated_at, q.origin, q.composition, q.tax, q.parties, q.opened_at, q.opened_eta,
  q.acceptance_notes, q.rejection,
  ${IS_SHOWN} as is_shown`;

export async function findQuote(scope: Scope, sql: Sql, id: string): Promise<QuoteRow | undefined> {
  return getFirst(await selectById(scope, sql, id));
}

function selectById(scope: Scope, sql: Sql, id: string): Promise<QuoteRow[]> {
  return sql.query<QuoteRow>(
    `select ${COLUMNS} from quotes q where ($1::uuid is null or q.organization_id = $1) and q.id = $2`,
    [getOrganizationId(scope), id],
  );
}

/** Finds the current quote, or the last one; a draft that never became a quote only where there is no other. */
export async function selectLatestQuote(
  scope: Scope,
  sql: Sql,
  experimentId: string,
): Promise<QuoteRow | undefined> {
  const rows = await sql.query<QuoteRow>(
    `select ${COLUMNS} from quotes q where ($1::uuid is null or q.organization_id = $1) and q.experiment_id = $2
     order by ${CURRENT_FIRST} limit 1`,
    [getOrganizationId(scope), experimentId],
  );
  return getFirst(rows);
}

/** Finds the quote of an experiment that its client may see. */
export async function findShownQuote(
  scope: OrganizationScope,
  sql: Sql,
  experimentId: string,
): Promise<QuoteRow | undefined> {
  const rows = await sql.query<QuoteRow>(
    `select shown.* from experiments e cross join lateral (select ${COLUMNS} ${FROM_SHOWN_QUOTE}) shown
     where e.organization_id = $1 and e.id = $2`,
    [scope.organizationId, experimentId],
  );
  return getFirst(rows);
}

export async function takeQuoteNumber(sql: Sql): Promise<number> {
  return getExactlyOne(await sql.query<{ number: number }>(`select nextval('quote_numbers') as number`))
    .number;
}

interface NewQuote extends QuoteContent {
  readonly id: string;
  readonly experiment_id: string;
  readonly quote_number: string;
  readonly currency: string;
  readonly created_at: Date;
}

/** The fields of a draft that can still change. */
export interface QuoteContent {
  readonly pricing_version: string;
  readonly breakdown: CostBreakdown | null;
  readonly composition: Composition | null;
  readonly line_items: readonly LineItem[];
  readonly subtotal_cents: number;
  readonly tax_cents: number;
  readonly total_cents: number;
  readonly tax: AppliedTax;
  readonly notes: string;
  readonly terms_and_conditions: string;
  readonly valid_until: Date;
}

function stringifyContent({ breakdown, composition, line_items: lines, tax }: QuoteContent) {
  const stringifyJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
  return {
    breakdown: stringifyJson(breakdown),
    composition: stringifyJson(composition),
    line_items: JSON.stringify(lines),
    tax: JSON.stringify(tax),
  } satisfies Columns<'quotes'>;
}

export async function insertQuote(scope: OrganizationScope, sql: Sql, quote: NewQuote): Promise<void> {
  await sql.query(
    ...insertOwned(scope, 'quotes', {
      ...quote,
      status: 'draft',
      updated_at: quote.created_at,
      origin: quote.composition === null ? 'price_list' : 'custom',
      ...stringifyContent(quote),
    }),
  );
}

/** Rewrites a draft. An open quote never changes. */
export async function rewriteDraft(
  scope: Scope,
  sql: Sql,
  id: string,
  content: QuoteContent,
  at: Date,
): Promise<void> {
  const rows = await sql.query<{ id: string }>(
    ...updateRows(
      'quotes',
      { ...content, ...stringifyContent(content), updated_at: at },
      `where ($1::uuid is null or organization_id = $1) and id = $2 and status = 'draft' returning id`,
      [getOrganizationId(scope), id],
    ),
  );
  getExactlyOne(rows);
}

/** Opens the quote for the client; its content is fixed from now on. */
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
): Promise<QuoteRow> {
  const { parties, tax, totals, at } = opening;
  const rows = await sql.query<{ id: string }>(
    ...updateRows(
      'quotes',
      {
        ...totals,
        status: 'open',
        parties: JSON.stringify(parties),
        opened_at: at,
        opened_eta: expression`(select eta from experiments where id = quotes.experiment_id)`,
        updated_at: at,
        tax: JSON.stringify(tax),
      },
      `where ($1::uuid is null or organization_id = $1) and id = $2 and status = 'draft' returning id`,
      [getOrganizationId(scope), id],
    ),
  );
  getExactlyOne(rows);
  return getExactlyOne(await selectById(scope, sql, id));
}

/** Compare-and-set of the status. The caller holds the lock of the experiment's row. */
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
      getOrganizationId(scope),
      id,
      change.from,
      change.to,
      change.at,
      change.rejection === undefined ? null : JSON.stringify(change.rejection),
      change.acceptanceNotes ?? null,
    ],
  );
  getExactlyOne(rows);
}

/** Open quotes past their end date, oldest first. */
export async function selectExpiredQuotes(
  _lab: LabScope,
  sql: Sql,
  now: Date,
  limit: number,
): Promise<{ id: string; experiment_id: string }[]> {
  return sql.query(
    `select id, experiment_id from quotes where status = 'open' and valid_until <= $1 order by valid_until limit $2`,
    [now, limit],
  );
}

const OWN = `q.organization_id = $1 and ${IS_SHOWN}`;

export function listQuotePage(scope: Scope, sql: Sql, query: ListQuery, baseUrl: string): Promise<RawJson> {
  const isLab = scope.kind === 'lab';
  return listPage(
    sql,
    {
      item: (isLab ? labQuotesList : quotesList).columns,
      from: 'quotes q',
      alias: 'q',
      joins: [
        { alias: 'e', sql: 'join experiments e on e.id = q.experiment_id' },
        ...(isLab ? [{ alias: 'o', sql: 'join organizations o on o.id = q.organization_id' }] : []),
      ],
      where: `${isLab ? '$1::uuid is null' : OWN} and $2::text is not null`,
      values: [getOrganizationId(scope), baseUrl],
    },
    query,
  );
}
