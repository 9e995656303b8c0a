/**
 * Invoices at their processor: made there after ours is open, looked up until their state is final, and withdrawn
 * when ours is void. Every trigger (a notification, the time, a lost answer) leads to one look-up at the processor,
 * and each result is applied once.
 */
import type { Origin } from '#core/context.ts';
import { getErrorMessage } from '#core/records.ts';
import { addMs } from '#core/clock.ts';
import { fail } from '#core/failures.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { findInvoice, type InvoiceRow } from '#features/invoices/store.ts';
import {
  computeNextCheckMs,
  PROCESSOR_ATTEMPT_MS,
  PROCESSOR_CLAIM_MS,
  computeProcessorRetryMs,
} from '#features/payments/rules.ts';
import {
  abandonProcessorInvoice,
  adoptUntried,
  claimProcessorInvoice,
  listDueProcessorInvoices,
  findNoticed,
  findProcessorInvoice,
  makeProcessorInvoiceDue,
  postponeProcessorInvoice,
  recordProcessorInvoice,
  type ProcessorInvoiceRow,
} from '#features/payments/processor-store.ts';
import {
  ProcessorRefusedError,
  ProcessorUnclearError,
  type HostedProcessor,
  type ProcessorInvoice,
  type ProcessorNotice,
} from '#features/payments/processor.ts';
import { rememberNotification } from '#features/payments/store.ts';
import {
  ensureCustomer,
  DUE_BATCH,
  buildLines,
  type Asking,
  type HostedParts,
} from '#features/payments/hosted-parts.ts';
import { findBegunInvoice, acceptQuoteForInvoice } from '#features/quotes/hosted-quotes.ts';
import { closeInBooks } from '#features/invoices/end-invoice.ts';
import { holdInvoice } from '#features/invoices/hold-invoice.ts';
import { recordChange } from '#features/audit/record-change.ts';
import { announcePaymentFailure, settlePayment } from '#features/payments/settle-payment.ts';

const REFUSED_THERE = 'It was tried on the page of the payment processor, which says why.';

/** The chore behind the job: handles every due invoice, even if its job or notification was lost. */
export async function attendDueInvoices(parts: HostedParts): Promise<void> {
  const { database, work, processors: known } = parts;
  const processors = [...known.byName.keys()];
  const now = work.clock.now();
  await adoptUntried(labScope, database.read, { processor: known.current.name, processors, at: now });
  const due = await listDueProcessorInvoices(labScope, database.read, { now, limit: DUE_BATCH, processors });
  const outcomes = await Promise.allSettled(due.map((id) => attendInvoice(parts, id)));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Does one step with the processor for one invoice. An unclear outcome is recorded and tried again. */
export async function attendInvoice(parts: HostedParts, invoiceId: string): Promise<void> {
  const { database, work } = parts;
  const now = work.clock.now();
  const until = addMs(now, PROCESSOR_CLAIM_MS);
  const processors = [...parts.processors.byName.keys()];
  const row = await claimProcessorInvoice(labScope, database.read, invoiceId, { now, until, processors });
  const processor = row === undefined ? undefined : parts.processors.byName.get(row.processor);
  if (row === undefined || processor === undefined) return;
  const asking = { ...parts, processor };
  try {
    const invoice = await findInvoice(labScope, database.read, invoiceId);
    if (invoice === undefined) throw new Error('the invoice of a processor has no row of ours');
    const providerInvoice = await processor.attempt(PROCESSOR_ATTEMPT_MS, () =>
      lookUpOrCreate(asking, row, invoice),
    );
    if (providerInvoice === undefined)
      await abandonProcessorInvoice(labScope, database.read, invoiceId, work.clock.now());
    else await recordStatus(asking, invoiceId, providerInvoice);
  } catch (error) {
    const at = work.clock.now();
    const text = getErrorMessage(error);
    const nextAt = addMs(at, computeProcessorRetryMs(row.attempts));
    await postponeProcessorInvoice(labScope, database.read, invoiceId, { nextAt, error: text, at });
    const isExpected = error instanceof ProcessorUnclearError || error instanceof ProcessorRefusedError;
    if (!isExpected) throw error;
  }
}

/**
 * Returns the current state of the invoice at the processor; undefined when it was never made and is no longer
 * wanted.
 */
async function lookUpOrCreate(
  parts: Asking,
  row: ProcessorInvoiceRow,
  invoice: InvoiceRow,
): Promise<ProcessorInvoice | undefined> {
  const { processor } = parts;
  // An invoice that is uncollectible there can still be paid there.
  const isGivenUpThere = invoice.status === 'uncollectible' && row.status === 'uncollectible';
  const isOwed = invoice.status === 'open' || invoice.status === 'paid' || isGivenUpThere;
  const { provider_id: providerId } = row;
  if (providerId !== null)
    return isOwed ? processor.look(providerId) : processor.withdraw({ providerId, invoiceId: invoice.id });
  const attempted_at = row.attempted_at === null ? null : new Date(row.attempted_at);
  if (!isOwed && attempted_at === null) return undefined;
  const customer_id = await ensureCustomer(parts, invoice.organization_id);
  if (!isOwed) {
    const providerInvoice = await processor.find({ invoice_id: invoice.id, customer_id, attempted_at });
    const providerInvoiceId = providerInvoice?.provider_id ?? (await findBegunInvoice(parts, invoice));
    return providerInvoiceId === null
      ? undefined
      : processor.withdraw({ providerId: providerInvoiceId, invoiceId: invoice.id });
  }
  return processor.issue({
    invoice_id: invoice.id,
    invoice_number: invoice.invoice_number ?? invoice.external_id,
    organization_id: invoice.organization_id,
    customer_id,
    experiment_code: invoice.experiment_code,
    purchase_order_number: invoice.purchase_order_number,
    currency: invoice.currency,
    lines: buildLines(invoice),
    total_cents: invoice.total_cents,
    due_at: new Date(invoice.due_date ?? invoice.created_at),
    attempted_at,
    begun_id: await acceptQuoteForInvoice(parts, invoice),
  });
}

/** Records the processor's state, and settles our invoice when it was paid: once, however often it is reported. */
async function recordStatus(
  { work, database, processor }: Asking,
  invoiceId: string,
  seen: ProcessorInvoice,
  notification?: { readonly notice: ProcessorNotice; readonly origin: Origin },
): Promise<void> {
  const { status, payment_id: paymentId } = seen;
  if (status === 'draft' || seen.invoice_id !== invoiceId)
    throw new ProcessorUnclearError(
      `${seen.provider_id} is ${status} and belongs to ${seen.invoice_id ?? 'no invoice of ours'}`,
    );
  if (status === 'paid' && (seen.remaining_cents !== 0 || paymentId === null))
    throw new ProcessorUnclearError(`${seen.provider_id} is paid, and ${seen.remaining_cents} remain`);
  await database.runTransaction(async (tx) => {
    const row = await findProcessorInvoice(labScope, tx, invoiceId);
    if (row === undefined) throw new Error('the invoice of a processor was never requested by us');
    const at = work.clock.now();
    const nextAt =
      status === 'open' || status === 'uncollectible'
        ? addMs(at, computeNextCheckMs(at.getTime() - Date.parse(row.created_at)))
        : null;
    if (status === 'paid' && paymentId !== null)
      await settlePayment(work, tx, invoiceId, {
        rail: processor.rail,
        externalReference: paymentId,
        amountCents: seen.total_cents,
        currency: seen.currency,
        reference: { type: 'provider_payment', payment_id: paymentId },
        details: { payment_id: paymentId, amount_cents: seen.total_cents, processor: processor.name },
        ...(notification === undefined ? {} : { origin: notification.origin }),
      });
    if (status === 'void' || status === 'uncollectible')
      await followEnd({ work, processor }, tx, invoiceId, { ...seen, status }, notification?.origin);
    await recordProcessorInvoice(labScope, tx, invoiceId, { ...seen, status, next_at: nextAt, at });
    if (notification === undefined) return;
    const { id, type, isPaymentFailure } = notification.notice;
    const payload = notification.notice;
    const scope = createOrganizationScope(row.organization_id);
    const isNew = await rememberNotification(scope, tx, { id, type, payload, at });
    if (isNew && isPaymentFailure && status === 'open')
      await announcePaymentFailure(work, tx, invoiceId, REFUSED_THERE);
  });
}

/**
 * Applies to our invoice what staff did at the processor, where they can also void an invoice or mark it uncollectible:
 * ours ends in the same way, with an update and an audit entry that names the processor. An invoice that has ended here already does not
 * change.
 */
async function followEnd(
  { work, processor }: Pick<Asking, 'work' | 'processor'>,
  tx: Transaction,
  invoiceId: string,
  seen: { readonly provider_id: string; readonly status: 'void' | 'uncollectible' },
  origin: Origin | undefined,
): Promise<void> {
  const { experiment, invoice } = await holdInvoice(tx, invoiceId);
  if (invoice.status !== 'open') return;
  const isVoid = seen.status === 'void';
  const reason = isVoid ? `Voided at ${processor.name}` : `Given up at ${processor.name}`;
  await closeInBooks(work, tx, { experiment, invoice }, { to: seen.status, reason });
  await recordChange(work, tx, createOrganizationScope(invoice.organization_id), {
    actorKind: 'processor',
    actor: processor.name,
    operation: isVoid ? 'invoice_voided_at_processor' : 'invoice_given_up_at_processor',
    subject: invoice.id,
    details: { provider_id: seen.provider_id },
    origin,
  });
}

/**
 * Handles a verified notification: looks up its invoice at once. Throws `notification_too_early` while we do not know
 * the invoice yet, so that the processor sends it again.
 */
export async function takeNotice(
  parts: HostedParts,
  processor: HostedProcessor,
  notice: ProcessorNotice,
  origin: Origin,
): Promise<void> {
  const { database, work } = parts;
  const { providerId, invoiceId } = notice;
  if (providerId === null) return;
  const named = { processor: processor.name, providerId, invoiceId };
  const row = await findNoticed(labScope, database.read, named);
  // The account may have invoices from elsewhere; they carry no id of ours.
  if (row === undefined && invoiceId === null) return;
  if (row === undefined) throw fail('notification_too_early', {}, { headers: { 'retry-after': '5' } });
  // An uncollectible invoice may still be paid; paid and void are final.
  if (row.status === 'paid' || row.status === 'void') return;
  const providerInvoice = await processor.look(providerId).catch((error: unknown) => {
    throw fail('notification_too_early', {}, { headers: { 'retry-after': '5' }, cause: error });
  });
  // The invoice is still being made: its maker or the next look-up will record it.
  if (providerInvoice.status === 'draft') return;
  await recordStatus({ ...parts, processor }, row.invoice_id, providerInvoice, { notice, origin });
  if (row.status === 'wanted')
    await makeProcessorInvoiceDue(labScope, database.read, row.invoice_id, work.clock.now());
}
