/** `/lab/experiments`: the orders of every organization by state, those first whose results were promised first. */
import { isUuid } from '#core/ids.ts';
import { experimentStatuses, type ExperimentStatus } from '#core/lifecycle.ts';
import type { Output } from '#core/operation.ts';
import { experimentTypes } from '../../experiments/types.ts';
import { getLabExperiment, getLabSequences, listLabExperiments } from '../contract.ts';
import type { PortalContext } from '#ui/context.ts';
import type { PageContent } from '#ui/layout.ts';
import { followLists } from '../../updates/pages/live.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderStatusChip } from '#ui/pieces.ts';
import { statusWords, toSentenceCase } from '#ui/words.ts';
import { addExperimentForms, loadExperimentPage } from '../../experiments/pages/lab-experiment.ts';
import { defineListScreen } from '#ui/list-screen.ts';
import { renderTable, type Column } from '#ui/list.ts';
import {
  renderAlsoAwaited,
  renderAwaited,
  CLIENT_COLUMN,
  renderPromise,
  renderWait,
  renderLabHead,
} from '#ui/lab-pieces.ts';
import { addRawFiles } from '../../runs/pages/file-preview/files-page.ts';
import { addReview } from '../../review/pages/routes.ts';
import type { FastifyReply } from 'fastify';
import { formatCount } from '#core/words.ts';
import { getPathParameter, PLAIN_TEXT, sendAttachment } from '#ui/http.ts';

const PATH = '/lab/experiments';

type Item = Output<typeof listLabExperiments>['items'][number];

/** The states of orders that somebody still has to do something about. */
const IN_WORK: readonly ExperimentStatus[] = [
  'waiting_for_confirmation',
  'quote_sent',
  'waiting_for_materials',
  'in_queue',
  'in_production',
  'data_analysis',
  'in_review',
];
const EVERY = 'every';
/** The states that the strip above the list offers; an empty one is every state in work. */
const STATES: readonly (readonly [state: string, label: string])[] = [
  ['', 'In work'],
  ...IN_WORK.map((status) => [status, statusWords[status]] as const),
  ['done', statusWords.done],
  [EVERY, 'Every state'],
];

/** What changes a row of the queue. */
const SHOWN = ['experiments', 'runs', 'quotes', 'invoices', 'refunds'] as const;

export const queueScreen = defineListScreen(listLabExperiments, {
  path: PATH,
  label: 'Queue',
  group: 'Work',
  letter: 'q',
  noun: 'order',
  listed: 'Orders',
  sort: 'asc(promised_at),asc(status_since)',
  filters: [
    { name: 'search', label: 'Code, name, client or target' },
    {
      name: 'waiting',
      label: 'Waiting on',
      options: [
        ['lab', 'Lab'],
        ['client', 'Client'],
        ['service', 'Assayer'],
      ],
      writeCondition: (actor) => `eq(waiting_actor,${actor})`,
    },
    {
      name: 'assay',
      label: 'Assay',
      options: experimentTypes.map((type) => [type, toSentenceCase(type)] as const),
      writeCondition: (type) => `eq(experiment_type,${type})`,
    },
    {
      name: 'client',
      label: 'Client',
      isHidden: true,
      writeCondition: (id) => isUuid(id) && `eq(organization_id,${id})`,
    },
    {
      name: 'state',
      label: 'State',
      isHidden: true,
      options: [
        ...experimentStatuses.map((status) => [status, statusWords[status]] as const),
        [EVERY, 'Every state'],
      ],
      writeCondition: (state) =>
        state !== EVERY && (state === '' ? `in(status,${IN_WORK.join(',')})` : `eq(status,${state})`),
    },
  ],
  states: STATES,
  follow: (context) => followLists(context, SHOWN),
  buildColumns: ({ now }) => buildColumns(now),
  empty: markup`<h2>No orders in work</h2><p class="muted">An order stands here as soon as a client submits it. <a href="/lab">Today</a> says whether clients can order yet.</p>`,
  add: (routes) => {
    routes.addPage(`${PATH}/:experiment_id`, (context) => loadExperimentPage(context), getLabExperiment);
    routes.addPage(`${PATH}/:experiment_id/sequences`, loadSequencesPage, getLabSequences);
    routes.addPage(`${PATH}/:experiment_id/sequences.fasta`, sendLabFasta, getLabSequences);
    addExperimentForms(routes);
    addReview(routes);
    addRawFiles(routes);
  },
});

function buildColumns(now: Date): readonly Column<Item>[] {
  return [
    {
      head: 'Order',
      render: (item) =>
        markup`<a href="${PATH}/${item.code}"><bdi>${item.name}</bdi></a><span class="sub mono">${item.code}</span>`,
    },
    CLIENT_COLUMN,
    {
      head: 'State',
      render: (item) =>
        markup`${renderStatusChip(item.status)}${item.problem !== null && markup` <span class="chip attention">Analysis stopped</span>`}`,
    },
    {
      head: 'Waiting on',
      render: (item) => markup`<span>${renderAwaited(item)}${renderAlsoAwaited(item)}</span>`,
    },
    {
      head: 'For',
      render: (item) => markup`<span>${renderWait(item, now)}${renderPromise(item, now)}</span>`,
    },
    {
      head: 'Assay',
      render: (item) =>
        markup`${toSentenceCase(item.experiment_type)}${item.target_name !== null && markup`<span class="sub"><bdi>${item.target_name}</bdi></span>`}`,
    },
    { head: 'Sequences', isNumber: true, render: (item) => item.sequence_count.toLocaleString('en-US') },
  ];
}

/** `/lab/experiments/{id}/sequences`: read on demand, because the client's audit trail records who reads them. */

type Read = Output<typeof getLabSequences>;
type Sequence = Read['sequences'][number];

const COLUMNS: readonly Column<Sequence>[] = [
  {
    head: 'Name',
    render: ({ name, is_control: isControl }) =>
      markup`<bdi>${name}</bdi>${isControl && markup`<span class="sub">control</span>`}`,
  },
  { head: 'Length', isNumber: true, render: ({ length }) => length.toLocaleString('en-US') },
  { head: 'Amino acids', render: ({ aa_string: text }) => markup`<code class="copy">${text}</code>` },
];

function readParameters({ request }: PortalContext): { readonly experiment_id: string } {
  return { experiment_id: getPathParameter(request, 'experiment_id') };
}

async function loadSequencesPage(context: PortalContext): Promise<PageContent> {
  const page = await context.api.call(getLabSequences, { params: readParameters(context) });
  const { experiment_code: code, sequences } = page;
  const path = `/lab/experiments/${code}`;
  const body = markup`${renderLabHead('Sequences', {
    above: [path, code],
    over: markup`<span class="mono">${code}</span>`,
    side: markup`<a class="button" href="${path}/sequences.fasta" download>FASTA</a>`,
  })}
<p class="hint lab-hint">The audit trail of the client records that you opened these sequences.</p>
${renderWarnings(page)}
<section class="card flush" aria-label="Sequences">${renderTable(COLUMNS, sequences)}<p class="pager">${formatCount(sequences.length, 'sequence')}</p></section>`;
  return { title: `Sequences of ${code}`, body };
}

function renderWarnings({ warning_groups: groups }: Read): Markup | null {
  if (groups.length === 0) return null;
  return markup`<section class="card lab-hint" aria-labelledby="warnings"><h2 id="warnings">What may be hard to express</h2><ul class="flag-list">${groups.map((group) => renderWarning(group))}</ul></section>`;
}

function renderWarning({ rule, count, examples }: Read['warning_groups'][number]): Markup {
  const more = count - examples.length;
  return markup`<li class="warn"><strong>${toSentenceCase(rule)}</strong>${examples.map(
    ({ sequence, message }) =>
      markup`<span class="sub">${sequence !== null && markup`<bdi>${sequence}</bdi>: `}${message}</span>`,
  )}${more > 0 && markup`<span class="sub">and ${more} more</span>`}</li>`;
}

async function sendLabFasta(context: PortalContext): Promise<FastifyReply> {
  const { experiment_code: code, fasta } = await context.api.call(getLabSequences, {
    params: readParameters(context),
  });
  return sendAttachment(context.reply, {
    fileName: `${code}.fasta`,
    contentType: PLAIN_TEXT,
    content: fasta,
  });
}
