/** What people do to an order: the request, whether it has to succeed, and what it then changes in the model. */
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { createRawFile } from '../lab-by-hand.ts';
import { createSequences } from '../builders.ts';
import { thinSamples } from '../thin-samples.ts';
import {
  cancelByLab,
  creditInvoice,
  moveTo,
  takeTransfer,
  type Model,
  type ModelInvoice,
  type ModelOrder,
} from './model.ts';

export interface Draw {
  /** A whole number from 0 to below `count`. */
  readonly number: (count: number) => number;
  readonly isHit: (probability: number) => boolean;
}

export interface Plan {
  /** Number of the person: of the clients, or of the staff. */
  readonly person: { readonly client: number } | { readonly staff: number };
  readonly path: string;
  readonly body: unknown;
  /** `either`: the model does not know, but what it does not change must not change. */
  readonly expected: 'done' | 'refused' | 'either';
  /** Whether of two such requests at once only one can succeed. */
  readonly isOnce: boolean;
  /** Whether it runs in several transactions, so that a repeat after a lost connection may add a second audit entry. */
  readonly isOutward: boolean;
  readonly apply: () => void;
}

export interface Action {
  readonly operation: string;
  /** The weight with which it is drawn among the actions that are due. */
  readonly weigh: (order: ModelOrder) => number;
  /** Whether people would expect it to work now; where a guard refuses it, the test tries it on purpose. */
  readonly isTempting: (order: ModelOrder) => boolean;
  /** Undefined where the order lacks what the request names, such as a quote. */
  readonly plan: (model: Model, order: ModelOrder, draw: Draw) => Plan | undefined;
}

export const STAFF = 2;
export const CUSTOM_CENTS = 123_400;
const rawFiles = new Map<number, ReturnType<typeof createRawFile>>();

/** One file for each number of sequences. */
function getRawFile(count: number): ReturnType<typeof createRawFile> {
  const kept = rawFiles.get(count) ?? thinSamples(createRawFile(createSequences(count)));
  rawFiles.set(count, kept);
  return kept;
}

interface ActionSpec {
  readonly operation: string;
  readonly weight: number;
  /** Whether it brings the order further; absent: wherever it is legal. */
  readonly isDue?: (order: ModelOrder) => boolean;
  readonly isOnce?: boolean;
  readonly isOutward?: boolean;
  readonly path: (order: ModelOrder) => string | undefined;
  readonly body?: (order: ModelOrder, draw: Draw) => unknown;
  readonly isLegal: (order: ModelOrder, staff: number, body: unknown) => boolean | 'unknown';
  readonly apply: (order: ModelOrder, model: Model, staff: number, body: unknown) => void;
}

function createAction(by: 'client' | 'staff', spec: ActionSpec): Action {
  return {
    operation: spec.operation,
    isTempting: (order) => spec.isDue?.(order) ?? false,
    weigh: (order) => (spec.isDue?.(order) === false ? 0 : spec.weight),
    plan: (model, order, draw) => {
      const path = spec.path(order);
      if (path === undefined) return undefined;
      const staff = draw.number(STAFF);
      const body = spec.body?.(order, draw) ?? {};
      const legal = spec.isLegal(order, staff, body);
      return {
        person: by === 'client' ? { client: order.client } : { staff },
        path,
        body,
        expected: legal === 'unknown' ? 'either' : legal ? 'done' : 'refused',
        isOnce: spec.isOnce ?? true,
        isOutward: spec.isOutward ?? false,
        apply: () => spec.apply(order, model, staff, body),
      };
    },
  };
}

const isIn =
  (...statuses: readonly ExperimentStatus[]) =>
  ({ status }: ModelOrder): boolean =>
    statuses.includes(status);
const hasOpenQuote = ({ quote }: ModelOrder): boolean => quote !== null;
const formatOrderPath =
  (step: string) =>
  ({ id }: ModelOrder) =>
    `/experiments/${id}/${step}`;
const formatLabPath =
  (step: string) =>
  ({ id }: ModelOrder) =>
    `/lab/experiments/${id}/${step}`;
const formatQuotePath =
  (step: string) =>
  ({ quote }: ModelOrder) =>
    quote === null ? undefined : `/quotes/${quote.id}/${step}`;
const formatInvoicePath =
  (step: string) =>
  ({ invoice }: ModelOrder) =>
    invoice === null ? undefined : `/lab/invoices/${invoice.id}/${step}`;
const createReason = () => ({ reason: 'as the model wants it' });

/** The actions on invoices are planned only where there is one. */
function requireInvoice({ invoice }: ModelOrder): ModelInvoice {
  if (invoice === null) throw new Error('the order has no invoice');
  return invoice;
}

const isUnpaid = (order: ModelOrder): boolean =>
  ['open', 'uncollectible', 'draft'].includes(requireInvoice(order).status);

const clients: readonly Action[] = [
  createAction('client', {
    operation: 'submit_experiment',
    weight: 8,
    path: formatOrderPath('submit'),
    isLegal: isIn('draft'),
    apply: (order) =>
      moveTo(order, 'waiting_for_confirmation', ...(order.isPriced ? (['quote_sent'] as const) : [])),
  }),
  createAction('client', {
    operation: 'confirm_quote',
    weight: 10,
    path: formatQuotePath('confirm'),
    isLegal: hasOpenQuote,
    apply: (order) => {
      order.quote = null;
      moveTo(order, 'waiting_for_materials');
    },
  }),
  createAction('client', {
    operation: 'reject_quote',
    weight: 1,
    path: formatQuotePath('reject'),
    body: () => ({ reason: 'price' }),
    isLegal: hasOpenQuote,
    apply: (order) => {
      order.quote = null;
      moveTo(order, 'draft');
    },
  }),
  createAction('client', {
    operation: 'cancel_exp',
    weight: 1,
    path: formatOrderPath('cancel'),
    isLegal: isIn('draft', 'waiting_for_confirmation', 'quote_sent'),
    apply: (order) => {
      order.quote = null;
      moveTo(order, 'canceled');
    },
  }),
];

const bookkeepers: readonly Action[] = [
  createAction('staff', {
    operation: 'withdraw_quote',
    weight: 1,
    path: (order) => (order.quote === null ? undefined : `/lab/quotes/${order.quote.id}/withdraw`),
    body: createReason,
    isLegal: hasOpenQuote,
    apply: (order) => {
      order.quote = null;
      moveTo(order, 'waiting_for_confirmation');
    },
  }),
  createAction('staff', {
    operation: 'record_bank_transfer',
    weight: 10,
    isDue: (order) => isUnpaid(order),
    isOnce: false,
    path: formatInvoicePath('bank-transfer'),
    body: (_order, draw) => ({ reference: `SEPA ${draw.number(1e9)}-${draw.number(1e9)}` }),
    isLegal: () => true,
    apply: (order, model) => takeTransfer(model, requireInvoice(order)),
  }),
  createAction('staff', {
    operation: 'void_invoice',
    weight: 1,
    path: formatInvoicePath('void'),
    body: createReason,
    isLegal: isUnpaid,
    apply: (order) => void (requireInvoice(order).status = 'void'),
  }),
  createAction('staff', {
    operation: 'mark_invoice_uncollectible',
    weight: 1,
    path: formatInvoicePath('uncollectible'),
    body: createReason,
    isLegal: (order) => requireInvoice(order).status === 'open',
    apply: (order) => void (requireInvoice(order).status = 'uncollectible'),
  }),
  createAction('staff', {
    operation: 'reissue_invoice',
    weight: 3,
    path: formatInvoicePath('reissue'),
    body: createReason,
    isLegal: (order) => requireInvoice(order).status === 'void' && order.status !== 'canceled',
    apply: (order) => void (order.invoice = null),
  }),
  createAction('staff', {
    operation: 'refund_invoice',
    weight: 1,
    isDue: (order) => requireInvoice(order).status === 'paid',
    isOnce: false,
    path: formatInvoicePath('refunds'),
    body: (order, draw) => ({
      ...createReason(),
      amount_cents: 1 + draw.number(requireInvoice(order).totalCents),
    }),
    isLegal: (order, _staff, body) => {
      const { status, totalCents, creditedCents } = requireInvoice(order);
      return status === 'paid' && readCents(body) <= totalCents - creditedCents;
    },
    apply: (order, model, _staff, body) => creditInvoice(model, requireInvoice(order), readCents(body)),
  }),
  createAction('staff', {
    operation: 'reject_exp',
    weight: 1,
    path: formatLabPath('reject'),
    body: createReason,
    isLegal: isIn('waiting_for_confirmation', 'quote_sent'),
    apply: (order, model) => cancelByLab(model, order),
  }),
  createAction('staff', {
    operation: 'cancel_exp_by_staff',
    weight: 1,
    path: formatLabPath('cancel'),
    body: createReason,
    isLegal: isIn('draft', 'waiting_for_confirmation', 'quote_sent', 'waiting_for_materials', 'in_queue'),
    apply: (order, model) => cancelByLab(model, order),
  }),
];

function readCents(body: unknown): number {
  if (typeof body === 'object' && body !== null && 'amount_cents' in body) return Number(body.amount_cents);
  throw new Error('the refund has no amount');
}

const operators: readonly Action[] = [
  createAction('staff', {
    operation: 'receive_materials',
    weight: 10,
    path: formatLabPath('materials'),
    isOnce: false,
    // Staff may record materials again that are in the lab already.
    isLegal: (order) => (order.status === 'in_queue' ? 'unknown' : order.status === 'waiting_for_materials'),
    apply: (order) => {
      if (order.status === 'waiting_for_materials') moveTo(order, 'in_queue');
    },
  }),
  createAction('staff', {
    operation: 'allow_unpaid_run',
    weight: 3,
    isDue: ({ isUnpaidAllowed }) => !isUnpaidAllowed,
    isOnce: false,
    path: formatLabPath('allow-unpaid'),
    body: createReason,
    isLegal: isIn('waiting_for_materials', 'in_queue'),
    apply: (order) => void (order.isUnpaidAllowed = true),
  }),
  createAction('staff', {
    operation: 'start_run',
    weight: 10,
    isDue: isIn('in_queue'),
    path: formatLabPath('runs'),
    body: () => ({ instrument: 'Octet R8' }),
    isLegal: ({ status, invoice, isUnpaidAllowed }) =>
      status === 'in_review' || (status === 'in_queue' && (isUnpaidAllowed || invoice?.status === 'paid')),
    apply: (order, _model, staff) => {
      if (order.status === 'in_review') order.judge = staff;
      order.hasFile = false;
      moveTo(order, 'in_production');
    },
  }),
  createAction('staff', {
    operation: 'add_raw_file',
    weight: 12,
    isDue: ({ hasFile }) => !hasFile,
    isOnce: false,
    isOutward: true,
    path: formatLabPath('files'),
    body: ({ names }) => getRawFile(names.length),
    isLegal: isIn('in_production'),
    apply: (order) => {
      order.recordings += order.hasFile ? 0 : 1;
      order.hasFile = true;
    },
  }),
  createAction('staff', {
    operation: 'complete_raw_data',
    weight: 12,
    isDue: isIn('in_production'),
    isOutward: true,
    path: formatLabPath('complete'),
    body: createReason,
    isLegal: ({ status, hasFile }) => status === 'in_production' && hasFile,
    apply: (order) => moveTo(order, 'data_analysis', 'in_review'),
  }),
];

const managers: readonly Action[] = [
  createAction('staff', {
    operation: 'release_results',
    weight: 6,
    isDue: isIn('in_review'),
    path: formatLabPath('release'),
    body: createReason,
    isLegal: ({ status, judge }, staff) => status === 'in_review' && judge !== staff,
    apply: releaseAll,
  }),
  createAction('staff', {
    operation: 'release_results',
    weight: 4,
    isOnce: false,
    path: formatLabPath('release'),
    body: ({ names }) => ({ sequences: names.slice(0, 1), ...createReason() }),
    isLegal: canReleasePart,
    apply: (order) => {
      if (isLastPart(order)) releaseAll(order);
      else for (const name of order.names.slice(0, 1)) order.released.add(name);
    },
  }),
  createAction('staff', {
    operation: 'send_back_exp',
    weight: 1,
    path: formatLabPath('send-back'),
    body: createReason,
    isLegal: isIn('in_review'),
    apply: (order, _model, judge) => moveTo(Object.assign(order, { judge }), 'data_analysis', 'in_review'),
  }),
  createAction('staff', {
    operation: 'reanalyze_experiment',
    weight: 1,
    isOnce: false,
    isDue: ({ status, isAmendmentPending }) =>
      status === 'in_review' || (status === 'done' && !isAmendmentPending),
    path: formatLabPath('reanalyze'),
    body: createReason,
    isLegal: isIn('in_review', 'done'),
    apply: (order, _model, staff) => {
      order.judge = staff;
      order.isAmendmentPending = order.status === 'done';
    },
  }),
  createAction('staff', {
    operation: 'amend_results',
    weight: 3,
    isDue: ({ isAmendmentPending }) => isAmendmentPending,
    path: formatLabPath('amend'),
    body: createReason,
    isLegal: ({ status, isAmendmentPending, judge }, staff) =>
      status === 'done' && isAmendmentPending && judge !== staff,
    apply: (order) => void (order.isAmendmentPending = false),
  }),
  createAction('staff', {
    operation: 'discard_amendment',
    weight: 1,
    path: formatLabPath('amend/discard'),
    body: createReason,
    isLegal: ({ status, isAmendmentPending }) => status === 'done' && isAmendmentPending,
    apply: (order, _model, staff) => {
      order.judge = staff;
      order.isAmendmentPending = false;
    },
  }),
];

function isLastPart({ names, released }: ModelOrder): boolean {
  return names.slice(1).every((name) => released.has(name));
}

/** A part that clients have already is released again only where it differs, which the model does not know. */
function canReleasePart(order: ModelOrder, staff: number): boolean | 'unknown' {
  if (order.status !== 'in_review') return false;
  if (isLastPart(order)) return order.judge !== staff;
  return order.names.slice(0, 1).some((name) => order.released.has(name)) ? 'unknown' : true;
}

function releaseAll(order: ModelOrder): void {
  for (const name of order.names) order.released.add(name);
  order.isAmendmentPending = false;
  moveTo(order, 'done');
}

/** Everything that happens to an order that exists; orders begin in the world, and so do quotes by hand. */
export const actions: readonly Action[] = [...clients, ...bookkeepers, ...operators, ...managers];
