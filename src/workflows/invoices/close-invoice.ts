/** What staff do to invoices and orders that do not go through: void, give up, refund, cancel. */
import { fail } from '#core/failures.ts';
import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import { lockExperiment, type ExperimentRow } from '#domain/experiments/store.ts';
import type { voidInvoice, writeOffInvoice } from '#domain/invoices/lab-contract.ts';
import {
  findInvoice,
  findInvoiceOfExperiment,
  lockInvoice,
  type InvoiceRow,
} from '#domain/invoices/store.ts';
import { invoiceInfo } from '#domain/invoices/wire.ts';
import { railOfPayment } from '#domain/ledger/store.ts';
import { latestQuote, setQuoteStatus } from '#domain/quotes/store.ts';
import type { cancelByStaff, refundInvoice, retryRefund } from '#domain/refunds/contract.ts';
import { isPaymentCollected } from '#domain/payments/store.ts';
import { creditAmount, taxWithin } from '#domain/refunds/rules.ts';
import { creditedCents, findRefund, refundsOfInvoice } from '#domain/refunds/store.ts';
import { refundInfo } from '#domain/refunds/wire.ts';
import { advance } from '../experiments/advance-experiment.ts';
import { endInBooks, type End } from './end-invoice.ts';
import { holdForStaff, type HeldInvoice } from './hold-invoice.ts';
import { issueCredit } from '../refunds/issue-credit.ts';
import { endQuoteAtProcessor, withdrawAtProcessor } from '../payments/order-at-processor.ts';
import { recognizeRevenue } from '../ledger/recognize-revenue.ts';
import * as sending from '../refunds/send-refund.ts';

async function readBack(context: WriteContext, invoiceId: string): Promise<InvoiceRow> {
  const invoice = await findInvoice(labScope, context.tx, invoiceId);
  if (invoice === undefined) throw fail('invoice_not_found');
  return invoice;
}

async function shown(context: WriteContext, invoiceId: string) {
  const refunds = await refundsOfInvoice(labScope, context.tx, invoiceId);
  return invoiceInfo(context.site, await readBack(context, invoiceId), refunds);
}

/** `POST /lab/invoices/{invoice_id}/void`. */
export async function voidUnpaidInvoice(input: Input<typeof voidInvoice>, context: WriteContext) {
  const { experiment, invoice } = await holdForStaff(context, input.params.invoice_id);
  if (invoice.status === 'paid' || invoice.status === 'void')
    throw fail('invoice_not_closable', { status: invoice.status, action: 'voided' });
  await end(context, { experiment, invoice }, { to: 'void', reason: input.body.reason });
  return shown(context, invoice.id);
}

/** Here and at the processor. */
async function end(context: WriteContext, held: HeldInvoice, how: End): Promise<void> {
  await endInBooks(context, context.tx, held, how);
  await withdrawAtProcessor(context, context.tx, held.invoice);
}

/** `POST /lab/invoices/{invoice_id}/uncollectible`. */
export async function giveUpInvoice(input: Input<typeof writeOffInvoice>, context: WriteContext) {
  const { experiment, invoice } = await holdForStaff(context, input.params.invoice_id);
  if (invoice.status !== 'open')
    throw fail('invoice_not_closable', { status: invoice.status, action: 'given up' });
  await end(context, { experiment, invoice }, { to: 'uncollectible', reason: input.body.reason });
  return shown(context, invoice.id);
}

/** `POST /lab/invoices/{invoice_id}/refunds`. */
export async function refundPaidInvoice(input: Input<typeof refundInvoice>, context: WriteContext) {
  const { experiment, invoice } = await holdForStaff(context, input.params.invoice_id);
  if (invoice.status !== 'paid') throw fail('invoice_not_refundable', { status: invoice.status });
  const { amount_cents: amount, reason } = input.body;
  return creditPaidInvoice(context, { experiment, invoice }, amount, reason);
}

async function creditPaidInvoice(
  context: WriteContext,
  { experiment, invoice }: HeldInvoice,
  asked: number | undefined,
  reason: string,
) {
  const { tx } = context;
  const credited = await creditedCents(labScope, tx, invoice.id);
  const creditable = { ...invoice, credited_cents: credited };
  const amount = creditAmount(creditable, asked);
  const rail = await railOfPayment(labScope, tx, invoice.id);
  if (rail === undefined) throw new Error(`the paid invoice ${invoice.id} has no posted payment`);
  const id = await issueCredit(context, tx, experiment, invoice, {
    rail,
    paymentReference: { ...invoice.settlement_reference },
    amountCents: amount,
    taxCents: taxWithin(creditable, amount),
    isCredit: true,
    reason,
    requestedBy: context.principal.userEmail,
  });
  const refund = await findRefund(labScope, tx, id);
  if (refund === undefined) throw fail('refund_not_found');
  return refundInfo(refund);
}

/** `POST /lab/refunds/{refund_id}/retry`. */
export async function retryRefusedRefund(input: Input<typeof retryRefund>, context: WriteContext) {
  const refund = await sending.retryRefund(context, context.tx, input.params.refund_id);
  context.concern(refund.organization_id);
  return refundInfo(refund);
}

/** `POST /lab/experiments/{experiment_id}/cancel`: the order ends, and its money with it. */
export async function cancelOrder(input: Input<typeof cancelByStaff>, context: WriteContext) {
  const { tx } = context;
  const experiment = await lockExperiment(labScope, tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  context.concern(experiment.organization_id);
  const { reason, refund_cents: refundCents } = input.body;
  const found = await findInvoiceOfExperiment(labScope, tx, experiment.id);
  const held = found === undefined ? undefined : await lockInvoice(labScope, tx, found.id);
  if (refundCents !== undefined) await refuseIfNothingIsPaid(context, held);
  const canceled = await advance(context, tx, labScope, experiment, {
    trigger: 'cancel',
    actor: 'lab',
    attempt: 'be canceled',
    description: `Reason: ${reason}`,
  });
  await endQuote(context, experiment);
  const refund = held === undefined ? null : await endInvoice(context, experiment, held, reason, refundCents);
  const invoice = held === undefined ? null : await readBack(context, held.id);
  return {
    experiment_id: experiment.id,
    previous_status: experiment.status,
    status: canceled.status,
    canceled_at: context.clock.now().toISOString(),
    invoice_status: invoice?.status ?? null,
    refund,
  };
}

/** How much of a payment goes back can be said when there is one, and not while it is being confirmed. */
async function refuseIfNothingIsPaid({ tx }: WriteContext, invoice: InvoiceRow | undefined): Promise<void> {
  if (invoice?.status === 'paid') return;
  const isComing = invoice?.status === 'open' && (await isPaymentCollected(labScope, tx, invoice.id));
  const status = isComing ? 'open, with a payment being confirmed' : (invoice?.status ?? 'not made yet');
  const message = isComing
    ? 'can be given once the payment is confirmed; repeat the request in a moment'
    : 'is for a paid invoice only; leave it out';
  throw fail('invoice_not_refundable', { status }, { problems: [{ path: 'refund_cents', message }] });
}

async function endQuote(context: WriteContext, experiment: ExperimentRow): Promise<void> {
  const quote = await latestQuote(labScope, context.tx, experiment.id);
  if (quote?.status !== 'open' && quote?.status !== 'draft') return;
  const at = context.clock.now();
  await setQuoteStatus(labScope, context.tx, quote.id, { from: quote.status, to: 'canceled', at });
  await endQuoteAtProcessor(context, context.tx, quote);
}

async function endInvoice(
  context: WriteContext,
  experiment: ExperimentRow,
  invoice: InvoiceRow,
  reason: string,
  refundCents: number | undefined,
) {
  const { tx } = context;
  if (invoice.status === 'void') return null;
  if (invoice.status !== 'paid') {
    await end(context, { experiment, invoice }, { to: 'void', reason });
    return null;
  }
  const credited = await creditedCents(labScope, tx, invoice.id);
  const isNothingToReturn =
    refundCents === 0 || (refundCents === undefined && credited === invoice.amount_paid_cents);
  const refund = isNothingToReturn
    ? null
    : await creditPaidInvoice(context, { experiment, invoice }, refundCents, reason);
  await recognizeRevenue(context, tx, invoice);
  return refund;
}
