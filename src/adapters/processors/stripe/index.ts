/**
 * Stripe as the payment processor: hosted invoices, shared payment tokens, refunds; and as an outside book.
 * This folder: everything that knows Stripe. Not here: how a payment is settled (`features/payments`).
 */
import type { Clock } from '#core/clock.ts';
import type { HostedProcessor, TokenProcessor, RefundPort } from '#features/payments/processor.ts';
import { attempt, createStripe, type StripeSettings } from './client.ts';
import { createStripeDocuments } from './documents.ts';
import { createStripeInvoices } from './invoices.ts';
import { createStripeQuotes } from './quotes.ts';
import { createStripeRefunds } from './refunds.ts';
import { createStripeTokens } from './shared-payment-tokens.ts';

export { createStripeBook } from './book.ts';

export interface StripeProcessor {
  readonly hosted: HostedProcessor;
  /** Null where the lab has no profile to which tokens could be granted. */
  readonly tokens: TokenProcessor | null;
  readonly refunds: RefundPort;
}

export function createStripeProcessor(
  settings: StripeSettings & { readonly networkId: string | null },
  clock: Clock,
): StripeProcessor {
  const stripe = createStripe(settings);
  return {
    hosted: createStripeInvoices(stripe, settings, {
      attempt: (limitMs, work) => attempt(clock, limitMs, work),
      quotes: createStripeQuotes(stripe, clock),
      documents: createStripeDocuments(stripe, settings),
    }),
    tokens: settings.networkId === null ? null : createStripeTokens(stripe, settings.networkId),
    refunds: createStripeRefunds(stripe),
  };
}
