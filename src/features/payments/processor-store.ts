/** The stored state of our invoices at the processors that collect them. */
import { getFirst, type Sql } from '#core/sql.ts';
import { insertInto, updateRows } from '#core/write-rows.ts';
import { getOrganizationId, type OrganizationScope, type Scope } from '#core/scope.ts';
import { createProcessorQueue } from './processor-queue-store.ts';
import type { ProcessorInvoice } from './processor.ts';

export interface ProcessorInvoiceRow {
  readonly invoice_id: string;
  readonly organization_id: string;
  readonly processor: string;
  readonly provider_id: string | null;
  readonly status: 'wanted' | 'open' | 'paid' | 'void' | 'uncollectible';
  readonly hosted_url: string | null;
  readonly attempts: number;
  readonly attempted_at: string | null;
  readonly next_at: string | null;
  readonly created_at: string;
}

const COLUMNS = [
  'invoice_id',
  'organization_id',
  'processor',
  'provider_id',
  'status',
  'hosted_url',
  'attempts',
  'attempted_at',
  'next_at',
  'created_at',
] as const;

export const {
  find: findProcessorInvoice,
  due: listDueProcessorInvoices,
  claim: claimProcessorInvoice,
  makeDue: makeProcessorInvoiceDue,
  postpone: postponeProcessorInvoice,
} = createProcessorQueue<ProcessorInvoiceRow>({
  table: 'processor_invoices',
  key: 'invoice_id',
  columns: COLUMNS,
  isOpen: 'true',
});

/** Requests an invoice at the processor, in the transaction that opens ours. */
export async function insertProcessorInvoice(
  scope: OrganizationScope,
  sql: Sql,
  order: { readonly invoiceId: string; readonly processor: string; readonly at: Date },
): Promise<void> {
  await sql.query(
    ...insertInto(
      'processor_invoices',
      {
        invoice_id: order.invoiceId,
        organization_id: scope.organizationId,
        processor: order.processor,
        status: 'wanted',
        next_at: order.at,
        created_at: order.at,
        updated_at: order.at,
      },
      'on conflict (invoice_id) do nothing',
    ),
  );
}

/** Finds the invoice that a processor's notification is about, by its id or ours. */
export async function findNoticed(
  scope: Scope,
  sql: Sql,
  notice: {
    readonly processor: string;
    readonly providerId: string;
    readonly invoiceId: string | null;
  },
): Promise<ProcessorInvoiceRow | undefined> {
  return getFirst(
    await sql.query<ProcessorInvoiceRow>(
      `select ${COLUMNS.join(', ')} from processor_invoices
       where ($1::uuid is null or organization_id = $1) and processor = $2
         and (provider_id = $3 or invoice_id::text = $4)
       order by (provider_id = $3) desc nulls last limit 1`,
      [getOrganizationId(scope), notice.processor, notice.providerId, notice.invoiceId],
    ),
  );
}

/**
 * Moves invoices to another processor when their own can no longer be asked and was never asked for them. An invoice
 * that was requested stays, because it may exist there.
 */
export async function adoptUntried(
  scope: Scope,
  sql: Sql,
  by: { readonly processor: string; readonly processors: readonly string[]; readonly at: Date },
): Promise<void> {
  await sql.query(
    `update processor_invoices set processor = $2, next_at = $4, updated_at = $4
     where ($1::uuid is null or organization_id = $1) and next_at is not null and status = 'wanted'
       and attempted_at is null and not (processor = any($3))`,
    [getOrganizationId(scope), by.processor, by.processors, by.at],
  );
}

/** Counts the invoices that wait for each processor that cannot be asked. */
export async function countStrandedInvoices(
  scope: Scope,
  sql: Sql,
  processors: readonly string[],
): Promise<{ processor: string; count: number }[]> {
  return sql.query<{ processor: string; count: number }>(
    `select processor, count(*) as count from processor_invoices
     where ($1::uuid is null or organization_id = $1) and next_at is not null and not (processor = any($2))
     group by processor order by processor`,
    [getOrganizationId(scope), processors],
  );
}

export async function recordProcessorInvoice(
  scope: Scope,
  sql: Sql,
  invoiceId: string,
  seen: Pick<ProcessorInvoice, 'providerId' | 'hostedUrl'> & {
    readonly status: Exclude<ProcessorInvoice['status'], 'draft'>;
    readonly nextAt: Date | null;
    readonly at: Date;
  },
): Promise<void> {
  await sql.query(
    ...updateRows(
      'processor_invoices',
      {
        provider_id: seen.providerId,
        status: seen.status,
        hosted_url: seen.hostedUrl,
        next_at: seen.nextAt,
        attempts: 0,
        last_error: null,
        updated_at: seen.at,
      },
      `where ($1::uuid is null or organization_id = $1) and invoice_id = $2`,
      [getOrganizationId(scope), invoiceId],
    ),
  );
}

/** Marks an invoice that was never made at the processor and never will be. */
export async function abandonProcessorInvoice(
  scope: Scope,
  sql: Sql,
  invoiceId: string,
  at: Date,
): Promise<void> {
  await sql.query(
    `update processor_invoices set status = 'void', next_at = null, last_error = null, updated_at = $3
     where ($1::uuid is null or organization_id = $1) and invoice_id = $2`,
    [getOrganizationId(scope), invoiceId, at],
  );
}

export async function selectProcessorCustomer(
  scope: OrganizationScope,
  sql: Sql,
  processor: string,
): Promise<string | undefined> {
  const rows = await sql.query<{ customer_id: string }>(
    `select customer_id from processor_customers where organization_id = $1 and processor = $2`,
    [scope.organizationId, processor],
  );
  return getFirst(rows)?.customer_id;
}

/** Keeps the first customer that was stored. */
export async function keepProcessorCustomer(
  scope: OrganizationScope,
  sql: Sql,
  customer: { readonly processor: string; readonly customerId: string; readonly at: Date },
): Promise<void> {
  await sql.query(
    ...insertInto(
      'processor_customers',
      {
        organization_id: scope.organizationId,
        processor: customer.processor,
        customer_id: customer.customerId,
        created_at: customer.at,
      },
      'on conflict (organization_id, processor) do nothing',
    ),
  );
}
