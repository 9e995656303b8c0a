/** The stored state of our quotes at outside processors. */
import type { Sql } from '#core/sql.ts';
import { expression, insertWhere, updateRows } from '#core/write-rows.ts';
import { getOrganizationId, type OrganizationScope, type Scope } from '#core/scope.ts';
import { createProcessorQueue } from './processor-queue-store.ts';

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

export const {
  find: findProcessorQuote,
  due: listDueProcessorQuotes,
  claim: claimProcessorQuote,
  makeDue: makeProcessorQuoteDue,
  postpone: postponeProcessorQuote,
} = createProcessorQueue<ProcessorQuoteRow>({
  table: 'processor_quotes',
  key: 'quote_id',
  columns: [
    'quote_id',
    'organization_id',
    'processor',
    'provider_id',
    'status',
    'provider_invoice_id',
    'attempts',
    'attempted_at',
  ],
  isOpen: `status in ('wanted', 'open')`,
});

/** Requests a quote at the processor, in the transaction that opens ours. Returns false for a quote over nothing. */
export async function insertProcessorQuote(
  scope: OrganizationScope,
  sql: Sql,
  order: { readonly quoteId: string; readonly processor: string; readonly at: Date },
): Promise<boolean> {
  const rows = await sql.query<{ quote_id: string }>(
    ...insertWhere(
      'processor_quotes',
      {
        quote_id: order.quoteId,
        organization_id: scope.organizationId,
        processor: order.processor,
        status: 'wanted',
        next_at: order.at,
        created_at: order.at,
        updated_at: order.at,
      },
      expression`exists (select 1 from quotes
        where organization_id = ${scope.organizationId} and id = ${order.quoteId} and total_cents > 0)`,
      'on conflict (quote_id) do nothing returning quote_id',
    ),
  );
  return rows.length > 0;
}

/** Records an attempt before the quote is requested during the creation of its invoice. */
export async function updateQuoteAttempt(scope: Scope, sql: Sql, quoteId: string, at: Date): Promise<void> {
  await sql.query(
    `update processor_quotes set attempted_at = coalesce(attempted_at, $3), updated_at = $3
     where ($1::uuid is null or organization_id = $1) and quote_id = $2`,
    [getOrganizationId(scope), quoteId, at],
  );
}

/** Records the state that the processor reported. An accepted quote stays accepted. */
export async function recordProcessorQuote(
  scope: Scope,
  sql: Sql,
  quoteId: string,
  seen: {
    /** Null leaves the status unchanged. */
    readonly status: ProcessorQuoteRow['status'] | null;
    readonly providerId: string | null;
    readonly providerInvoiceId: string | null;
    readonly error: string | null;
    readonly nextAt: Date | null;
    readonly at: Date;
  },
): Promise<void> {
  await sql.query(
    ...updateRows(
      'processor_quotes',
      {
        status: expression`coalesce(${seen.status}, status)`,
        provider_id: expression`coalesce(${seen.providerId}, provider_id)`,
        provider_invoice_id: expression`coalesce(${seen.providerInvoiceId}, provider_invoice_id)`,
        last_error: seen.error,
        next_at: seen.nextAt,
        attempts: 0,
        updated_at: seen.at,
      },
      `where ($1::uuid is null or organization_id = $1) and quote_id = $2 and status <> 'accepted'`,
      [getOrganizationId(scope), quoteId],
    ),
  );
}
