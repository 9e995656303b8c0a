/**
 * What orders, invoices and releases should be, as one small state: the other side of the comparison with the service.
 * This folder: the model, the actions of its people, and the world that they act on.
 */
import type { ExperimentStatus, InvoiceStatus } from '#core/lifecycle.ts';

export interface ModelInvoice {
  readonly id: string;
  status: InvoiceStatus;
  readonly totalCents: number;
  creditedCents: number;
}

export interface ModelQuote {
  readonly id: string;
  readonly totalCents: number;
  readonly validUntilMs: number;
}

export interface ModelOrder {
  /** Number of the client. */
  readonly client: number;
  readonly id: string;
  readonly code: string;
  readonly names: readonly string[];
  /** False for a target that the lab quotes by hand. */
  readonly isPriced: boolean;
  status: ExperimentStatus;
  /** Number of updates about its status in the feed; the first says that the order was created. */
  moves: number;
  /** The open quote. */
  quote: ModelQuote | null;
  /** The newest invoice. */
  invoice: ModelInvoice | null;
  isUnpaidAllowed: boolean;
  /** Whether the open run has a file. */
  hasFile: boolean;
  /** Number of updates about files in the feed: one for each file of each run, however often it is sent. */
  recordings: number;
  /** Number of the member of staff who decided last; somebody else has to release. */
  judge: number | null;
  isAmendmentPending: boolean;
  readonly released: Set<string>;
}

export interface Model {
  readonly orders: ModelOrder[];
  /** Cents that arrived, less those that went back. */
  cashCents: number;
  /** Cents that staff still have to send back. */
  owedCents: number;
}

export function createModel(): Model {
  return { orders: [], cashCents: 0, owedCents: 0 };
}

/** Returns a new order: a draft, about which the feed has one update. */
export function createModelOrder(
  made: Pick<ModelOrder, 'client' | 'id' | 'code' | 'names' | 'isPriced'>,
): ModelOrder {
  return {
    ...made,
    status: 'draft',
    moves: 1,
    quote: null,
    invoice: null,
    isUnpaidAllowed: false,
    hasFile: false,
    recordings: 0,
    judge: null,
    isAmendmentPending: false,
    released: new Set(),
  };
}

export function moveTo(order: ModelOrder, ...path: readonly ExperimentStatus[]): void {
  for (const status of path) {
    order.status = status;
    order.moves += 1;
  }
}

/** Ends the quotes past their last day; their orders become drafts again. Returns whether there was one. */
export function expireQuotes(model: Model, nowMs: number): boolean {
  let hasExpired = false;
  for (const order of model.orders) {
    if (order.quote === null || order.quote.validUntilMs >= nowMs) continue;
    order.quote = null;
    moveTo(order, 'draft');
    hasExpired = true;
  }
  return hasExpired;
}

/** The lab cancels an order: an unpaid invoice becomes void, and a paid one is refunded. */
export function cancelByLab(model: Model, order: ModelOrder): void {
  moveTo(order, 'canceled');
  order.quote = null;
  const { invoice } = order;
  if (invoice === null) return;
  if (invoice.status === 'paid') creditInvoice(model, invoice, invoice.totalCents - invoice.creditedCents);
  else invoice.status = 'void';
}

export function creditInvoice(model: Model, invoice: ModelInvoice, cents: number): void {
  invoice.creditedCents += cents;
  model.owedCents += cents;
}

/** A transfer pays an unpaid invoice; any other transfer has to be refunded. */
export function takeTransfer(model: Model, invoice: ModelInvoice): void {
  model.cashCents += invoice.totalCents;
  if (invoice.status === 'open' || invoice.status === 'uncollectible') invoice.status = 'paid';
  else model.owedCents += invoice.totalCents;
}
