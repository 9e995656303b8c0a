/** What is known of our quotes at the processor that holds them beside us. */
import { first, type Sql } from '#core/sql.ts';
import { organizationOf, type OrganizationScope, type Scope } from '#core/scope.ts';

export interface ProcessorQuoteRow {
  readonly quote_id: string;
  readonly organization_id: string;
  readonly processor: string;
  readonly provider_id: string | null;
  readonly status: 'wanted' | 'open' | 'accepted' | 'canceled' | 'refused';
  readonly provider_invoice_id: string | null;
  readonly attempts: number;
  readonly attempted_at: string | null;
}

const COLUMNS = `quote_id, organization_id, processor, provider_id, status, provider_invoice_id, attempts, attempted_at`;

/** Asks for a quote at the processor, in the transaction that opens ours. False for one over nothing. */
export async function wantProcessorQuote(
  scope: OrganizationScope,
  sql: Sql,
  order: { readonly quoteId: string; readonly processor: string; readonly at: Date },
): Promise<boolean> {
  const rows = await sql.query<{ quote_id: string }>(
    `insert into processor_quotes (quote_id, organization_id, processor, status, next_at, created_at, updated_at)
     select id, organization_id, $3, 'wanted', $4, $4, $4 from quotes
     where organization_id = $1 and id = $2 and total_cents > 0
     on conflict (quote_id) do nothing returning quote_id`,
    [organizationOf(scope), order.quoteId, order.processor, order.at],
  );
  return rows.length > 0;
}

export async function findProcessorQuote(
  scope: Scope,
  sql: Sql,
  quoteId: string,
): Promise<ProcessorQuoteRow | undefined> {
  return first(
    await sql.query<ProcessorQuoteRow>(
      `select ${COLUMNS} from processor_quotes where ($1::uuid is null or organization_id = $1) and quote_id = $2`,
      [organizationOf(scope), quoteId],
    ),
  );
}

export async function dueProcessorQuotes(
  scope: Scope,
  sql: Sql,
  due: { readonly now: Date; readonly limit: number; readonly processors: readonly string[] },
): Promise<{ quote_id: string }[]> {
  return sql.query<{ quote_id: string }>(
    `select quote_id from processor_quotes
     where ($1::uuid is null or organization_id = $1) and next_at <= $2 and processor = any($4)
     order by next_at limit $3`,
    [organizationOf(scope), due.now, due.limit, due.processors],
  );
}

/**
 * Takes one that is due, and writes the attempt down before anything is asked of the processor. Undefined when another
 * has it. The row tells of the time before: `attempted_at` is null at the first attempt.
 */
export async function claimProcessorQuote(
  scope: Scope,
  sql: Sql,
  quoteId: string,
  claim: { readonly now: Date; readonly until: Date; readonly processors: readonly string[] },
): Promise<ProcessorQuoteRow | undefined> {
  return first(
    await sql.query<ProcessorQuoteRow>(
      `update processor_quotes p set attempts = p.attempts + 1, attempted_at = coalesce(p.attempted_at, $3),
         next_at = $4, updated_at = $3
       from (select quote_id, attempted_at as before from processor_quotes where quote_id = $2 for update) old
       where ($1::uuid is null or p.organization_id = $1) and p.quote_id = old.quote_id and p.next_at <= $3
         and p.processor = any($5)
       returning p.quote_id, p.organization_id, p.processor, p.provider_id, p.status, p.provider_invoice_id,
         p.attempts, old.before as attempted_at`,
      [organizationOf(scope), quoteId, claim.now, claim.until, claim.processors],
    ),
  );
}

/** Written down before the quote is asked for on the way to its invoice. */
export async function noteQuoteAttempt(scope: Scope, sql: Sql, quoteId: string, at: Date): Promise<void> {
  await sql.query(
    `update processor_quotes set attempted_at = coalesce(attempted_at, $3), updated_at = $3
     where ($1::uuid is null or organization_id = $1) and quote_id = $2`,
    [organizationOf(scope), quoteId, at],
  );
}

/** What was learned. One that was accepted stays so. */
export async function recordProcessorQuote(
  scope: Scope,
  sql: Sql,
  quoteId: string,
  seen: {
    /** Null: as it was. */
    readonly status: ProcessorQuoteRow['status'] | null;
    readonly providerId: string | null;
    readonly providerInvoiceId: string | null;
    readonly error: string | null;
    readonly nextAt: Date | null;
    readonly at: Date;
  },
): Promise<void> {
  await sql.query(
    `update processor_quotes set status = coalesce($3, status), provider_id = coalesce($4, provider_id), provider_invoice_id = coalesce($5, provider_invoice_id),
       last_error = $6, next_at = $7, attempts = 0, updated_at = $8
     where ($1::uuid is null or organization_id = $1) and quote_id = $2 and status <> 'accepted'`,
    [
      organizationOf(scope),
      quoteId,
      seen.status,
      seen.providerId,
      seen.providerInvoiceId,
      seen.error,
      seen.nextAt,
      seen.at,
    ],
  );
}

/** Something about it has changed here. False when no processor holds it, or what became of it there is final. */
export async function hastenProcessorQuote(
  scope: Scope,
  sql: Sql,
  quoteId: string,
  at: Date,
): Promise<boolean> {
  const rows = await sql.query<{ quote_id: string }>(
    `update processor_quotes set next_at = least(coalesce(next_at, $3), $3)
     where ($1::uuid is null or organization_id = $1) and quote_id = $2 and status in ('wanted', 'open')
     returning quote_id`,
    [organizationOf(scope), quoteId, at],
  );
  return rows.length > 0;
}

export async function postponeProcessorQuote(
  scope: Scope,
  sql: Sql,
  quoteId: string,
  retry: { readonly nextAt: Date; readonly error: string; readonly at: Date },
): Promise<void> {
  await sql.query(
    `update processor_quotes set next_at = $3, last_error = $4, updated_at = $5
     where ($1::uuid is null or organization_id = $1) and quote_id = $2`,
    [organizationOf(scope), quoteId, retry.nextAt, retry.error, retry.at],
  );
}
