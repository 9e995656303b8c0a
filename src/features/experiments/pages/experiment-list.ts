/** `/`: every experiment of the organization, newest first. */
import { experimentStatuses, getTurn } from '#core/lifecycle.ts';
import type { Output } from '#core/operation.ts';
import { createExperiment, listExperiments } from '../contract.ts';
import type { PortalContext } from '#ui/context.ts';
import type { PageContent } from '#ui/layout.ts';
import type { Column } from '#ui/list.ts';
import { loadListPage } from '#ui/list-screen.ts';
import { followOwn } from '../../updates/pages/live.ts';
import { markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { toSentenceCase, statusWords, renderTime } from '#ui/words.ts';
import { renderEta, renderStatusChip, renderOwnOtherTurns, renderTurn } from '#ui/pieces.ts';

const NEW_EXPERIMENT = markup`<a class="button primary" href="/experiments/new">New experiment</a>`;

export async function loadExperimentListPage(context: PortalContext): Promise<PageContent> {
  const create = canCall(context.session, createExperiment) && NEW_EXPERIMENT;
  const page = await loadListPage(
    listExperiments,
    {
      path: '/',
      label: 'Experiments',
      noun: 'experiment',
      filters: [
        { name: 'search', label: 'Name or code' },
        {
          name: 'status',
          label: 'Status',
          options: experimentStatuses.map((status) => [status, statusWords[status]] as const),
        },
      ],
      follow: followOwn,
      renderSide: () => create,
      buildColumns: () => COLUMNS,
      empty: markup`<h2>No experiments yet</h2><p class="muted">Paste sequences, pick a target, and see the price before anything is sent.</p>${create}`,
    },
    context,
  );
  return { ...page, section: 'experiments' };
}

const COLUMNS: readonly Column<Output<typeof listExperiments>['items'][number]>[] = [
  {
    head: 'Experiment',
    render: ({ name, code }) =>
      markup`<a href="/experiments/${code}"><bdi>${name ?? code}</bdi></a><span class="sub mono">${code}</span>`,
  },
  { head: 'Status', render: ({ status }) => renderStatusChip(status) },
  {
    head: 'Next',
    render: ({ status, invoice_status: invoice = null }) =>
      markup`${renderTurn(getTurn(status, invoice))}${renderOwnOtherTurns(status, invoice)}`,
  },
  {
    head: 'Assay',
    render: ({ experiment_type: type, target_name: target }) =>
      markup`${toSentenceCase(type ?? '–')}<span class="sub">${typeof target === 'string' && markup`<bdi>${target}</bdi>`}</span>`,
  },
  {
    head: 'Sequences',
    isNumber: true,
    render: ({ sequence_count: count }) => count.toLocaleString('en-US'),
  },
  {
    head: 'Results',
    render: ({ status, eta }) => renderEta(status, eta) ?? markup`<span class="muted">–</span>`,
  },
  {
    head: 'Created',
    render: ({ created_at: at }) => markup`<span class="nowrap">${renderTime(at)}</span>`,
  },
];
