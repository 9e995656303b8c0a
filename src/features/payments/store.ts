/**
 * The built-in processor's own records: invoices, payments and refunds, and the notifications that the service has
 * processed.
 */
import { getExactlyOne, getFirst, type Sql } from '#core/sql.ts';
import { expression, insertOwned, insertOwnedWhere } from '#core/write-rows.ts';
import { getOrganizationId, type OrganizationScope, type Scope } from '#core/scope.ts';

interface CollectedPayment {
  readonly id: string;
  readonly organization_id: string;
  readonly invoice_id: string;
  readonly kind: 'test' | 'bank_transfer';
  readonly amount_cents: number;
  readonly currency: string;
  readonly created_at: string;
  readonly notified_at: string | null;
}

interface NewCollectedPayment {
  readonly id: string;
  readonly invoice_id: string;
  readonly kind: CollectedPayment['kind'];
  readonly amount_cents: number;
  readonly currency: string;
  readonly recorded_by: string;
  readonly created_at: Date;
}

/** Records one payment per invoice: a second click finds the first payment. Returns the payment that counts. */
export async function recordPayment(
  scope: OrganizationScope,
  sql: Sql,
  payment: NewCollectedPayment,
): Promise<{ id: string; isNew: boolean }> {
  const inserted = await sql.query<{ id: string }>(
    ...insertOwned(
      scope,
      'processor_payments',
      {
        ...payment,
      },
      'on conflict (invoice_id) do nothing returning id',
    ),
  );
  const own = getFirst(inserted);
  if (own !== undefined) return { id: own.id, isNew: true };
  const rows = await sql.query<{ id: string }>(`select id from processor_payments where invoice_id = $1`, [
    payment.invoice_id,
  ]);
  return { id: getExactlyOne(rows).id, isNew: false };
}

/** Whether the processor has collected for this invoice, even if its notification has not arrived yet. */
export async function isPaymentCollected(scope: Scope, sql: Sql, invoiceId: string): Promise<boolean> {
  const rows = await sql.query<{ id: string }>(
    `select id from processor_payments where ($1::uuid is null or organization_id = $1) and invoice_id = $2`,
    [getOrganizationId(scope), invoiceId],
  );
  return rows.length > 0;
}

export async function findPayment(scope: Scope, sql: Sql, id: string): Promise<CollectedPayment | undefined> {
  const rows = await sql.query<CollectedPayment>(
    `select id, organization_id, invoice_id, kind, amount_cents, currency, created_at, notified_at
     from processor_payments where ($1::uuid is null or organization_id = $1) and id = $2`,
    [getOrganizationId(scope), id],
  );
  return getFirst(rows);
}

export async function markNotified(scope: Scope, sql: Sql, id: string, at: Date): Promise<void> {
  await sql.query(
    `update processor_payments set notified_at = $3
     where ($1::uuid is null or organization_id = $1) and id = $2 and notified_at is null`,
    [getOrganizationId(scope), id, at],
  );
}

/** Returns false when this notification was processed before. */
export async function rememberNotification(
  scope: OrganizationScope,
  sql: Sql,
  { at, ...notification }: { id: string; type: string; payload: unknown; at: Date },
): Promise<boolean> {
  const rows = await sql.query<{ id: string }>(
    ...insertOwned(
      scope,
      'processor_notifications',
      {
        ...notification,
        payload: JSON.stringify(notification.payload),
        received_at: at,
      },
      'on conflict (id) do nothing returning id',
    ),
  );
  return rows.length > 0;
}

/** Finds the built-in processor's refund by its key; undefined when the key is unknown. */
export async function findProcessorRefund(
  scope: Scope,
  sql: Sql,
  idempotencyKey: string,
): Promise<{ id: string } | undefined> {
  const rows = await sql.query<{ id: string }>(
    `select id from processor_refunds where ($1::uuid is null or organization_id = $1) and idempotency_key = $2`,
    [getOrganizationId(scope), idempotencyKey],
  );
  return getFirst(rows);
}

/** Records a refund once per key, up to the rest of the payment. Returns undefined when more is asked for. */
export async function recordProcessorRefund(
  scope: OrganizationScope,
  sql: Sql,
  {
    at,
    ...refund
  }: {
    readonly id: string;
    readonly payment_id: string;
    readonly idempotency_key: string;
    readonly amount_cents: number;
    readonly currency: string;
    readonly at: Date;
  },
): Promise<{ id: string } | undefined> {
  const [payment] = await sql.query<{ amount_cents: number }>(
    `select amount_cents from processor_payments where organization_id = $1 and id = $2 for update`,
    [scope.organizationId, refund.payment_id],
  );
  const earlierRefund = await findProcessorRefund(scope, sql, refund.idempotency_key);
  if (earlierRefund !== undefined) return earlierRefund;
  const rows = await sql.query<{ id: string }>(
    ...insertOwnedWhere(
      scope,
      'processor_refunds',
      {
        ...refund,
        created_at: at,
      },
      expression`${refund.amount_cents}::bigint <= ${payment?.amount_cents ?? 0}::bigint
        - (select coalesce(sum(amount_cents), 0) from processor_refunds where payment_id = ${refund.payment_id})`,
      'returning id',
    ),
  );
  return getFirst(rows);
}

export interface BuiltinInvoice {
  readonly id: string;
  readonly invoice_id: string;
  readonly status: 'open' | 'paid' | 'void';
  readonly amount_cents: number;
  readonly currency: string;
  /** Id of the payment it collected; null until then. */
  readonly payment_id: string | null;
}

/** Formats the id that the built-in processor gives to one of our invoices. */
export function formatBuiltinInvoiceId(invoiceId: string): string {
  return `bi_${invoiceId.replaceAll('-', '')}`;
}

const BOOK = `select b.id, b.invoice_id, b.status, b.amount_cents, b.currency, p.id as payment_id
  from builtin_invoices b left join processor_payments p on p.invoice_id = b.invoice_id`;

/** Opens the invoice unless it is open already; returns the stored row. */
export async function openBuiltinInvoice(
  scope: OrganizationScope,
  sql: Sql,
  {
    at,
    ...invoice
  }: {
    readonly invoice_id: string;
    readonly amount_cents: number;
    readonly currency: string;
    readonly at: Date;
  },
): Promise<BuiltinInvoice> {
  await sql.query(
    ...insertOwned(
      scope,
      'builtin_invoices',
      {
        ...invoice,
        id: formatBuiltinInvoiceId(invoice.invoice_id),
        status: 'open',
        created_at: at,
      },
      'on conflict (invoice_id) do nothing',
    ),
  );
  return getExactlyOne(
    await sql.query<BuiltinInvoice>(`${BOOK} where b.organization_id = $1 and b.invoice_id = $2`, [
      scope.organizationId,
      invoice.invoice_id,
    ]),
  );
}

export async function findBuiltinInvoice(
  scope: Scope,
  sql: Sql,
  by: { readonly id: string } | { readonly invoiceId: string },
): Promise<BuiltinInvoice | undefined> {
  return getFirst(
    await sql.query<BuiltinInvoice>(
      `${BOOK} where ($1::uuid is null or b.organization_id = $1) and (b.id = $2 or b.invoice_id = $3)`,
      [getOrganizationId(scope), 'id' in by ? by.id : null, 'invoiceId' in by ? by.invoiceId : null],
    ),
  );
}

/** Closes an open invoice as paid or void. Returns false when it is no longer open. */
export async function closeBuiltinInvoice(
  scope: Scope,
  sql: Sql,
  id: string,
  status: 'paid' | 'void',
): Promise<boolean> {
  const rows = await sql.query<{ id: string }>(
    `update builtin_invoices set status = $3
     where ($1::uuid is null or organization_id = $1) and id = $2 and status = 'open' returning id`,
    [getOrganizationId(scope), id, status],
  );
  return rows.length > 0;
}
