/** `/lab`: what waits for the person who looks, by permission. */
import { formatCount } from '#core/counts.ts';
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
import { renderLabHead } from '#ui/lab-pieces.ts';
import { describeAssay } from '../../runs/pages/words.ts';
import type { LabScreen } from '#ui/screen.ts';
import { describeNeed, type Need } from './today-needs.ts';

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

async function loadPlannedRuns({ api }: PortalContext): Promise<Need> {
  const filter = 'eq(status,planned)';
  const page = await api.call(listLabRuns, { query: { limit: ROWS, filter, sort: 'created_at' } });
  const rows = page.items.map(
    (item) =>
      markup`<li><div><strong><a class="mono" href="/lab/runs/${item.code}">${item.code}</a></strong><p class="hint">${describeAssay(item)} · ${formatCount(item.n_experiments, 'order')}</p></div><div class="since"><span class="sub">planned ${renderDay(item.created_at)}</span></div></li>`,
  );
  return { title: 'Runs to start', path: '/lab/runs?state=planned', total: page.total, rows };
}
