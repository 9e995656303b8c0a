/** `/lab`: what waits for the person who looks, by permission. */
import type { Operation, Output } from '#core/operation.ts';
import { formatUsd } from '#core/money.ts';
import { listAllInvoices, sendInvoice } from '#domain/invoices/lab-contract.ts';
import { receiveMaterials, releaseResults, sendExperimentBack, startRun } from '#domain/lab/run-contract.ts';
import { listLabExperiments } from '#domain/queue/contract.ts';
import { createCustomQuote } from '#domain/quotes/lab-contract.ts';
import { createPriceList } from '#domain/pricing/list-contract.ts';
import { listRefunds, recordRefund } from '#domain/refunds/contract.ts';
import { listLabRuns, startLabRun } from '#domain/runs/run-contract.ts';
import { approveTargetRequest, listLabTargetRequests } from '#domain/targets/answer-contract.ts';
import type { PortalContext } from '../context.ts';
import type { PageContent } from '../layout.ts';
import { followLists } from '../live.ts';
import { markup, type Markup } from '../markup.ts';
import { canCall } from '../session.ts';
import { formatCount, renderDay } from '../words.ts';
import { loadFirstSteps } from './first-steps.ts';
import { renderLabHead, renderWait } from './pieces.ts';
import { describeAssay } from './runs/words.ts';
import type { LabScreen } from './screen.ts';

/** Rows shown of each matter; a link leads to the rest. */
const ROWS = 5;

export const todayScreen: LabScreen = {
  path: '/lab',
  label: 'Today',
  group: 'Work',
  letter: 't',
  reads: listLabExperiments,
  add: (routes) => routes.addPage('/lab', loadTodayPage),
};

interface Need {
  readonly title: string;
  /** Where all of them are listed. */
  readonly path: string;
  readonly total: number;
  readonly rows: readonly Markup[];
}

interface OrderNeed {
  readonly title: string;
  /** The queue with this state, which waits for the lab. */
  readonly state: string;
  /** What a person must be allowed to do about it. */
  readonly does: Pick<Operation, 'permission' | 'alsoNeeds'>;
  /** A screen of their own; the queue unless stated. */
  readonly path?: string;
}

const ORDER_NEEDS: readonly OrderNeed[] = [
  { title: 'To be quoted', state: 'waiting_for_confirmation', does: createCustomQuote },
  {
    title: 'Materials to receive',
    state: 'waiting_for_materials',
    does: receiveMaterials,
    path: '/lab/materials',
  },
  { title: 'Ready to run', state: 'in_queue', does: startRun },
  { title: 'Running', state: 'in_production', does: startRun },
  { title: 'In analysis', state: 'data_analysis', does: sendExperimentBack },
  { title: 'To be reviewed', state: 'in_review', does: releaseResults },
];

async function loadTodayPage(context: PortalContext): Promise<PageContent> {
  const { session } = context;
  const orders = ORDER_NEEDS.filter(({ does }) => canCall(session, does));
  const [steps, ...needs] = await Promise.all([
    canCall(session, createPriceList) ? loadFirstSteps(context) : null,
    ...(canCall(session, approveTargetRequest) ? [loadRequests(context)] : []),
    ...orders.map((need) => loadOrders(context, need)),
    ...(canCall(session, startLabRun) ? [loadPlannedRuns(context)] : []),
    ...(canCall(session, sendInvoice) ? [loadDrafts(context), loadOverdue(context)] : []),
    ...(canCall(session, recordRefund) ? [loadRefunds(context)] : []),
  ]);
  const present = needs.filter(({ total }) => total > 0);
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

function renderNeed({ title, path, total, rows }: Need, index: number): Markup {
  const id = `need-${index}`;
  return markup`<section class="card" aria-labelledby="${id}"><div class="card-head"><h2 id="${id}"><span class="count">${total.toLocaleString('en-US')}</span> ${title}</h2><a href="${path}">${total > rows.length ? 'Show all' : 'Open the list'}<span class="visually-hidden">: ${title}</span></a></div>
<ul class="rows">${rows}</ul></section>`;
}

type Order = Output<typeof listLabExperiments>['items'][number];

async function loadOrders({ api, parts }: PortalContext, { title, state, path }: OrderNeed): Promise<Need> {
  const filter = `and(eq(status,${state}),eq(waiting_actor,lab))`;
  const found = await api.call(listLabExperiments, { query: { limit: ROWS, filter } });
  const now = parts.work.clock.now();
  const rows = found.items.map((item) => renderOrder(item, now));
  const list = path ?? `/lab/experiments?state=${state}&waiting=lab`;
  return { title, path: list, total: found.total, rows };
}

function renderOrder(item: Order, now: Date): Markup {
  return markup`<li><div><strong><a href="/lab/experiments/${item.code}"><bdi>${item.name}</bdi></a></strong><p class="hint"><span class="mono">${item.code}</span> · <bdi>${item.organization_name}</bdi></p>${item.problem !== null && markup`<p class="problem">Analysis stopped</p>`}</div><div class="since">${renderWait(item, now)}</div></li>`;
}

async function loadRequests({ api }: PortalContext): Promise<Need> {
  const filter = 'eq(status,pending_review)';
  const found = await api.call(listLabTargetRequests, { query: { limit: ROWS, filter, sort: 'created_at' } });
  const rows = found.items.map(
    (item) =>
      markup`<li><div><strong><a href="/lab/target-requests/${item.id}"><bdi>${item.name}</bdi></a></strong><p class="hint"><bdi>${item.organization_name}</bdi></p></div><div class="since"><span class="sub">asked ${renderDay(item.created_at)}</span></div></li>`,
  );
  return {
    title: 'Requests for targets',
    path: '/lab/target-requests?state=pending_review',
    total: found.total,
    rows,
  };
}

async function loadPlannedRuns({ api }: PortalContext): Promise<Need> {
  const filter = 'eq(status,planned)';
  const found = await api.call(listLabRuns, { query: { limit: ROWS, filter, sort: 'created_at' } });
  const rows = found.items.map(
    (item) =>
      markup`<li><div><strong><a class="mono" href="/lab/runs/${item.code}">${item.code}</a></strong><p class="hint">${describeAssay(item)} · ${formatCount(item.n_experiments, 'order')}</p></div><div class="since"><span class="sub">planned ${renderDay(item.created_at)}</span></div></li>`,
  );
  return { title: 'Runs to start', path: '/lab/runs?state=planned', total: found.total, rows };
}

type Invoice = Output<typeof listAllInvoices>['items'][number];

async function loadInvoices(
  context: PortalContext,
  title: string,
  filter: string,
  path: string,
): Promise<Need> {
  const found = await context.api.call(listAllInvoices, {
    query: { limit: ROWS, filter, sort: 'created_at' },
  });
  return { title, path, total: found.total, rows: found.items.map(renderInvoice) };
}

const loadDrafts = (context: PortalContext): Promise<Need> =>
  loadInvoices(context, 'Invoices to send', 'eq(status,draft)', '/lab/invoices?status=draft');

function loadOverdue(context: PortalContext): Promise<Need> {
  const today = context.parts.work.clock.now().toISOString();
  const filter = `and(eq(status,open),lt(due_date,${today}))`;
  return loadInvoices(context, 'Overdue invoices', filter, '/lab/invoices?status=overdue');
}

function renderInvoice(item: Invoice): Markup {
  return markup`<li><div><strong><a href="/lab/invoices/${item.id}">${item.invoice_number ?? 'Draft'}</a></strong><p class="hint"><span class="mono">${item.experiment_code}</span> · <bdi>${item.organization_name}</bdi></p></div><div class="since"><strong class="number">${formatUsd(item.amount_cents)}</strong><span class="sub">${item.due_date === null ? markup`made ${renderDay(item.created_at)}` : markup`due ${renderDay(item.due_date)}`}</span></div></li>`;
}

async function loadRefunds({ api }: PortalContext): Promise<Need> {
  const filter = 'eq(status,action_required)';
  const found = await api.call(listRefunds, { query: { limit: ROWS, filter, sort: 'created_at' } });
  const rows = found.items.map(
    (item) =>
      markup`<li><div><strong><a href="/lab/invoices/${item.invoice_id}">${item.credit_note_number}</a></strong><p class="hint"><bdi>${item.organization_name}</bdi> · ${item.problem ?? item.reason}</p></div><div class="since"><strong class="number">${formatUsd(item.amount_cents)}</strong><span class="sub">${renderDay(item.created_at)}</span></div></li>`,
  );
  return {
    title: 'Refunds to send by hand',
    path: '/lab/refunds?status=action_required',
    total: found.total,
    rows,
  };
}
