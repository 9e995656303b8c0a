/**
 * Sending money back. Each rail has one port; the service writes an attempt down before it calls, and reconciles what
 * it could not learn. A rail without a port is served by hand: staff send the money and record its reference.
 */

export interface RefundRequest {
  readonly refundId: string;
  /**
   * The same for every repetition of one attempt: `refund:<refund id>:<attempt>`. A rail that has seen the key before
   * answers what it did then.
   */
  readonly idempotencyKey: string;
  readonly organizationId: string;
  readonly invoiceId: string;
  /** The payment that is returned, as its rail named it when it settled: `{type, tx_hash | payment_id | …}`. */
  readonly payment: Readonly<Record<string, unknown>>;
  /** At most what was paid; smaller for a partial refund. */
  readonly amountCents: number;
  /** Lower case ISO 4217. */
  readonly currency: string;
}

export type RefundOutcome =
  /** Done. `reference` is unique on the rail: it becomes the external reference of the posting. */
  | { readonly kind: 'refunded'; readonly reference: string }
  /** Definitely not done, and repeating it will not help; staff read the reason. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It may have been done; the service asks `find` before it sends again. */
  | { readonly kind: 'unknown'; readonly reason: string };

export type RefundFinding = RefundOutcome | { readonly kind: 'none' };

export interface RefundPort {
  /** Called outside any transaction. What it throws counts as unknown. */
  send(request: RefundRequest): Promise<RefundOutcome>;
  /** What became of an attempt whose answer was lost; `none` only when the rail surely never took it. */
  find(request: RefundRequest): Promise<RefundFinding>;
}

/** By the rail of the ledger. */
export type RefundPorts = Readonly<Partial<Record<string, RefundPort>>>;
