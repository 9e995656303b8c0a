/**
 * The port behind which a payment processor collects hosted invoices: the built-in one, or one outside. Amounts are
 * integer minor units; an `invoiceId` is ours, a `providerId` is the processor's.
 */

/** The processor did not say what happened: the effect may exist. Never shown as a failure, always looked up again. */
export class ProcessorUnclearError extends Error {
  override readonly name = 'ProcessorUnclearError';
}

/** The processor said no, and nothing happened there. */
export class ProcessorRefusedError extends Error {
  override readonly name = 'ProcessorRefusedError';
}

export interface ProcessorInvoice {
  readonly providerId: string;
  /** Our id, as the processor kept it; null for an invoice that is not of this service. */
  readonly invoiceId: string | null;
  readonly status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
  readonly currency: string;
  readonly totalCents: number;
  readonly remainingCents: number;
  /** The page of the processor where a person pays; null while it is a draft, and where our own page is that page. */
  readonly hostedUrl: string | null;
  /** What the payment is called in the ledger and by the refund port; null until it is paid. */
  readonly paymentId: string | null;
}

export interface InvoiceOrder {
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  readonly organizationId: string;
  readonly customerId: string;
  readonly experimentCode: string;
  readonly purchaseOrderNumber: string | null;
  readonly currency: string;
  /** They sum to `totalCents`, tax included. */
  readonly lines: readonly { readonly description: string; readonly amountCents: number }[];
  readonly totalCents: number;
  readonly dueAt: Date;
  /** When the first attempt was made; null says that this is the first, so nothing has to be looked for. */
  readonly attemptedAt: Date | null;
  /** What the processor made of the accepted quote; null: the invoice is made without one. */
  readonly begunId: string | null;
}

export type FindOrder = Pick<InvoiceOrder, 'invoiceId' | 'customerId' | 'attemptedAt'>;

export interface ProcessorQuote {
  readonly providerId: string;
  readonly status: 'draft' | 'open' | 'accepted' | 'canceled';
  /** The invoice that the processor made when it was accepted there. */
  readonly providerInvoiceId: string | null;
}

export interface QuoteOrder {
  readonly quoteId: string;
  readonly quoteNumber: string;
  readonly organizationId: string;
  readonly customerId: string;
  readonly experimentCode: string;
  readonly currency: string;
  /** They sum to `totalCents`, tax included; a discount is negative. */
  readonly lines: readonly { readonly description: string; readonly amountCents: number }[];
  readonly totalCents: number;
  readonly expiresAt: Date;
  /** When the first attempt was made; null says that this is the first, so nothing has to be looked for. */
  readonly attemptedAt: Date | null;
}

/**
 * Quotes that a processor holds beside ours. A `ProcessorRefusedError` from any of these is final: our quote and its
 * invoice do without.
 */
export interface ProcessorQuotes {
  /** Makes the quote and opens it; goes on where an earlier attempt ended, and never makes a second one. */
  open(order: QuoteOrder): Promise<ProcessorQuote>;
  /** Accepts it, after making whatever is missing; answers `canceled` when it can no longer be accepted. */
  accept(order: QuoteOrder & { readonly providerId: string | null }): Promise<ProcessorQuote>;
  /** Takes it back; answers what it has become, which may be accepted. */
  cancel(providerId: string): Promise<ProcessorQuote>;
  find(
    order: Pick<QuoteOrder, 'quoteId' | 'customerId' | 'attemptedAt'>,
  ): Promise<ProcessorQuote | undefined>;
}

/** The documents that a processor makes, as they are at this moment. */
export interface ProcessorDocuments {
  /** The number it carries there, null for a draft; and where a browser finds its document, null while it has none. */
  invoice(providerId: string): Promise<{ readonly number: string | null; readonly address: string | null }>;
  /** The bytes of a PDF. */
  quote(providerId: string): Promise<Uint8Array>;
}

/** What a signed notification is about. Its content is a hint: the processor is asked before anything is believed. */
export interface ProcessorNotice {
  readonly id: string;
  readonly type: string;
  /** Null when it is not about an invoice. */
  readonly providerId: string | null;
  readonly invoiceId: string | null;
}

export interface HostedProcessor {
  /** As it stands in our records of its invoices. */
  readonly name: string;
  /** The rail of the ledger that its payments are posted on. */
  readonly rail: string;
  /** Lower case: the header that signs its notifications, and tells them from those of another processor. */
  readonly signatureHeader: string;
  /** Does `work`, whose requests begin within this time; one that would begin later throws `ProcessorUnclearError` instead. */
  attempt<T>(limitMs: number, work: () => Promise<T>): Promise<T>;
  /** Finds or makes the customer that an organization is at the processor. */
  customerOf(organization: { readonly id: string; readonly name: string }): Promise<string>;
  /** Makes the invoice, fills it and opens it; goes on where an earlier attempt ended, and never makes a second one. */
  issue(order: InvoiceOrder): Promise<ProcessorInvoice>;
  /** What an earlier attempt made for this invoice, if anything. */
  find(order: FindOrder): Promise<ProcessorInvoice | undefined>;
  look(providerId: string): Promise<ProcessorInvoice>;
  /** Takes an invoice back that is not paid; answers what it has become, which may be paid. */
  withdraw(invoice: { readonly providerId: string; readonly invoiceId: string }): Promise<ProcessorInvoice>;
  /** Throws `invalid_notification` unless the body was signed by the processor within the last minutes. */
  readNotice(body: string, signature: string | undefined, at: Date): ProcessorNotice;
  /** Null: it holds no quotes of its own beside ours, and makes its invoices without them. */
  readonly quotes: ProcessorQuotes | null;
  /** Null: ours are the documents of its quotes and invoices. */
  readonly documents: ProcessorDocuments | null;
}

/** Every processor of this installation. An invoice stays with the one that it was opened at. */
export interface Processors {
  /** Where invoices are opened now. */
  readonly current: HostedProcessor;
  readonly byName: ReadonlyMap<string, HostedProcessor>;
}
