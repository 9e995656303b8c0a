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
}

export type FindOrder = Pick<InvoiceOrder, 'invoiceId' | 'customerId' | 'attemptedAt'>;

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
  /** Finds or makes the customer that an organization is at the processor. */
  customerOf(organization: { readonly id: string; readonly name: string }): Promise<string>;
  /** Makes the invoice, fills it and opens it; goes on where an earlier attempt ended, and never makes a second one. */
  issue(order: InvoiceOrder): Promise<ProcessorInvoice>;
  /** What an earlier attempt made for this invoice, if anything. */
  find(order: FindOrder): Promise<ProcessorInvoice | undefined>;
  look(providerId: string): Promise<ProcessorInvoice>;
  /** Takes an invoice back that is not paid; answers what it has become, which may be paid. */
  withdraw(providerId: string): Promise<ProcessorInvoice>;
  /** Throws `invalid_notification` unless the body was signed by the processor within the last minutes. */
  readNotice(body: string, signature: string | undefined, at: Date): ProcessorNotice;
}

/** Every processor of this installation. An invoice stays with the one that it was opened at. */
export interface Processors {
  /** Where invoices are opened now. */
  readonly current: HostedProcessor;
  readonly byName: ReadonlyMap<string, HostedProcessor>;
}
