/** `/lab`: what waits for the person who looks, by permission. */
import { formatCount } from '#core/words.ts';
import { listLabMessages, sendLabMessage } from '../../messages/contract.ts';
import { formatExcerpt } from '../../messages/rules.ts';
import { createPriceList } from '../../pricing/list-contract.ts';
import { getLabNeeds } from '../needs-contract.ts';
import { listLabRuns, startLabRun } from '../../runs/run-contract.ts';
import { approveTargetRequest, listLabTargetRequests } from '../../targets/answer-contract.ts';
import type { PortalContext } from '#ui/context.ts';
import type { PageContent } from '#ui/layout.ts';
import { followLists } from '../../updates/pages/live.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';
import { loadFirstSteps } from '../../installation/pages/setup.ts';
import { renderLabHead, renderPromise, renderWait } from '#ui/lab-pieces.ts';
import { describeAssay } from '../../runs/pages/words.ts';
import type { LabScreen } from '#ui/screen.ts';
import { formatUsd } from '#core/money.ts';
import type { Output } from '#core/operation.ts';
import type { NeedKind } from '../needs.ts';

/** Rows shown of each matter; a link leads to the rest. */
const ROWS = 5;

export const todayScreen: LabScreen = {
  path: '/lab',
  label: 'Today',
  group: 'Work',
  letter: 't',
  reads: getLabNeeds,
  add: (routes) => routes.addPage('/lab', loadTodayPage),
};

async function loadTodayPage(context: PortalContext): Promise<PageContent> {
  const { session } = context;
  const [steps, orders, ...others] = await Promise.all([
    canCall(session, createPriceList) ? loadFirstSteps(context) : null,
    loadOrders(context),
    ...(canCall(session, sendLabMessage) ? [loadMessages(context)] : []),
    ...(canCall(session, approveTargetRequest) ? [loadRequests(context)] : []),
    ...(canCall(session, startLabRun) ? [loadPlannedRuns(context)] : []),
  ]);
  const present = [...orders, ...others.filter(({ total }) => total > 0)];
  const body = markup`${renderLabHead('Today')}${steps}
${present.length === 0 ? NOTHING : markup`<div class="needs">${present.map(renderNeed)}</div>`}`;
  return { title: 'Today', body, live: followLists(context, SHOWN) };
}

/** What changes a row of this page; the first steps show the last two. */
const SHOWN = [
  'experiments',
  'runs',
  'quotes',
  'invoices',
  'refunds',
  'target-requests',
  'price-lists',
  'assay-types',
] as const;

const NOTHING = markup`<section class="card"><div class="empty"><h2>Nothing waits for you</h2><p class="muted">The queue has every order, also those that wait for their clients.</p><a class="button" href="/lab/experiments">Open the queue</a></div></section>`;

function renderNeed({ title, hint, path, total, rows }: Need, index: number): Markup {
  const id = `need-${index}`;
  return markup`<section class="card" aria-labelledby="${id}"><div class="card-head"><h2 id="${id}"><span class="count">${total.toLocaleString('en-US')}</span> ${title}</h2><a href="${path}">${total > rows.length ? 'Show all' : 'Open the list'}<span class="visually-hidden">: ${title}</span></a></div>
${hint !== undefined && markup`<p class="hint">${hint}</p>`}<ul class="rows">${rows}</ul></section>`;
}

async function loadOrders({ api, parts }: PortalContext): Promise<Need[]> {
  const { needs } = await api.call(getLabNeeds, {});
  const now = parts.work.clock.now();
  return needs.map((need) => describeNeed(need, now));
}

/** Requests that belong to no order; those of an order stand with it. */
async function loadRequests({ api }: PortalContext): Promise<Need> {
  const filter = 'and(eq(status,pending_review),is_null(experiment_id))';
  const page = await api.call(listLabTargetRequests, { query: { limit: ROWS, filter, sort: 'created_at' } });
  const rows = page.items.map(
    (item) =>
      markup`<li><div><strong><a href="/lab/target-requests/${item.id}"><bdi>${item.name}</bdi></a></strong><p class="hint"><bdi>${item.organization_name}</bdi></p></div><div class="since"><span class="sub">asked ${renderDay(item.created_at)}</span></div></li>`,
  );
  return {
    title: 'Requests for targets',
    path: '/lab/target-requests?state=pending_review',
    total: page.total,
    rows,
  };
}

/** What clients wrote and nobody has answered, the oldest first. */
async function loadMessages({ api }: PortalContext): Promise<Need> {
  const query = { limit: ROWS, filter: 'eq(is_answered,false)', sort: 'created_at' };
  const { items, total } = await api.call(listLabMessages, { query });
  const rows = items.map(
    (item) =>
      markup`<li><div><strong><a href="/lab/experiments/${item.experiment_code}#messages"><bdi>${formatExcerpt(item.text)}</bdi></a></strong><p class="hint"><bdi>${item.organization_name}</bdi> · <span class="mono">${item.experiment_code}</span></p></div><div class="since"><span class="sub">written ${renderDay(item.created_at)}</span></div></li>`,
  );
  return { title: 'Messages to answer', path: '/lab/experiments', total, rows };
}

async function loadPlannedRuns({ api }: PortalContext): Promise<Need> {
  const filter = 'eq(status,planned)';
  const page = await api.call(listLabRuns, { query: { limit: ROWS, filter, sort: 'created_at' } });
  const rows = page.items.map(
    (item) =>
      markup`<li><div><strong><a class="mono" href="/lab/runs/${item.code}">${item.code}</a></strong><p class="hint">${describeAssay(item)} · ${formatCount(item.n_experiments, 'order')}</p></div><div class="since"><span class="sub">planned ${renderDay(item.created_at)}</span></div></li>`,
  );
  return { title: 'Runs to start', path: '/lab/runs?state=planned', total: page.total, rows };
}

/** Orders that wait for the person who looks: each stands once, and what else it waits for stands beside it. */

type LabNeed = Output<typeof getLabNeeds>['needs'][number];
type Order = LabNeed['orders'][number];

/** A matter on the page, with its first rows. */
interface Need {
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

function describeNeed({ kind, total, orders }: LabNeed, now: Date): Need {
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
    markup`<li><div><strong><a href="/lab/experiments/${code}"><bdi>${name}</bdi></a></strong><p class="hint"><span class="mono">${code}</span> · <bdi>${client}</bdi></p>${renderBesides(order)}</div><div class="since">${renderWait({ ...order, waiting_actor: 'lab' }, now)}${renderPromise(order, now)}</div></li>`,
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
