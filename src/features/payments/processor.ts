/**
 * The ports of a payment processor: hosted invoices and quotes, charges of shared payment tokens, refunds. Amounts are
 * integer minor units; an `invoiceId` is ours, a `providerId` is the processor's.
 */

/**
 * The processor did not report an outcome: the effect may exist. Callers never show it as a failure and always look
 * it up again.
 */
export class ProcessorUnclearError extends Error {
  override readonly name = 'ProcessorUnclearError';
}

/** The processor rejected the request, and nothing happened there. */
export class ProcessorRefusedError extends Error {
  override readonly name = 'ProcessorRefusedError';
}

export interface ProcessorInvoice {
  readonly provider_id: string;
  /** Our id, as the processor kept it; null for an invoice of another service. */
  readonly invoice_id: string | null;
  readonly status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
  readonly currency: string;
  readonly total_cents: number;
  readonly remaining_cents: number;
  /** The processor's page where a person pays; null for a draft, and where our own page takes the payment. */
  readonly hosted_url: string | null;
  /** Id of the payment in the ledger and in the refund port; null until it is paid. */
  readonly payment_id: string | null;
}

export interface InvoiceOrder {
  readonly invoice_id: string;
  readonly invoice_number: string;
  readonly organization_id: string;
  readonly customer_id: string;
  readonly experiment_code: string;
  readonly purchase_order_number: string | null;
  readonly currency: string;
  /** Sum to `totalCents`, tax included. */
  readonly lines: readonly { readonly description: string; readonly amountCents: number }[];
  readonly total_cents: number;
  readonly due_at: Date;
  /** Time of the first attempt; null at the first attempt, when no earlier object can exist. */
  readonly attempted_at: Date | null;
  /** The processor's id of the accepted quote; null: the invoice is made without a quote. */
  readonly begun_id: string | null;
}

export type FindOrder = Pick<InvoiceOrder, 'invoice_id' | 'customer_id' | 'attempted_at'>;

export interface ProcessorQuote {
  readonly providerId: string;
  readonly status: 'draft' | 'open' | 'accepted' | 'canceled';
  /** The invoice that the processor made when its quote was accepted. */
  readonly providerInvoiceId: string | null;
}

export interface QuoteOrder {
  readonly quote_id: string;
  readonly quote_number: string;
  readonly organization_id: string;
  readonly customer_id: string;
  readonly experiment_code: string;
  readonly currency: string;
  /** Sum to `totalCents`, tax included; a discount is negative. */
  readonly lines: readonly { readonly description: string; readonly amountCents: number }[];
  readonly total_cents: number;
  readonly expires_at: Date;
  /** Time of the first attempt; null at the first attempt, when no earlier object can exist. */
  readonly attempted_at: Date | null;
}

/**
 * Copies of our quotes at a processor. A `ProcessorRefusedError` from any of these is final: our quote and its
 * invoice go on without the copy.
 */
export interface ProcessorQuotes {
  /** Makes the quote and opens it. Continues where an earlier attempt ended, and never makes a second quote. */
  open(order: QuoteOrder): Promise<ProcessorQuote>;
  /** Accepts the quote, after making it if necessary; returns `canceled` when it can no longer be accepted. */
  accept(order: QuoteOrder & { readonly providerId: string | null }): Promise<ProcessorQuote>;
  /** Cancels the quote; returns its final state, which may be accepted. */
  cancel(providerId: string): Promise<ProcessorQuote>;
  find(
    order: Pick<QuoteOrder, 'quote_id' | 'customer_id' | 'attempted_at'>,
  ): Promise<ProcessorQuote | undefined>;
}

/** The processor's own documents, as they are at this moment. */
export interface ProcessorDocuments {
  /**
   * Number of the invoice at the processor, null for a draft, and the address of its document, null while there is
   * none.
   */
  getInvoice(
    providerId: string,
  ): Promise<{ readonly number: string | null; readonly address: string | null }>;
  /** The PDF at the address of an invoice. */
  fetchInvoice(address: string): Promise<Uint8Array>;
  /** The bytes of a PDF. */
  getQuote(providerId: string): Promise<Uint8Array>;
}

/** The content of a signed notification. It is only a hint: the processor is asked before anything is changed. */
export interface ProcessorNotice {
  readonly id: string;
  readonly type: string;
  /** Null when it is not about an invoice. */
  readonly providerId: string | null;
  readonly invoiceId: string | null;
  /** Somebody tried to pay the invoice on the page of the processor, and was refused. */
  readonly isPaymentFailure: boolean;
}

export interface HostedProcessor {
  /** The processor's name in our records of invoices. */
  readonly name: string;
  /** The ledger rail on which its payments are posted. */
  readonly rail: string;
  /**
   * Lower case. The header with the signature of its notifications; it also identifies the processor that sent one.
   */
  readonly signatureHeader: string;
  /** Does `work`, whose requests begin within this time; one that would begin later throws `ProcessorUnclearError` instead. */
  attempt<T>(limitMs: number, work: () => Promise<T>): Promise<T>;
  /** Finds or makes the customer of an organization at the processor. */
  ensureCustomer(organization: { readonly id: string; readonly name: string }): Promise<string>;
  /**
   * Makes the invoice, fills it and opens it. Continues where an earlier attempt ended, and never makes a second
   * invoice.
   */
  issue(order: InvoiceOrder): Promise<ProcessorInvoice>;
  /** Finds what an earlier attempt made for this invoice. */
  find(order: FindOrder): Promise<ProcessorInvoice | undefined>;
  look(providerId: string): Promise<ProcessorInvoice>;
  /** Withdraws an unpaid invoice; returns its final state, which may be paid. */
  withdraw(invoice: { readonly providerId: string; readonly invoiceId: string }): Promise<ProcessorInvoice>;
  /** Throws `invalid_notification` unless the body was signed by the processor within the last minutes. */
  readNotice(
    body: string,
    signature: string | undefined,
    at: Date,
  ): ProcessorNotice | Promise<ProcessorNotice>;
  /** Null: the processor keeps no copies of quotes, and its invoices are made without them. */
  readonly quotes: ProcessorQuotes | null;
  /** Null: our own documents are used for its quotes and invoices. */
  readonly documents: ProcessorDocuments | null;
}

/** Every processor of this installation. An invoice stays with the processor where it was opened. */
export interface Processors {
  /** The processor where new invoices are opened. */
  readonly current: HostedProcessor;
  readonly byName: ReadonlyMap<string, HostedProcessor>;
}

/**
 * The port of a processor that charges a shared payment token, once. A declined charge is a verdict; an uncertain
 * outcome is thrown as `ProcessorUnclearError`.
 */
interface SharedToken {
  readonly maxAmountCents: number;
  readonly currency: string;
  readonly expiresAt: Date;
  readonly isDeactivated: boolean;
}

export interface ChargeOrder {
  readonly invoice_id: string;
  readonly organization_id: string;
  /** Counted from 1 within the invoice; with it the processor's idempotency key is `inv:<invoice>:attempt:<n>`. */
  readonly attempt: number;
  readonly token: string;
  readonly amount_cents: number;
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
  find(order: Pick<ChargeOrder, 'invoice_id' | 'attempt'>): Promise<ChargeVerdict | undefined>;
}

export function formatChargeKey(order: Pick<ChargeOrder, 'invoice_id' | 'attempt'>): string {
  return `inv:${order.invoice_id}:attempt:${order.attempt}`;
}

/**
 * The port of refunds. Each rail has one; the service records an attempt before it calls, and reconciles unknown
 * outcomes. A rail without a port is refunded by hand: staff send the money and record its reference.
 */

export interface RefundRequest {
  readonly refund_id: string;
  /**
   * The same for every repetition of one attempt: `refund:<refund id>:<attempt>`. A rail that knows the key repeats
   * its first answer.
   */
  readonly idempotency_key: string;
  readonly organization_id: string;
  readonly invoice_id: string;
  /** The payment to return, as its rail named it at settlement: `{type, tx_hash | payment_id | …}`. */
  readonly payment: Readonly<Record<string, unknown>>;
  /** At most the amount paid; smaller for a partial refund. */
  readonly amount_cents: number;
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
