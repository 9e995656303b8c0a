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
  /** Which of the clients. */
  readonly client: number;
  readonly id: string;
  readonly code: string;
  readonly names: readonly string[];
  /** False for a target that the lab quotes by hand. */
  readonly isPriced: boolean;
  status: ExperimentStatus;
  /** Updates about its status in the feed, of which the first says that it was made. */
  moves: number;
  /** The open quote. */
  quote: ModelQuote | null;
  /** The newest invoice. */
  invoice: ModelInvoice | null;
  isUnpaidAllowed: boolean;
  /** Whether the open run has a file. */
  hasFile: boolean;
  /** Updates of the feed about a file: one for each file of each run, however often it is sent. */
  recordings: number;
  /** Who of the staff decided last what will be released. */
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

/** An order that was just made: a draft, of which the feed says so. */
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

export function moveTo(order: ModelOrder, ...road: readonly ExperimentStatus[]): void {
  for (const status of road) {
    order.status = status;
    order.moves += 1;
  }
}

/** Quotes past their last day end, and their orders become drafts again. Answers whether there was one. */
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

/** The lab ends an order: what is owed is void, and what was paid goes back. */
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

/** A transfer pays what is unpaid; any other is owed back. */
export function takeTransfer(model: Model, invoice: ModelInvoice): void {
  model.cashCents += invoice.totalCents;
  if (invoice.status === 'open' || invoice.status === 'uncollectible') invoice.status = 'paid';
  else model.owedCents += invoice.totalCents;
}
