/**
 * `/lab/materials`: what must be in the lab before runs can start.
 * This folder: materials over all orders, and of one. Not here: the stock of targets (`catalog`).
 */
import { getLabMaterials, listLabMaterials, recordMaterials } from '../contract.ts';
import { getLabExperiment } from '../../queue/contract.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { findSentence, getPathParameter, queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { createFormsView, readKey } from '#ui/form.ts';
import type { Remark } from '#ui/screen.ts';
import { buildEntries, locateEntryProblems, renderOrderMaterials, selectMaterials } from './order-view.ts';
import type { Output } from '#core/operation.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderStatusChip } from '#ui/pieces.ts';
import { defineListScreen } from '#ui/list-screen.ts';
import type { Column } from '#ui/list.ts';
import { CLIENT_COLUMN, renderWait } from '#ui/lab-pieces.ts';

/** `/lab/materials`: orders that need materials, the longest waiting first. */
const PATH = '/lab/materials';
const PAGE = '/lab/experiments/:experiment_id/materials';

type Needed = Output<typeof listLabMaterials>['items'][number];

/** An empty state stands for the orders whose run cannot start for want of a material. */
const STATES = [
  ['', 'Something is missing', 'gt(n_missing,0)'],
  ['ordered', 'Something is ordered', 'gt(n_ordered,0)'],
  ['expired', 'Something has expired', 'gt(n_expired,0)'],
  ['complete', 'All there', 'eq(n_missing,0)'],
] as const;

export const materialsScreen = defineListScreen(listLabMaterials, {
  path: PATH,
  label: 'Materials',
  group: 'Work',
  letter: 'l',
  noun: 'order',
  listed: 'Orders',
  filters: [
    { name: 'search', label: 'Code, name, client or target' },
    {
      name: 'state',
      label: 'State',
      isHidden: true,
      options: STATES.slice(1).map(([state, label]) => [state, label] as const),
      writeCondition: (chosen) => STATES.find(([state]) => state === chosen)?.[2] ?? false,
    },
  ],
  states: STATES,
  buildColumns: ({ now }) => buildColumns(now),
  empty: markup`<h2>Nothing is missing</h2><p class="muted">An order stands here from the acceptance of its quote until all that its run needs is in the lab.</p>`,
  add(routes) {
    routes.addPage(PAGE, (context) => loadMaterials(context), getLabMaterials);
    routes.addForm(`${PAGE}/record`, recordMaterials, record, loadMaterials);
  },
});

function buildColumns(now: Date): readonly Column<Needed>[] {
  return [
    {
      head: 'Order',
      render: (item) =>
        markup`<a href="/lab/experiments/${item.experiment_code}/materials"><bdi>${item.experiment_name}</bdi></a><span class="sub mono">${item.experiment_code}</span>`,
    },
    CLIENT_COLUMN,
    {
      head: 'State',
      render: (item) =>
        markup`${renderStatusChip(item.status)}${item.invoice_status !== 'paid' && markup`<span class="sub">not paid</span>`}`,
    },
    { head: 'Target', render: (item) => markup`<bdi>${item.target_name ?? '–'}</bdi>` },
    { head: 'Missing', render: renderMissing },
    { head: 'For', render: (item) => renderWait(item, now) },
  ];
}

function renderMissing(item: Needed): Markup {
  const { n_materials: all, n_missing: missing, n_ordered: ordered, n_expired: expired } = item;
  return markup`<span><strong>${missing.toLocaleString('en-US')}</strong> of ${all.toLocaleString('en-US')}</span>${ordered > 0 && markup`<span class="sub">${ordered.toLocaleString('en-US')} ordered</span>`}${expired > 0 && markup`<span class="chip attention">${expired.toLocaleString('en-US')} expired</span>`}`;
}

const DONE: Readonly<Record<string, string>> = {
  recorded: 'It was recorded.',
  queued: 'All materials are there; the order is in the queue.',
};

const getParams = ({ request }: PortalContext): { experiment_id: string } => ({
  experiment_id: getPathParameter(request, 'experiment_id'),
});

async function loadMaterials(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, request, parts } = context;
  const params = getParams(context);
  const [order, known] = await Promise.all([
    api.call(getLabExperiment, { params }),
    api.call(getLabMaterials, { params }),
  ]);
  return renderOrderMaterials(createFormsView(context, remark), {
    order,
    record: known,
    now: parts.work.clock.now(),
    notice: findSentence(DONE, queryParameter(request, 'done')),
  });
}

async function record(context: FormContext): Promise<string> {
  const { api, form } = context;
  const params = getParams(context);
  const { materials } = await api.call(getLabMaterials, { params });
  const selected = selectMaterials(form, materials);
  try {
    const after = await api.call(recordMaterials, {
      params,
      body: { materials: buildEntries(form, selected) },
      idempotencyKey: readKey(form),
    });
    const isQueued = after.status !== after.previous_status;
    return `/lab/experiments/${after.experiment_code}/materials?done=${isQueued ? 'queued' : 'recorded'}`;
  } catch (error) {
    throw locateEntryProblems(error, selected);
  }
}
