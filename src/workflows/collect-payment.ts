/** The built-in processor: it writes down what it collected, then notifies the service like any other processor. */
import { fail } from '#core/failures.ts';
import type { Work } from '#core/context.ts';
import { labScope, organizationScope } from '#core/scope.ts';
import type { Sql, Transaction } from '#core/sql.ts';
import { findHostedInvoice, lockInvoice, type InvoiceRow } from '#domain/invoices/store.ts';
import { refuseIfOtherRail } from '#domain/invoices/rules.ts';
import { enqueue } from '#domain/jobs/store.ts';
import { findProcessorInvoice } from '#domain/payments/processor-store.ts';
import {
  SIGNATURE_HEADER,
  signNotification,
  type PaymentNotification,
} from '#domain/payments/notification.ts';
import { findPayment, isPaymentCollected, markNotified, recordPayment } from '#domain/payments/store.ts';
import { refundsOfInvoice } from '#domain/refunds/store.ts';
import { recordChange, type Origin } from './record-change.ts';

export const NOTIFY_PAYMENT = 'notify_payment';

export interface Collection {
  readonly invoiceId: string;
  readonly kind: 'test' | 'bank_transfer';
  /** Who pressed the button: `payment page`, or the member of staff. */
  readonly recordedBy: string;
}

/** Records the payment of an open invoice once, together with the notification that is still to be sent. */
export async function collectPayment(
  work: Work,
  tx: Transaction,
  collection: Collection,
): Promise<InvoiceRow> {
  if (collection.kind === 'test' && work.site.environment !== 'sandbox')
    throw fail('test_payment_unavailable');
  const invoice = await lockInvoice(labScope, tx, collection.invoiceId);
  if (invoice === undefined) throw fail('invoice_not_found');
  if (invoice.status === 'paid') return invoice;
  if (invoice.status !== 'open') throw fail('invoice_not_payable', { status: invoice.status });
  await refuseIfCollectedElsewhere(tx, invoice);
  const scope = organizationScope(invoice.organization_id);
  const at = work.clock.now();
  const payment = await recordPayment(scope, tx, {
    id: `pay_${work.ids.uuid().replaceAll('-', '')}`,
    invoiceId: invoice.id,
    kind: collection.kind,
    amountCents: invoice.total_cents,
    currency: invoice.currency,
    recordedBy: collection.recordedBy,
    createdAt: at,
  });
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

/** One invoice, one way to pay it: what another rail or processor may be collecting now is not collected here as well. */
async function refuseIfCollectedElsewhere(tx: Transaction, invoice: InvoiceRow): Promise<void> {
  refuseIfOtherRail(invoice.payment_method, 'async_invoice');
  const outside = await findProcessorInvoice(labScope, tx, invoice.id);
  if (outside !== undefined) throw fail('collected_by_processor', { processor: outside.processor });
}

/** The test payment on the page of an invoice, which whoever holds its address may press. */
export async function payTestInvoice(
  work: Work,
  tx: Transaction,
  hostedKey: string,
  origin: Origin,
): Promise<void> {
  const { id } = await invoiceOfPage(tx, hostedKey);
  const recordedBy = 'payment page';
  const isKnown = await isPaymentCollected(labScope, tx, id);
  const invoice = await collectPayment(work, tx, { invoiceId: id, kind: 'test', recordedBy });
  if (isKnown) return;
  await recordChange(work, tx, organizationScope(invoice.organization_id), {
    actorKind: 'processor',
    actor: recordedBy,
    operation: 'collect_payment',
    subject: invoice.id,
    details: { kind: 'test', amount_cents: invoice.total_cents },
    origin,
  });
}

/** Finds the invoice of a payment page by its unguessable key. */
export async function invoiceOfPage(sql: Sql, hostedKey: string) {
  const invoice = await findHostedInvoice(labScope, sql, hostedKey);
  if (invoice === undefined) throw fail('invoice_not_found');
  const refunds = await refundsOfInvoice(labScope, sql, invoice.id);
  return { ...invoice, credit_notes: refunds.filter((refund) => refund.is_credit) };
}

/** How the processor reaches the service: a POST to its notification address, answering the status. */
export type DeliverNotification = (
  body: string,
  headers: Readonly<Record<string, string>>,
) => Promise<number>;

/** Sends the notification of one payment; anything but a 2xx is an error, so the worker sends it again. */
export async function notifyPayment(
  work: Work,
  sql: Sql,
  paymentId: string,
  secret: string,
  deliver: DeliverNotification,
): Promise<void> {
  const payment = await findPayment(labScope, sql, paymentId);
  if (payment === undefined || payment.notified_at !== null) return;
  const notification: PaymentNotification = {
    id: `evt_${payment.id}`,
    type: 'payment.succeeded',
    created_at: payment.created_at,
    payment: {
      id: payment.id,
      invoice_id: payment.external_id,
      amount_cents: payment.amount_cents,
      currency: payment.currency,
      kind: payment.kind,
    },
  };
  const body = JSON.stringify(notification);
  const now = work.clock.now();
  const status = await deliver(body, { [SIGNATURE_HEADER]: signNotification(secret, body, now) });
  if (status < 200 || status >= 300) throw new Error(`the notification was answered with status ${status}`);
  await markNotified(labScope, sql, paymentId, work.clock.now());
}
