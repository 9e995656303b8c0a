/**
 * Shared payment tokens at Stripe. Stripe 23.1.0 has no types for them and their interface is a preview, so all that
 * depends on it stands in this file, under one version:
 *
 * - `2026-07-29.preview` (used here): the token is the parameter `shared_payment_granted_token` of a payment intent.
 * - `2026-04-22.preview`: it stands inside, as `payment_method_data[shared_payment_granted_token]`.
 *
 * A granted token does not show whom it was granted to (`seller_details.network_id` or `network_business_profile`,
 * depending on the version), so a token of another seller is refused by Stripe and not before.
 */
import type Stripe from 'stripe';
import {
  ProcessorRefusedError,
  ProcessorUnclearError,
  formatChargeKey,
  type ChargeVerdict,
  type TokenProcessor,
} from '#features/payments/processor.ts';
import { ask } from './client.ts';
import {
  isGrantedToken,
  isPaymentIntent,
  isPaymentIntentSearch,
  type PaymentIntentReply,
} from './replies.ts';

const PREVIEW = { apiVersion: '2026-07-29.preview' };
const TOKEN = /^spt_\w{1,200}$/;

export function createStripeTokens(stripe: Stripe, networkId: string): TokenProcessor {
  return {
    networkId,
    paymentMethodTypes: ['card'],
    async readToken(token) {
      if (!TOKEN.test(token)) return undefined;
      const path = `/v1/shared_payment/granted_tokens/${token}`;
      const granted = await ask('read token', isGrantedToken, () =>
        stripe.rawRequest('GET', path, {}, PREVIEW),
      ).catch(ignoreRefused);
      if (granted === undefined) return undefined;
      const { max_amount, currency, expires_at } = granted.usage_limits;
      return {
        maxAmountCents: max_amount,
        currency,
        expiresAt: new Date(expires_at * 1000),
        isDeactivated: granted.deactivated_at !== null,
      };
    },
    async charge(order) {
      const parameters = {
        amount: order.amount_cents,
        currency: order.currency,
        confirm: true,
        automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
        shared_payment_granted_token: order.token,
        description: order.description,
        metadata: {
          invoice_id: order.invoice_id,
          organization_id: order.organization_id,
          attempt: String(order.attempt),
        },
      };
      const options = { ...PREVIEW, idempotencyKey: formatChargeKey(order) };
      try {
        const intent = await ask('charge token', isPaymentIntent, () =>
          stripe.rawRequest('POST', '/v1/payment_intents', parameters, options),
        );
        return await decideVerdict(stripe, intent, order);
      } catch (error) {
        if (error instanceof ProcessorRefusedError) return { kind: 'declined', reason: getReason(error) };
        throw error;
      }
    },
    async find({ invoice_id: invoiceId, attempt }) {
      const query = `metadata['invoice_id']:'${invoiceId}'`;
      const charges = await ask('search charges', isPaymentIntentSearch, () =>
        stripe.paymentIntents.search({ query, limit: 100 }),
      );
      const own = charges.data.filter(({ metadata }) => metadata?.attempt === String(attempt));
      const intent = own.find(({ status }) => status === 'succeeded') ?? own[0];
      return intent === undefined ? undefined : decideFoundVerdict(stripe, intent);
    },
  };
}

/**
 * Decides the answer to a charge. A charge that waits for a person would wait for ever here, so it is canceled first.
 */
async function decideVerdict(
  stripe: Stripe,
  intent: PaymentIntentReply,
  order: { readonly amount_cents: number; readonly currency: string },
): Promise<ChargeVerdict> {
  if (intent.status === 'succeeded') {
    if (intent.amount !== order.amount_cents || intent.currency !== order.currency)
      throw new ProcessorUnclearError(`${intent.id} is of ${intent.amount} ${intent.currency}`);
    return createChargedVerdict(intent);
  }
  return intent.status === 'requires_payment_method'
    ? createDeclinedVerdict(intent)
    : closeIntent(stripe, intent);
}

/**
 * Decides a charge that a search found. The search may be out of date, so a charge that is not final is canceled
 * before it counts as declined, and nothing can be charged under its key any more.
 */
async function decideFoundVerdict(stripe: Stripe, intent: PaymentIntentReply): Promise<ChargeVerdict> {
  return intent.status === 'succeeded' ? createChargedVerdict(intent) : closeIntent(stripe, intent);
}

const ENDS_BY_CANCELING = new Set(['requires_payment_method', 'requires_action', 'requires_confirmation']);

async function closeIntent(stripe: Stripe, intent: PaymentIntentReply): Promise<ChargeVerdict> {
  if (intent.status === 'canceled') return createDeclinedVerdict(intent);
  if (!ENDS_BY_CANCELING.has(intent.status))
    throw new ProcessorUnclearError(`${intent.id} is ${intent.status}`);
  const key = { idempotencyKey: `${intent.id}:cancel` };
  const now = await ask('cancel charge', isPaymentIntent, () =>
    stripe.paymentIntents.cancel(intent.id, {}, key),
  ).catch((error: unknown) => {
    // The charge may have succeeded meanwhile, so a rejected cancellation decides nothing.
    throw error instanceof ProcessorRefusedError ? new ProcessorUnclearError(error.message) : error;
  });
  if (now.status === 'canceled') return createDeclinedVerdict(intent);
  throw new ProcessorUnclearError(`${intent.id} is ${now.status} after it was canceled`);
}

const createChargedVerdict = ({ id }: PaymentIntentReply): ChargeVerdict => ({
  kind: 'charged',
  paymentIntentId: id,
});
const createDeclinedVerdict = ({ status }: PaymentIntentReply): ChargeVerdict => ({
  kind: 'declined',
  reason: status,
});

function ignoreRefused(error: unknown): undefined {
  if (error instanceof ProcessorRefusedError) return undefined;
  throw error;
}

/** Returns Stripe's code, such as `card_declined`. */
function getReason(error: ProcessorRefusedError): string {
  return /: (\w+) \(/.exec(error.message)?.[1] ?? 'declined';
}
