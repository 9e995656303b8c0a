/** Stripe as the payment processor: hosted invoices, shared payment tokens, refunds. */
import type { HostedProcessor } from '#domain/payments/processor.ts';
import type { RefundPort } from '#domain/payments/refund-port.ts';
import type { TokenProcessor } from '#domain/payments/token-processor.ts';
import { createStripe, type StripeSettings } from './client.ts';
import { stripeInvoices } from './invoices.ts';
import { stripeRefunds } from './refunds.ts';
import { stripeTokens } from './shared-payment-tokens.ts';

export interface StripeProcessor {
  readonly hosted: HostedProcessor;
  /** Null where the lab has no profile that tokens could be granted to. */
  readonly tokens: TokenProcessor | null;
  readonly refunds: RefundPort;
}

export function stripeProcessor(
  settings: StripeSettings & { readonly networkId: string | null },
): StripeProcessor {
  const stripe = createStripe(settings);
  return {
    hosted: stripeInvoices(stripe, settings.webhookSecret),
    tokens: settings.networkId === null ? null : stripeTokens(stripe, settings.networkId),
    refunds: stripeRefunds(stripe),
  };
}
