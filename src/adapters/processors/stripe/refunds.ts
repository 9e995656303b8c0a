/** Refunds through Stripe: every payment there is a payment intent, also that of a hosted invoice. */
import type Stripe from 'stripe';
import {
  ProcessorRefusedError,
  type RefundFinding,
  type RefundOutcome,
  type RefundPort,
  type RefundRequest,
} from '#features/payments/processor.ts';
import { ask } from './client.ts';
import { isInvoicePaymentList, isRefund, isRefundList, type RefundReply } from './replies.ts';

const PAGE = 100;

/** For payments named `{payment_id: in_…}` (a hosted invoice) or `{payment_intent_id: pi_…}` (a token). */
export function createStripeRefunds(stripe: Stripe): RefundPort {
  return {
    async send(request) {
      const intent = await findIntent(stripe, request);
      if (intent === undefined)
        return { kind: 'refused', reason: 'Stripe has no payment that can be refunded' };
      const parameters = {
        payment_intent: intent,
        amount: request.amount_cents,
        metadata: { refund_id: request.refund_id, refund_key: request.idempotency_key },
      };
      const key = { idempotencyKey: request.idempotency_key };
      try {
        const refund = await ask('refund', isRefund, () => stripe.refunds.create(parameters, key));
        return decideOutcome(refund, request);
      } catch (error) {
        if (error instanceof ProcessorRefusedError) return { kind: 'refused', reason: error.message };
        throw error;
      }
    },
    async find(request): Promise<RefundFinding> {
      const intent = await findIntent(stripe, request);
      if (intent === undefined) return { kind: 'none' };
      const query = { payment_intent: intent, limit: PAGE };
      const { data } = await ask('list refunds', isRefundList, () => stripe.refunds.list(query));
      const own = data.find(({ metadata }) => metadata?.refund_key === request.idempotency_key);
      return own === undefined ? { kind: 'none' } : decideOutcome(own, request);
    },
  };
}

async function findIntent(stripe: Stripe, { payment }: RefundRequest): Promise<string | undefined> {
  const { payment_intent_id: intent, payment_id: invoice } = payment;
  if (typeof intent === 'string') return intent;
  if (typeof invoice !== 'string') return undefined;
  const { data } = await ask('list payments', isInvoicePaymentList, () =>
    stripe.invoicePayments.list({ invoice, status: 'paid', limit: PAGE }),
  );
  return data.find((row) => row.payment.payment_intent !== undefined)?.payment.payment_intent;
}

/** A refund may stay pending for days and still fail, so it is looked up until its outcome is final. */
function decideOutcome(refund: RefundReply, request: RefundRequest): RefundOutcome {
  if (refund.amount !== request.amount_cents || refund.currency !== request.currency)
    return { kind: 'unknown', reason: `${refund.id} is of ${refund.amount} ${refund.currency}` };
  if (refund.status === 'succeeded') return { kind: 'refunded', reference: refund.id };
  if (refund.status === 'failed' || refund.status === 'canceled')
    return { kind: 'refused', reason: `${refund.id} is ${refund.status}` };
  return { kind: 'unknown', reason: `${refund.id} is ${refund.status ?? 'without a status'}` };
}
