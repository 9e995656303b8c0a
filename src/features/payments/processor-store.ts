/** The stored state of our quotes and invoices at processors, and the queue in which they are due. */
import { getFirst, type Sql } from '#core/sql.ts';
import { insertOwned, updateRows, expression, insertOwnedWhere } from '#core/write-rows.ts';
import { getOrganizationId, type OrganizationScope, type Scope } from '#core/scope.ts';
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
  { at, ...order }: { readonly invoice_id: string; readonly processor: string; readonly at: Date },
): Promise<void> {
  await sql.query(
    ...insertOwned(
      scope,
      'processor_invoices',
      {
        ...order,
        status: 'wanted',
        next_at: at,
        created_at: at,
        updated_at: at,
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
  seen: Pick<ProcessorInvoice, 'provider_id' | 'hosted_url'> & {
    readonly status: Exclude<ProcessorInvoice['status'], 'draft'>;
    readonly next_at: Date | null;
    readonly at: Date;
  },
): Promise<void> {
  await sql.query(
    ...updateRows(
      'processor_invoices',
      {
        provider_id: seen.provider_id,
        status: seen.status,
        hosted_url: seen.hosted_url,
        next_at: seen.next_at,
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
  { at, ...customer }: { readonly processor: string; readonly customer_id: string; readonly at: Date },
): Promise<void> {
  await sql.query(
    ...insertOwned(
      scope,
      'processor_customers',
      {
        ...customer,
        created_at: at,
      },
      'on conflict (organization_id, processor) do nothing',
    ),
  );
}

/**
 * The queue of objects at outside processors. Quotes and invoices each have a table with one row per quote or invoice
 * of ours; `next_at` says when it is next due. A worker records its attempt there before it asks the processor.
 */

interface Queue {
  readonly table: 'processor_quotes' | 'processor_invoices';
  /** The column with our id. */
  readonly key: 'quote_id' | 'invoice_id';
  /** Columns that a read returns. */
  readonly columns: readonly string[];
  /** Condition that is true while work on a row is still possible. */
  readonly isOpen: string;
}

interface Due {
  readonly now: Date;
  readonly limit: number;
  /** Only these processors can be asked now; rows of others wait. */
  readonly processors: readonly string[];
}

interface Claim {
  readonly now: Date;
  /** The claim ends at this time; until then no other process can claim the row. */
  readonly until: Date;
  readonly processors: readonly string[];
}

interface Retry {
  readonly nextAt: Date;
  readonly error: string;
  readonly at: Date;
}

function createProcessorQueue<Row>({ table, key, columns, isOpen }: Queue) {
  const OWN = `($1::uuid is null or organization_id = $1) and ${key} = $2`;
  const claimed = columns.map((name) => (name === 'attempted_at' ? `old.before as ${name}` : `p.${name}`));

  return {
    find: async (scope: Scope, sql: Sql, id: string): Promise<Row | undefined> => {
      const text = `select ${columns.join(', ')} from ${table} where ${OWN}`;
      return getFirst(await sql.query<Row>(text, [getOrganizationId(scope), id]));
    },

    /** Ids of rows that are due, the longest due first. */
    due: async (scope: Scope, sql: Sql, { now, limit, processors }: Due): Promise<string[]> => {
      const rows = await sql.query<{ id: string }>(
        `select ${key} as id from ${table}
         where ($1::uuid is null or organization_id = $1) and next_at <= $2 and processor = any($4)
         order by next_at limit $3`,
        [getOrganizationId(scope), now, limit, processors],
      );
      return rows.map(({ id }) => id);
    },

    /**
     * Claims a due row and records the attempt before the processor is asked. Returns undefined when another process
     * has it. The returned row is the one before the claim: `attempted_at` is null at the first attempt.
     */
    claim: async (scope: Scope, sql: Sql, id: string, claim: Claim): Promise<Row | undefined> => {
      return getFirst(
        await sql.query<Row>(
          `update ${table} p set attempts = p.attempts + 1, attempted_at = coalesce(p.attempted_at, $3),
             next_at = $4, updated_at = $3
           from (select ${key}, attempted_at as before from ${table} where ${key} = $2 for update) old
           where ($1::uuid is null or p.organization_id = $1) and p.${key} = old.${key} and p.next_at <= $3
             and p.processor = any($5)
           returning ${claimed.join(', ')}`,
          [getOrganizationId(scope), id, claim.now, claim.until, claim.processors],
        ),
      );
    },

    /**
     * Makes the row due now, because its quote or invoice has changed. Returns false when no processor has it or its
     * outcome is final.
     */
    makeDue: async (scope: Scope, sql: Sql, id: string, at: Date): Promise<boolean> => {
      const rows = await sql.query<{ id: string }>(
        `update ${table} set next_at = least(coalesce(next_at, $3), $3) where ${OWN} and ${isOpen}
         returning ${key} as id`,
        [getOrganizationId(scope), id, at],
      );
      return rows.length > 0;
    },

    /** Schedules another attempt after one that brought no result. */
    postpone: async (scope: Scope, sql: Sql, id: string, retry: Retry): Promise<void> => {
      await sql.query(`update ${table} set next_at = $3, last_error = $4, updated_at = $5 where ${OWN}`, [
        getOrganizationId(scope),
        id,
        retry.nextAt,
        retry.error,
        retry.at,
      ]);
    },
  };
}

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
  { at, ...order }: { readonly quote_id: string; readonly processor: string; readonly at: Date },
): Promise<boolean> {
  const rows = await sql.query<{ quote_id: string }>(
    ...insertOwnedWhere(
      scope,
      'processor_quotes',
      {
        ...order,
        status: 'wanted',
        next_at: at,
        created_at: at,
        updated_at: at,
      },
      expression`exists (select 1 from quotes
        where organization_id = ${scope.organizationId} and id = ${order.quote_id} and total_cents > 0)`,
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
    readonly provider_id: string | null;
    readonly provider_invoice_id: string | null;
    readonly error: string | null;
    readonly next_at: Date | null;
    readonly at: Date;
  },
): Promise<void> {
  await sql.query(
    ...updateRows(
      'processor_quotes',
      {
        status: expression`coalesce(${seen.status}, status)`,
        provider_id: expression`coalesce(${seen.provider_id}, provider_id)`,
        provider_invoice_id: expression`coalesce(${seen.provider_invoice_id}, provider_invoice_id)`,
        last_error: seen.error,
        next_at: seen.next_at,
        attempts: 0,
        updated_at: seen.at,
      },
      `where ($1::uuid is null or organization_id = $1) and quote_id = $2 and status <> 'accepted'`,
      [getOrganizationId(scope), quoteId],
    ),
  );
}
