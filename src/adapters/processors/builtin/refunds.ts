/** Refunds of the built-in processor: an immediate entry in its own records. */
import type { Work } from '#core/context.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import type { RefundPort, RefundRequest } from '#features/payments/refund-port.ts';
import { findPayment, findProcessorRefund, recordProcessorRefund } from '#features/payments/store.ts';

const BY_HAND =
  'A bank transfer is sent back by hand: transfer the amount to the payer, then record the reference of the transfer.';

export function createBuiltinRefunds(work: Work, database: Database): RefundPort {
  async function find({ idempotencyKey }: RefundRequest) {
    const processorRefund = await findProcessorRefund(labScope, database.read, idempotencyKey);
    return processorRefund === undefined
      ? { kind: 'none' as const }
      : { kind: 'refunded' as const, reference: processorRefund.id };
  }

  async function send(request: RefundRequest) {
    const payment = await findPayment(labScope, database.read, String(request.payment.payment_id));
    if (payment === undefined) return createRefusedOutcome('The built-in processor has no such payment.');
    if (payment.kind === 'bank_transfer' && work.site.environment === 'live')
      return createRefusedOutcome(BY_HAND);
    if (payment.currency !== request.currency)
      return createRefusedOutcome('The payment was made in another currency.');
    const recorded = await database.runTransaction((tx) =>
      recordProcessorRefund(createOrganizationScope(payment.organization_id), tx, {
        id: `re_${work.ids.createUuid().replaceAll('-', '')}`,
        paymentId: payment.id,
        idempotencyKey: request.idempotencyKey,
        amountCents: request.amountCents,
        currency: request.currency,
        at: work.clock.now(),
      }),
    );
    return recorded === undefined
      ? createRefusedOutcome('More would be sent back than was collected.')
      : { kind: 'refunded' as const, reference: recorded.id };
  }

  return { find, send };
}

function createRefusedOutcome(reason: string) {
  return { kind: 'refused' as const, reason };
}
