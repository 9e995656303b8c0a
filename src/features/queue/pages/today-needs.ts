/** Orders that wait for the person who looks: each stands once, and what else it waits for stands beside it. */
import { formatCount } from '#core/counts.ts';
import { formatUsd } from '#core/money.ts';
import type { Output } from '#core/operation.ts';
import type { getLabNeeds } from '../needs-contract.ts';
import type { NeedKind } from '../needs.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderDay } from '#ui/words.ts';
import { renderWait } from '#ui/lab-pieces.ts';

type LabNeed = Output<typeof getLabNeeds>['needs'][number];
type Order = LabNeed['orders'][number];

/** A matter on the page, with its first rows. */
export interface Need {
  readonly title: string;
  /** What to do, where the title does not say it. */
  readonly hint?: string;
  /** Where all of them are listed. */
  readonly path: string;
  readonly total: number;
  readonly rows: readonly Markup[];
}

interface Matter {
  readonly title: string;
  readonly hint?: string;
  /** What it is beside another matter of the same order. */
  readonly besides: string;
  readonly path: string;
  /** What a row is about. */
  readonly about: 'order' | 'invoice' | 'refund' | 'amendment';
}

const listQueue = (state: string): string => `/lab/experiments?state=${state}&waiting=lab`;

const MATTERS: Readonly<Record<NeedKind, Matter>> = {
  analysis_stopped: {
    title: 'Analysis stopped',
    besides: 'its analysis stopped',
    path: listQueue('data_analysis'),
    about: 'order',
  },
  overdue_invoice: {
    title: 'Overdue invoices',
    hint: 'A bank transfer is recorded on the page of its invoice.',
    besides: 'invoice overdue',
    path: '/lab/invoices?status=overdue',
    about: 'invoice',
  },
  refund_by_hand: {
    title: 'Refunds to send by hand',
    besides: 'refund to send by hand',
    path: '/lab/refunds?status=action_required',
    about: 'refund',
  },
  review: {
    title: 'To be reviewed',
    besides: 'to be reviewed',
    path: listQueue('in_review'),
    about: 'order',
  },
  amendment: {
    title: 'Amendments to release',
    hint: 'Clients have the version before until somebody releases or discards it.',
    besides: 'amendment to release',
    path: '/lab/experiments?state=done',
    about: 'amendment',
  },
  quote: {
    title: 'To be quoted',
    besides: 'to be quoted',
    path: listQueue('waiting_for_confirmation'),
    about: 'order',
  },
  target_request: {
    title: 'Targets that orders asked for',
    besides: 'requested target to answer',
    path: '/lab/target-requests?state=pending_review',
    about: 'order',
  },
  ended_invoice: {
    title: 'Invoices that ended unpaid',
    hint: 'The order waits: issue a void invoice again, or cancel the order.',
    besides: 'invoice ended unpaid',
    path: '/lab/invoices',
    about: 'invoice',
  },
  draft_invoice: {
    title: 'Invoices to send',
    besides: 'invoice to send',
    path: '/lab/invoices?status=draft',
    about: 'invoice',
  },
  run: { title: 'Ready to run', besides: 'ready to run', path: listQueue('in_queue'), about: 'order' },
  materials: {
    title: 'Materials to receive',
    besides: 'materials to receive',
    path: '/lab/materials',
    about: 'order',
  },
  running: { title: 'Running', besides: 'running', path: listQueue('in_production'), about: 'order' },
  analysis: {
    title: 'In analysis',
    besides: 'in analysis',
    path: listQueue('data_analysis'),
    about: 'order',
  },
  unpaid_invoice: {
    title: 'Invoices to be paid',
    hint: 'A bank transfer is recorded on the page of its invoice.',
    besides: 'invoice to be paid',
    path: '/lab/invoices?status=open',
    about: 'invoice',
  },
};

export function describeNeed({ kind, total, orders }: LabNeed, now: Date): Need {
  const { title, hint, path, about } = MATTERS[kind];
  const render = {
    order: renderOrder,
    invoice: renderInvoice,
    refund: renderRefund,
    amendment: renderAmendment,
  }[about];
  return { title, ...(hint && { hint }), path, total, rows: orders.flatMap((order) => render(order, now)) };
}

function findPath(kind: NeedKind, { experiment_code: code, invoice, refund }: Order): string {
  const { about, path } = MATTERS[kind];
  if (kind === 'target_request') return path;
  if (about === 'amendment') return `/lab/experiments/${code}/review`;
  if (about === 'invoice' && invoice !== null) return `/lab/invoices/${invoice.id}`;
  return about === 'refund' && refund !== null
    ? `/lab/refunds?search=${encodeURIComponent(refund.credit_note_number)}`
    : `/lab/experiments/${code}`;
}

function renderBesides(order: Order): Markup | false {
  const links = order.also.map(
    (kind, index) =>
      markup`${index > 0 && ', '}<a href="${findPath(kind, order)}">${MATTERS[kind].besides}</a>`,
  );
  return links.length > 0 && markup`<p class="hint">Also: ${links}</p>`;
}

function renderOrder(order: Order, now: Date): Markup[] {
  const { experiment_code: code, experiment_name: name, organization_name: client } = order;
  return [
    markup`<li><div><strong><a href="/lab/experiments/${code}"><bdi>${name}</bdi></a></strong><p class="hint"><span class="mono">${code}</span> · <bdi>${client}</bdi></p>${renderBesides(order)}</div><div class="since">${renderWait({ ...order, waiting_actor: 'lab' }, now)}</div></li>`,
  ];
}

function renderAmendment(order: Order): Markup[] {
  const { experiment_code: code, experiment_name: name, organization_name: client } = order;
  return [
    markup`<li><div><strong><a href="${findPath('amendment', order)}"><bdi>${name}</bdi></a></strong><p class="hint"><span class="mono">${code}</span> · <bdi>${client}</bdi></p>${renderBesides(order)}</div></li>`,
  ];
}

function renderOwner({ experiment_code: code, organization_name: client }: Order): Markup {
  return markup`<a class="mono" href="/lab/experiments/${code}">${code}</a> · <bdi>${client}</bdi>`;
}

function renderStanding({ status, due_date: due, created_at: made }: NonNullable<Order['invoice']>): Markup {
  if (status === 'draft') return markup`<span class="sub">made ${renderDay(made)}</span>`;
  if (status === 'open') return markup`<span class="sub">due ${renderDay(due)}</span>`;
  return markup`<span class="sub">${status === 'void' ? 'void' : 'closed unpaid'}</span>`;
}

function renderInvoice(order: Order): Markup[] {
  const { invoice } = order;
  if (invoice === null) return [];
  const { invoice_number: number, amount_cents: cents, days_late: days } = invoice;
  const late = days > 0 && markup`<span class="chip attention">${formatCount(days, 'day')} late</span>`;
  return [
    markup`<li><div><strong><a href="/lab/invoices/${invoice.id}">${number ?? 'Draft'}</a></strong><p class="hint">${renderOwner(order)}</p>${renderBesides(order)}</div><div class="since"><strong class="number">${formatUsd(cents)}</strong>${renderStanding(invoice)}${late}</div></li>`,
  ];
}

function renderRefund(order: Order): Markup[] {
  const { refund } = order;
  if (refund === null) return [];
  const { credit_note_number: number, count, amount_cents: cents, problem } = refund;
  const others = count > 1 && markup` and ${count - 1} more`;
  return [
    markup`<li><div><strong><a href="${findPath('refund_by_hand', order)}">${number}</a>${others}</strong><p class="hint">${renderOwner(order)}</p>${problem !== null && markup`<p class="hint">${problem}</p>`}${renderBesides(order)}</div><div class="since"><strong class="number">${formatUsd(cents)}</strong><span class="sub">asked ${renderDay(refund.created_at)}</span></div></li>`,
  ];
}
