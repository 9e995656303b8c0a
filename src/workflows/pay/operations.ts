/** The operations of the step "pay", each with what carries it out. */
import { bindOutward, bindWrite, type Binding } from '#features/binding.ts';
import * as invoicesContract from '#features/invoices/contract.ts';
import * as invoicesRefundsContract from '#features/invoices/refunds/contract.ts';
import * as invoicesLabContract from '#features/invoices/lab-contract.ts';
import { payInvoice } from './pay-invoice.ts';
import { reissueInvoice } from './reissue-invoice.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import { selectTakenAttempt } from '#features/payments/attempt-store.ts';
import { findRefund, type RefundRow } from '#features/invoices/refunds/store.ts';
import { buildRefundInfo, findHostedUrl, createNotPayableFailure } from '#features/invoices/wire.ts';
import type { OutwardContext } from '#features/installation/outward-context.ts';
import { parseTransferReference } from '#features/payments/rules.ts';
import { completeByHand } from '#features/invoices/refunds/send-refund.ts';
import type { WriteContext } from '#core/context.ts';
import { closeInvoice, showInvoice } from './close-invoice.ts';
import { holdForStaff } from '#features/invoices/hold-invoice.ts';
import { finalize } from './finalize-invoice.ts';

export const payOperations: readonly Binding[] = [
  bindOutward(invoicesContract.payInvoice, payInvoice),
  bindOutward(invoicesRefundsContract.recordRefund, recordRefund),
  bindWrite(invoicesLabContract.voidInvoice, voidInvoice),
  bindWrite(invoicesLabContract.reissueInvoice, reissueInvoice),
  bindWrite(invoicesLabContract.writeOffInvoice, writeOffInvoice),
  bindWrite(invoicesLabContract.sendInvoice, sendInvoice),
];

/** `POST /lab/refunds/{refund_id}/record`. */
async function recordRefund(
  input: Input<typeof invoicesRefundsContract.recordRefund>,
  context: OutwardContext,
) {
  const { database } = context;
  const { refund_id: id } = input.params;
  const refund = await findRefund(labScope, database.read, id);
  if (refund === undefined) throw fail('refund_not_found');
  context.setAuditOrganization(refund.organization_id);
  const reference = await confirmRefund(context, refund, parseTransferReference(input.body.reference));
  const done = await database
    .runTransaction(async (tx) => {
      const recorded = await completeByHand(context, tx, id, reference);
      await context.audit(tx, buildRefundInfo(recorded));
      return recorded;
    })
    .catch(async (error: unknown) => {
      // A repeated record of the same transfer has no further effect.
      const now = await findRefund(labScope, database.read, id);
      if (now?.status === 'refunded' && now.reference === reference) return now;
      throw error;
    });
  return buildRefundInfo(done);
}

async function confirmRefund(
  { payments, database }: OutwardContext,
  refund: RefundRow,
  reference: string,
): Promise<string> {
  const { invoice_id: invoiceId, payment_reference: payment, rail: name } = refund;
  const attempt = await selectTakenAttempt(labScope, database.read, invoiceId, payment);
  if (attempt?.rail !== name) return reference;
  const rail = payments.rails.get(attempt.rail);
  if (rail === undefined)
    throw fail('refund_not_confirmed', {
      reason: `this service is not set up for ${attempt.rail}, so the transfer cannot be checked`,
    });
  if (rail.confirmRefund === undefined) return reference;
  const proof = await rail
    .confirmRefund(attempt, { reference, amountCents: refund.amount_cents })
    .catch(() => ({ kind: 'unconfirmed' as const, reason: 'it cannot be asked now; try again in a moment' }));
  if (proof.kind === 'unconfirmed') throw fail('refund_not_confirmed', { reason: proof.reason });
  return proof.reference;
}

/** `POST /lab/invoices/{invoice_id}/void`. */
async function voidInvoice(input: Input<typeof invoicesLabContract.voidInvoice>, context: WriteContext) {
  const { experiment, invoice } = await holdForStaff(context, input.params.invoice_id);
  if (invoice.status === 'paid' || invoice.status === 'void')
    throw fail('invoice_not_closable', { status: invoice.status, action: 'voided' });
  await closeInvoice(context, { experiment, invoice }, { to: 'void', reason: input.body.reason });
  return showInvoice(context, invoice.id);
}

/** `POST /lab/invoices/{invoice_id}/uncollectible`. */
async function writeOffInvoice(
  input: Input<typeof invoicesLabContract.writeOffInvoice>,
  context: WriteContext,
) {
  const { experiment, invoice } = await holdForStaff(context, input.params.invoice_id);
  if (invoice.status !== 'open')
    throw fail('invoice_not_closable', { status: invoice.status, action: 'given up' });
  await closeInvoice(context, { experiment, invoice }, { to: 'uncollectible', reason: input.body.reason });
  return showInvoice(context, invoice.id);
}

/** `POST /lab/invoices/{invoice_id}/send`. */
async function sendInvoice(input: Input<typeof invoicesLabContract.sendInvoice>, context: WriteContext) {
  const { experiment, invoice } = await holdForStaff(context, input.params.invoice_id);
  if (invoice.status !== 'draft' && invoice.status !== 'open')
    throw createNotPayableFailure(context.site, invoice);
  const scope = createOrganizationScope(invoice.organization_id);
  const openInvoice =
    invoice.status === 'open' ? invoice : await finalize(context, scope, experiment, invoice);
  return {
    id: openInvoice.id,
    status: openInvoice.status,
    hosted_invoice_url: findHostedUrl(context.site, openInvoice),
  };
}
