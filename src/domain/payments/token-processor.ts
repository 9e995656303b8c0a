/**
 * The port behind which a processor charges a shared payment token, once. A charge that the processor declined is a
 * verdict; whatever is not certain is thrown as `ProcessorUnclearError`.
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
  /** Whom a token must be granted to, as the processor names the seller. */
  readonly networkId: string;
  readonly paymentMethodTypes: readonly string[];
  /** Undefined when the processor knows no such token. */
  readToken(token: string): Promise<SharedToken | undefined>;
  /** Repeating an attempt with the same token answers what became of the first request. */
  charge(order: ChargeOrder): Promise<ChargeVerdict>;
  /**
   * Looks the charge of an attempt up, for when the processor may have forgotten the key or repeats an error under it.
   * One that is declined is so for good.
   */
  find(order: Pick<ChargeOrder, 'invoiceId' | 'attempt'>): Promise<ChargeVerdict | undefined>;
}

export function chargeKey({ invoiceId, attempt }: Pick<ChargeOrder, 'invoiceId' | 'attempt'>): string {
  return `inv:${invoiceId}:attempt:${attempt}`;
}
