/** Collects payments at the built-in processor: it records the payment and notifies the service afterwards. */
import { addMs } from '#core/clock.ts';
import { fail } from '#core/failures.ts';
import type { Work } from '#core/context.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Sql, Transaction } from '#core/sql.ts';
import { findHostedInvoice, lockInvoice, type InvoiceRow } from '#domain/invoices/store.ts';
import { refuseIfOtherRail } from '#domain/invoices/rules.ts';
import { createNotPayableFailure } from '#domain/invoices/wire.ts';
import { NOTIFY_PAYMENT } from '#domain/jobs/kinds.ts';
import { enqueue } from '#domain/jobs/store.ts';
import { computeNextLookMs } from '#domain/payments/processor-rules.ts';
import { findProcessorInvoice, recordProcessorInvoice } from '#domain/payments/processor-store.ts';
import { closeBuiltinInvoice, openBuiltinInvoice } from '#domain/payments/builtin-store.ts';
import { BUILTIN } from '#domain/payments/rails.ts';
import { isPaymentCollected, recordPayment } from '#domain/payments/store.ts';
import { selectRefundsOfInvoice } from '#domain/refunds/store.ts';
import { recordChange, type Origin } from '../audit/record-change.ts';

interface Collection {
  readonly kind: 'test' | 'bank_transfer';
  /** Who recorded the payment: `payment page`, or the member of staff. */
  readonly recordedBy: string;
}

/** Records the payment of an open invoice once, and schedules its notification. */
export async function collectPayment(
  work: Work,
  tx: Transaction,
  { invoiceId, ...collection }: Collection & { readonly invoiceId: string },
): Promise<InvoiceRow> {
  const invoice = await lockInvoice(labScope, tx, invoiceId);
  if (invoice === undefined) throw fail('invoice_not_found');
  return collectFrom(work, tx, invoice, collection);
}

/** The same, of an invoice that the transaction holds. */
export async function collectFrom(
  work: Work,
  tx: Transaction,
  invoice: InvoiceRow,
  collection: Collection,
): Promise<InvoiceRow> {
  if (collection.kind === 'test' && work.site.environment !== 'sandbox')
    throw fail('test_payment_unavailable');
  if (invoice.status === 'paid') return invoice;
  if (invoice.status !== 'open') throw createNotPayableFailure(work.site, invoice);
  await refuseIfCollectedElsewhere(tx, invoice);
  const scope = createOrganizationScope(invoice.organization_id);
  const at = work.clock.now();
  // Opens the invoice at the processor if its job has not done so yet, so that payment right after the confirmation
  // works.
  const { total_cents: amountCents, currency } = invoice;
  const opened = { invoiceId: invoice.id, amountCents, currency, at };
  const entry = await openBuiltinInvoice(scope, tx, opened);
  if (entry.status === 'void') throw fail('invoice_not_payable', { status: entry.status });
  const payment = await recordPayment(scope, tx, {
    id: `pay_${work.ids.createUuid().replaceAll('-', '')}`,
    invoiceId: invoice.id,
    kind: collection.kind,
    amountCents,
    currency,
    recordedBy: collection.recordedBy,
    createdAt: at,
  });
  await closeBuiltinInvoice(scope, tx, entry.id, 'paid');
  // The notification usually comes first; this look-up is for a lost one.
  const nextAt = addMs(at, computeNextLookMs(0));
  const known = { providerId: entry.id, hostedUrl: null, status: 'open' as const, nextAt, at };
  await recordProcessorInvoice(scope, tx, invoice.id, known);
  await enqueue(
    scope,
    tx,
    {
      kind: NOTIFY_PAYMENT,
      payload: { payment_id: payment.id },
      dueAt: at,
      uniqueKey: `${NOTIFY_PAYMENT}:${payment.id}`,
    },
    at,
  );
  return invoice;
}

/** Rejects the payment when another rail or processor may be collecting the same invoice. */
export async function refuseIfCollectedElsewhere(tx: Transaction, invoice: InvoiceRow): Promise<void> {
  refuseIfOtherRail(invoice.payment_method, 'async_invoice');
  const at = await findProcessorInvoice(labScope, tx, invoice.id);
  if (at !== undefined && at.processor !== BUILTIN)
    throw fail('collected_by_processor', { processor: at.processor });
}

/** Pays a test invoice from its page; knowing the address of the page is enough. */
export async function payTestInvoice(
  work: Work,
  tx: Transaction,
  hostedKey: string,
  origin: Origin,
): Promise<void> {
  const { id } = await requireInvoiceOfPage(tx, hostedKey);
  const recordedBy = 'payment page';
  const isKnown = await isPaymentCollected(labScope, tx, id);
  const invoice = await collectPayment(work, tx, { invoiceId: id, kind: 'test', recordedBy });
  if (isKnown) return;
  await recordChange(work, tx, createOrganizationScope(invoice.organization_id), {
    actorKind: 'processor',
    actor: recordedBy,
    operation: 'collect_payment',
    subject: invoice.id,
    details: { kind: 'test', amount_cents: invoice.total_cents },
    origin,
  });
}

/** Finds the invoice of a payment page by its unguessable key. */
export async function requireInvoiceOfPage(sql: Sql, hostedKey: string) {
  const invoice = await findHostedInvoice(labScope, sql, hostedKey);
  if (invoice === undefined) throw fail('invoice_not_found');
  return { ...invoice, credit_notes: await selectRefundsOfInvoice(labScope, sql, invoice.id) };
}
