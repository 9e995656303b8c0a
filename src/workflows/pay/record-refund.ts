/**
 * `POST /lab/refunds/{refund_id}/record`: records money that staff sent back; a rail that can be asked confirms it
 * first.
 */
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import { selectTakenAttempt } from '#features/payments/attempt-store.ts';
import type { recordRefund as operation } from '#features/invoices/refunds/contract.ts';
import { findRefund, type RefundRow } from '#features/invoices/refunds/store.ts';
import { buildRefundInfo } from '#features/invoices/refunds/wire.ts';
import type { OutwardContext } from '#features/installation/outward-context.ts';
import { parseTransferReference } from '#features/payments/transfer-reference.ts';
import { completeByHand } from '#features/invoices/refunds/send-refund.ts';

/** `POST /lab/refunds/{refund_id}/record`. */
export async function recordRefund(input: Input<typeof operation>, context: OutwardContext) {
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
