/**
 * The port of a processor that charges a shared payment token, once. A declined charge is a verdict; an uncertain
 * outcome is thrown as `ProcessorUnclearError`.
 */
export interface SharedToken {
  readonly maxAmountCents: number;
  readonly currency: string;
  readonly expiresAt: Date;
  readonly isDeactivated: boolean;
}

export interface ChargeOrder {
  readonly invoiceId: string;
  readonly organizationId: string;
  /** Counted from 1 within the invoice; with it the processor's idempotency key is `inv:<invoice>:attempt:<n>`. */
  readonly attempt: number;
  readonly token: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly description: string;
}

export type ChargeVerdict =
  | { readonly kind: 'charged'; readonly paymentIntentId: string }
  | { readonly kind: 'declined'; readonly reason: string };

export interface TokenProcessor {
  /** The processor's id of the seller; a token must be granted to it. */
  readonly networkId: string;
  readonly paymentMethodTypes: readonly string[];
  /** Returns undefined when the processor does not know the token. */
  readToken(token: string): Promise<SharedToken | undefined>;
  /** A repeated attempt with the same token returns the outcome of the first request. */
  charge(order: ChargeOrder): Promise<ChargeVerdict>;
  /**
   * Looks up the charge of an attempt, for when the processor may have forgotten the key or repeats an error under
   * it. A declined charge stays declined.
   */
  find(order: Pick<ChargeOrder, 'invoiceId' | 'attempt'>): Promise<ChargeVerdict | undefined>;
}

export function formatChargeKey({ invoiceId, attempt }: Pick<ChargeOrder, 'invoiceId' | 'attempt'>): string {
  return `inv:${invoiceId}:attempt:${attempt}`;
}
