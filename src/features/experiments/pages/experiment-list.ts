/** `/`: what waits for the person, then every experiment of the organization, newest first; `/experiments`: these alone. */
import { formatCount } from '#core/words.ts';
import { experimentStatuses, getTurn, isTerminal } from '#core/lifecycle.ts';
import type { Output } from '#core/operation.ts';
import { createExperiment, listExperiments } from '../contract.ts';
import type { PortalContext } from '#ui/context.ts';
import type { PageContent } from '#ui/layout.ts';
import { buildListQuery, readFilters, renderListPage, type Column, type ListFilter } from '#ui/list.ts';
import { followOwn } from '../../updates/pages/live.ts';
import { loadHighlights, renderHighlight } from '../../results/pages/highlight.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { addRefusableForm, type Remark } from '#ui/screen.ts';
import { canCall } from '#ui/session.ts';
import type { PagesParts } from '#ui/parts.ts';
import type { Routes } from '#ui/routes.ts';
import { toSentenceCase, statusWords, renderDay } from '#ui/words.ts';
import { renderEta, renderStatusChip, renderOwnOtherTurns, renderTurn } from '#ui/pieces.ts';
import { DEMO_PATH, renderFirstOrder, runDemo } from './first-order.ts';
import { loadNeedsYou } from './needs-you.ts';

const NEW_EXPERIMENT = markup`<a class="button primary" href="/experiments/new">New experiment</a>`;

const FILTERS: readonly ListFilter[] = [
  { name: 'search', label: 'Name or code' },
  {
    name: 'status',
    label: 'Status',
    options: experimentStatuses.map((status) => [status, statusWords[status]] as const),
  },
];

export function addDemo(routes: Routes, parts: PagesParts): void {
  addRefusableForm(routes, parts, DEMO_PATH, runDemo, loadHomePage);
}

export async function loadHomePage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  return loadList(context, '/', remark);
}

export async function loadExperimentListPage(context: PortalContext): Promise<PageContent> {
  return loadList(context, '/experiments');
}

async function loadList(
  context: PortalContext,
  path: '/' | '/experiments',
  remark?: Remark,
): Promise<PageContent> {
  const { api, request, session } = context;
  const values = readFilters(request, FILTERS);
  const { status = '', search = '' } = values;
  const query = buildListQuery(request, values, [status !== '' && `eq(status,${status})`]);
  const isWhole = path === '/' && status === '' && search === '' && query.offset === 0;
  const [page, needs] = await Promise.all([
    api.call(listExperiments, { query }),
    isWhole ? loadNeedsYou(context) : null,
  ]);
  const withResults = page.items.filter(({ results_status: released }) => released !== 'none');
  const highlights = await loadHighlights(
    context,
    withResults.map(({ id }) => id),
  );
  const canCompare = withResults.length > 1;
  const columns = buildColumns((id) => highlights.get(id));
  const body = renderListPage({
    title: 'Experiments',
    side: canCall(session, createExperiment) && NEW_EXPERIMENT,
    lead: [needs, canCompare && COMPARE],
    path,
    label: 'Experiments',
    noun: 'experiment',
    filters: FILTERS,
    values,
    page,
    columns: canCompare ? [...columns, TICK] : columns,
    empty: renderFirstOrder(context, remark),
  });
  return { title: 'Experiments', body, section: 'experiments', live: followOwn(context) };
}

type Item = Output<typeof listExperiments>['items'][number];

/** The boxes of the rows belong to it; with fewer than two ticked, its page offers the choice again. */
const COMPARE = markup`<form id="compare" class="compare-form" method="get" action="/compare"><button class="quiet">Compare the ticked experiments</button></form>`;
const TICK: Column<Item> = {
  head: 'Compare',
  render: ({ code, results_status: released }) =>
    released === 'none'
      ? markup`<span class="muted">–</span>`
      : markup`<input type="checkbox" name="experiments" value="${code}" form="compare" aria-label="Compare ${code}">`,
};

type FindHighlight = (id: string) => Parameters<typeof renderHighlight>[0] | undefined;

function buildColumns(findHighlight: FindHighlight): readonly Column<Item>[] {
  return [
    {
      head: 'Experiment',
      render: ({ name, code }) =>
        markup`<a href="/experiments/${code}"><bdi>${name ?? code}</bdi></a><span class="sub mono">${code}</span>`,
    },
    {
      head: 'Target',
      render: ({ experiment_type: type, target_name: target, sequence_count: count }) =>
        markup`${typeof target === 'string' ? markup`<bdi>${target}</bdi>` : markup`<span class="muted">–</span>`}<span class="sub">${toSentenceCase(type ?? '–')}, ${formatCount(count, 'sequence')}</span>`,
    },
    { head: 'State', render: ({ status }) => renderStatusChip(status) },
    { head: 'Next', render: renderNext },
    { head: 'Results', render: (item) => renderResults(item, findHighlight(item.id)) },
  ];
}

/** Who is awaited, for what and since when. */
function renderNext({ status, invoice_status: invoice = null, status_since: since }: Item): Markup {
  const isAwaited = !isTerminal(status) && since !== undefined;
  return markup`${renderTurn(getTurn(status, invoice))}${renderOwnOtherTurns(status, invoice)}${since !== undefined && markup`<span class="sub">${isAwaited ? 'since ' : ''}${renderDay(since)}</span>`}`;
}

function renderResults(
  { status, eta }: Item,
  highlight: Parameters<typeof renderHighlight>[0] | undefined,
): Markup {
  const date = renderEta(status, eta);
  if (highlight === undefined) return date ?? markup`<span class="muted">–</span>`;
  return markup`${renderHighlight(highlight)}${date !== null && markup`<span class="sub">the rest ${date}</span>`}`;
}
