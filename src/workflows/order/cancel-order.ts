/**
 * Cancels an order for staff: with `lab:bill` until its run starts, with `lab:price` until its quote is accepted. An
 * open quote ends. An unpaid invoice is voided. A paid one is refunded over the rail of its payment: all that was not
 * credited before, or the amount that staff name; the rest becomes revenue. Clients cancel only before they accept the
 * quote, when there is no invoice yet: `cancelExperiment` in `operations.ts`.
 */
import type { Work, WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { labScope } from '#core/scope.ts';
import type { ExperimentRow } from '#features/experiments/store.ts';
import { findInvoiceOfExperiment, lockInvoice, type InvoiceRow } from '#features/invoices/store.ts';
import { isPaymentCollected } from '#features/payments/store.ts';
import { selectLatestQuote, setQuoteStatus } from '#features/quotes/store.ts';
import { selectCreditedCents } from '#features/invoices/refunds/store.ts';
import { closeInvoice, requireInvoice } from '../pay/close-invoice.ts';
import { recognizeRevenue } from '#features/invoices/recognize-revenue.ts';
import { withdrawQuoteAtProcessor } from '#features/payments/order-at-processor.ts';
import { creditInvoice } from '#features/invoices/refunds/issue-credit.ts';
import { transitionExperiment } from '#features/experiments/transition-experiment.ts';

type Context = Work & Pick<WriteContext, 'tx'>;

interface Cancellation {
  readonly reason: string;
  /** Who cancels: the e-mail address of a person, or the name of a part of the service. */
  readonly requestedBy: string;
  /** Cents to refund; undefined: all that was paid and not credited yet. */
  readonly refundCents: number | undefined;
}

/**
 * Cancels the order of a locked experiment in the caller's transaction. Throws `move_not_allowed` where its status
 * allows none, and `invoice_not_refundable` for a refund without a payment.
 */
export async function cancelOrder(context: Context, experiment: ExperimentRow, cancellation: Cancellation) {
  const { tx } = context;
  const lastInvoice = await findInvoiceOfExperiment(labScope, tx, experiment.id);
  const invoice = lastInvoice === undefined ? undefined : await lockInvoice(labScope, tx, lastInvoice.id);
  if (cancellation.refundCents !== undefined) await refuseIfNothingIsPaid(context, invoice);
  const canceled = await transitionExperiment(context, tx, labScope, experiment, {
    trigger: 'cancel',
    actor: 'lab',
    action: 'be canceled',
    description: `Reason: ${cancellation.reason}`,
  });
  await closeQuote(context, experiment);
  if (invoice === undefined) return { canceled, refund: null, invoice: null };
  const refund = await voidOrCreditInvoice(context, experiment, invoice, cancellation);
  return { canceled, refund, invoice: await requireInvoice(context, invoice.id) };
}

/** A stated refund needs a confirmed payment, so the request is rejected while there is none. */
async function refuseIfNothingIsPaid({ tx }: Context, invoice: InvoiceRow | undefined): Promise<void> {
  if (invoice?.status === 'paid') return;
  const isPaymentComing = invoice?.status === 'open' && (await isPaymentCollected(labScope, tx, invoice.id));
  const status = isPaymentComing
    ? 'open, with a payment being confirmed'
    : (invoice?.status ?? 'not made yet');
  const message = isPaymentComing
    ? 'cannot be given before the payment is confirmed; repeat the request in a moment'
    : 'applies to a paid invoice only; omit it';
  throw fail('invoice_not_refundable', { status }, { problems: [{ path: 'refund_cents', message }] });
}

async function closeQuote(context: Context, experiment: ExperimentRow): Promise<void> {
  const quote = await selectLatestQuote(labScope, context.tx, experiment.id);
  if (quote?.status !== 'open' && quote?.status !== 'draft') return;
  const at = context.clock.now();
  await setQuoteStatus(labScope, context.tx, quote.id, { from: quote.status, to: 'canceled', at });
  await withdrawQuoteAtProcessor(context, context.tx, quote);
}

async function voidOrCreditInvoice(
  context: Context,
  experiment: ExperimentRow,
  invoice: InvoiceRow,
  { reason, requestedBy, refundCents }: Cancellation,
) {
  const { tx } = context;
  if (invoice.status === 'void') return null;
  if (invoice.status !== 'paid') {
    await closeInvoice(context, { experiment, invoice }, { to: 'void', reason });
    return null;
  }
  const creditedCents = await selectCreditedCents(labScope, tx, invoice.id);
  const hasNothingToRefund =
    refundCents === 0 || (refundCents === undefined && creditedCents === invoice.amount_paid_cents);
  const refund = hasNothingToRefund
    ? null
    : await creditInvoice(
        context,
        { experiment, invoice },
        { requestedCents: refundCents, reason, creditedCents, requestedBy },
      );
  await recognizeRevenue(context, tx, invoice);
  return refund;
}
