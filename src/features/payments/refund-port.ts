/**
 * The port of refunds. Each rail has one; the service records an attempt before it calls, and reconciles unknown
 * outcomes. A rail without a port is refunded by hand: staff send the money and record its reference.
 */

export interface RefundRequest {
  readonly refundId: string;
  /**
   * The same for every repetition of one attempt: `refund:<refund id>:<attempt>`. A rail that knows the key repeats
   * its first answer.
   */
  readonly idempotencyKey: string;
  readonly organizationId: string;
  readonly invoiceId: string;
  /** The payment to return, as its rail named it at settlement: `{type, tx_hash | payment_id | …}`. */
  readonly payment: Readonly<Record<string, unknown>>;
  /** At most the amount paid; smaller for a partial refund. */
  readonly amountCents: number;
  /** Lower case ISO 4217. */
  readonly currency: string;
}

export type RefundOutcome =
  /** The refund was made. `reference` is unique on the rail: it becomes the external reference of the posting. */
  | { readonly kind: 'refunded'; readonly reference: string }
  /** The refund was certainly not made, and repeating it will not help. Staff read the reason. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The refund may have been made; the service calls `find` before it sends again. */
  | { readonly kind: 'unknown'; readonly reason: string };

export type RefundFinding = RefundOutcome | { readonly kind: 'none' };

export interface RefundPort {
  /** Called outside any transaction. An exception counts as an unknown outcome. */
  send(request: RefundRequest): Promise<RefundOutcome>;
  /** The outcome of an attempt whose answer was lost; `none` only when the rail certainly never received it. */
  find(request: RefundRequest): Promise<RefundFinding>;
}

/** Ports by ledger rail. */
export type RefundPorts = Readonly<Partial<Record<string, RefundPort>>>;
