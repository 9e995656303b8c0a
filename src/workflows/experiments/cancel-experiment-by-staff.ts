import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import { lockExperiment, type ExperimentRow } from '#domain/experiments/store.ts';
import { findInvoiceOfExperiment, lockInvoice, type InvoiceRow } from '#domain/invoices/store.ts';
import { isPaymentCollected } from '#domain/payments/store.ts';
import { selectLatestQuote, setQuoteStatus } from '#domain/quotes/store.ts';
import type { cancelExperimentByStaff as operation } from '#domain/experiments/lab-contract.ts';
import { selectCreditedCents } from '#domain/refunds/store.ts';
import { transitionExperiment } from './transition-experiment.ts';
import { closeInvoice, readInvoiceBack } from '../invoices/close-invoice.ts';
import { recognizeRevenue } from '../ledger/recognize-revenue.ts';
import { hastenQuoteEnd } from '../payments/order-at-processor.ts';
import { creditInvoice } from '../refunds/credit-invoice.ts';

/** `POST /lab/experiments/{experiment_id}/cancel`: ends the order, and voids or refunds its invoice. */
export async function cancelExperimentByStaff(input: Input<typeof operation>, context: WriteContext) {
  const { tx } = context;
  const experiment = await lockExperiment(labScope, tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  context.setAuditOrganization(experiment.organization_id);
  const { reason, refund_cents: refundCents } = input.body;
  const found = await findInvoiceOfExperiment(labScope, tx, experiment.id);
  const held = found === undefined ? undefined : await lockInvoice(labScope, tx, found.id);
  if (refundCents !== undefined) await refuseIfNothingIsPaid(context, held);
  const canceled = await transitionExperiment(context, tx, labScope, experiment, {
    trigger: 'cancel',
    actor: 'lab',
    attempt: 'be canceled',
    description: `Reason: ${reason}`,
  });
  await closeQuote(context, experiment);
  const refund =
    held === undefined ? null : await voidOrCreditInvoice(context, experiment, held, reason, refundCents);
  const invoice = held === undefined ? null : await readInvoiceBack(context, held.id);
  return {
    experiment_id: experiment.id,
    previous_status: experiment.status,
    status: canceled.status,
    canceled_at: context.clock.now().toISOString(),
    invoice_status: invoice?.status ?? null,
    refund,
  };
}

/** The refund amount needs a payment, so it is rejected without one and while one is being confirmed. */
async function refuseIfNothingIsPaid({ tx }: WriteContext, invoice: InvoiceRow | undefined): Promise<void> {
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

async function closeQuote(context: WriteContext, experiment: ExperimentRow): Promise<void> {
  const quote = await selectLatestQuote(labScope, context.tx, experiment.id);
  if (quote?.status !== 'open' && quote?.status !== 'draft') return;
  const at = context.clock.now();
  await setQuoteStatus(labScope, context.tx, quote.id, { from: quote.status, to: 'canceled', at });
  await hastenQuoteEnd(context, context.tx, quote);
}

async function voidOrCreditInvoice(
  context: WriteContext,
  experiment: ExperimentRow,
  invoice: InvoiceRow,
  reason: string,
  refundCents: number | undefined,
) {
  const { tx } = context;
  if (invoice.status === 'void') return null;
  if (invoice.status !== 'paid') {
    await closeInvoice(context, { experiment, invoice }, { to: 'void', reason });
    return null;
  }
  const credited = await selectCreditedCents(labScope, tx, invoice.id);
  const hasNothingToReturn =
    refundCents === 0 || (refundCents === undefined && credited === invoice.amount_paid_cents);
  const refund = hasNothingToReturn
    ? null
    : await creditInvoice(context, { experiment, invoice }, { asked: refundCents, reason, credited });
  await recognizeRevenue(context, tx, invoice);
  return refund;
}
