/** Collects a payment at the built-in processor: records it, and schedules the notification that marks the invoice paid. */
import { addMs } from '#core/clock.ts';
import { fail } from '#core/failures.ts';
import type { Origin, Work } from '#core/context.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Transaction, Sql } from '#core/sql.ts';
import { type InvoiceRow, findHostedInvoice, lockInvoice } from '../invoices/store.ts';
import { refuseIfOtherRail } from '../invoices/rules.ts';
import { createNotPayableFailure } from '../invoices/wire.ts';
import { NOTIFY_PAYMENT } from '../jobs/rules.ts';
import { enqueue } from '../jobs/store.ts';
import { computeNextCheckMs, BUILTIN } from './rules.ts';
import { findProcessorInvoice, recordProcessorInvoice } from './processor-store.ts';
import { closeBuiltinInvoice, openBuiltinInvoice, recordPayment, isPaymentCollected } from './store.ts';
import { selectRefundsOfInvoice } from '../invoices/refunds/store.ts';
import { recordChange } from '../audit/record-change.ts';

interface Collection {
  readonly kind: 'test' | 'bank_transfer';
  /** Who recorded the payment: `payment page`, or the e-mail address of a member of staff. */
  readonly recordedBy: string;
}

/**
 * Records the payment of an open invoice that the transaction has locked. An invoice that is paid already stays as it is.
 * Throws `test_payment_unavailable`, `invoice_not_payable` or `collected_by_processor`.
 */
export async function collectPayment(
  work: Work,
  tx: Transaction,
  invoice: InvoiceRow,
  collection: Collection,
): Promise<void> {
  if (collection.kind === 'test' && work.site.environment !== 'sandbox')
    throw fail('test_payment_unavailable');
  if (invoice.status === 'paid') return;
  if (invoice.status !== 'open') throw createNotPayableFailure(work.site, invoice);
  await refuseIfCollectedElsewhere(tx, invoice);
  const scope = createOrganizationScope(invoice.organization_id);
  const at = work.clock.now();
  const { id: invoice_id, total_cents: amount_cents, currency } = invoice;
  // A client may pay right after the confirmation, before the job has opened the invoice at the processor.
  const builtinInvoice = await openBuiltinInvoice(scope, tx, { invoice_id, amount_cents, currency, at });
  if (builtinInvoice.status === 'void') throw fail('invoice_not_payable', { status: builtinInvoice.status });
  const payment = await recordPayment(scope, tx, {
    id: `pay_${work.ids.createUuid().replaceAll('-', '')}`,
    invoice_id,
    kind: collection.kind,
    amount_cents,
    currency,
    recorded_by: collection.recordedBy,
    created_at: at,
  });
  await closeBuiltinInvoice(scope, tx, builtinInvoice.id, 'paid');
  await recordProcessorInvoice(scope, tx, invoice_id, {
    provider_id: builtinInvoice.id,
    hosted_url: null,
    status: 'open',
    // The notification usually comes first; this check finds a lost one.
    next_at: addMs(at, computeNextCheckMs(0)),
    at,
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
}

/**
 * Rejects the payment when another rail or processor may be collecting the same invoice. Throws
 * `collected_by_processor`.
 */
export async function refuseIfCollectedElsewhere(tx: Transaction, invoice: InvoiceRow): Promise<void> {
  refuseIfOtherRail(invoice.payment_method, 'async_invoice');
  const collecting = await findProcessorInvoice(labScope, tx, invoice.id);
  if (collecting !== undefined && collecting.processor !== BUILTIN)
    throw fail('collected_by_processor', { processor: collecting.processor });
}

/** The test payment on the payment page of an invoice. Whoever knows the address of the page may pay. */

const PAYER = 'payment page';

/**
 * Pays a test invoice from its page. The audit trail records the first payment alone. Throws `invoice_not_found`.
 */
export async function payTestInvoice(
  work: Work,
  tx: Transaction,
  hostedKey: string,
  origin: Origin,
): Promise<void> {
  const { id } = await requireInvoiceOfPage(tx, hostedKey);
  const isAlreadyCollected = await isPaymentCollected(labScope, tx, id);
  const invoice = await lockInvoice(labScope, tx, id);
  if (invoice === undefined) throw fail('invoice_not_found');
  await collectPayment(work, tx, invoice, { kind: 'test', recordedBy: PAYER });
  if (isAlreadyCollected) return;
  await recordChange(work, tx, createOrganizationScope(invoice.organization_id), {
    actorKind: 'processor',
    actor: PAYER,
    operation: 'collect_payment',
    subject: invoice.id,
    details: { kind: 'test', amount_cents: invoice.total_cents },
    origin,
  });
}

/** Returns the invoice of a payment page by the unguessable key in its address. Throws `invoice_not_found`. */
export async function requireInvoiceOfPage(sql: Sql, hostedKey: string) {
  const invoice = await findHostedInvoice(labScope, sql, hostedKey);
  if (invoice === undefined) throw fail('invoice_not_found');
  return { ...invoice, credit_notes: await selectRefundsOfInvoice(labScope, sql, invoice.id) };
}
