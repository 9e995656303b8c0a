/** `/lab/runs`: stored runs by state. */
import { listLabRuns } from '../run-contract.ts';
import { planRun } from '../contract.ts';
import type { PortalContext } from '#ui/context.ts';
import type { PageContent } from '#ui/layout.ts';
import { followLists } from '../../updates/pages/live.ts';
import { markup, type Part } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';
import {
  joinConditions,
  readByState,
  readFilters,
  readOffset,
  renderListPage,
  renderStates,
  type Column,
  type FilterValues,
  type ListFilter,
} from '#ui/list.ts';
import { renderAwaitedSince, type Turn } from '#ui/lab-pieces.ts';
import { describeAssay, renderRunChip, RUN_STATES, type RunItem } from './words.ts';

const PATH = '/lab/runs';
/** An empty state stands for the runs that somebody still has to do something about. */
const STATES: readonly (readonly [state: string, label: string])[] = [
  ['', 'In work'],
  ...Object.entries(RUN_STATES).map(([state, [label]]) => [state, label] as const),
];

const FILTERS: readonly ListFilter[] = [
  { name: 'search', label: 'Code, instrument or operator' },
  { name: 'state', label: 'State', isHidden: true, options: STATES.slice(1) },
];

function readConditions({ state = '' }: FilterValues): { readonly filter?: string } {
  return joinConditions([state === '' ? 'in(status,planned,running)' : `eq(status,${state})`]);
}

export async function loadRuns(context: PortalContext): Promise<PageContent> {
  const { api, request, session, parts } = context;
  const values = readFilters(request, FILTERS);
  const { search = '' } = values;
  const ask = (chosen: FilterValues, limit: number, offset: number) =>
    api.call(listLabRuns, {
      query: { limit, offset, ...readConditions(chosen), ...(search === '' ? {} : { search }) },
    });
  const { page, counts } = await readByState(STATES, { values, offset: readOffset(request) }, ask);
  const side =
    canCall(session, planRun) &&
    markup`<div class="actions"><a class="button primary" href="/lab/plans">Plan a run</a></div>`;
  const body = renderListPage({
    title: 'Runs',
    side,
    lead: renderStates(PATH, values, counts),
    path: PATH,
    label: 'Runs',
    noun: 'run',
    filters: FILTERS,
    values,
    page,
    columns: buildColumns(parts.work.clock.now()),
    empty: EMPTY,
  });
  return { title: 'Runs', body, live: followLists(context, ['experiments', 'runs']) };
}

const EMPTY = markup`<h2>No runs in work</h2><p class="muted">Plan a run over orders of the queue and save it; it stands here until its raw data are complete.</p>`;

function buildColumns(now: Date): readonly Column<RunItem>[] {
  return [
    {
      head: 'Run',
      render: (item) =>
        markup`<a href="${PATH}/${item.code}" class="mono">${item.code}</a><span class="sub">${describeAssay(item)}</span>`,
    },
    { head: 'State', render: ({ status }) => renderRunChip(status) },
    { head: 'Waits for', render: (item) => renderAwaitedSince(findTurn(item), now) },
    { head: 'Orders', isNumber: true, render: (item) => item.n_experiments.toLocaleString('en-US') },
    {
      head: 'Plates',
      isNumber: true,
      render: (item) => markup`${item.n_plates} <span class="muted">× ${item.size}</span>`,
    },
    { head: 'Instrument', render: ({ instrument }) => markup`<bdi>${instrument ?? '–'}</bdi>` },
    { head: 'Operator', render: ({ operator }) => markup`<bdi>${operator ?? '–'}</bdi>` },
    { head: 'Since', render: renderLastStep },
  ];
}

function findTurn({ status, created_at: planned, started_at: started }: RunItem): Turn | null {
  if (status === 'planned') return { actor: 'lab', awaiting: 'start it', since: planned };
  if (status === 'running') return { actor: 'lab', awaiting: 'add its raw files', since: started ?? planned };
  return null;
}

function renderLastStep({ canceled_at: canceled, started_at: started, created_at: planned }: RunItem): Part {
  const [at, word] =
    canceled !== null
      ? [canceled, 'canceled']
      : started !== null
        ? [started, 'started']
        : [planned, 'planned'];
  return markup`<span class="nowrap">${renderDay(at)}</span><span class="sub">${word}</span>`;
}
