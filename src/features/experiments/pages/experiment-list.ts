/** `/`: every experiment of the organization, newest first. */
import { experimentStatuses, getTurn } from '#core/lifecycle.ts';
import type { Output } from '#core/operation.ts';
import { createExperiment, listExperiments } from '../contract.ts';
import type { PortalContext } from '#ui/context.ts';
import { queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { followOwn } from '../../updates/pages/live.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { toSentenceCase, statusWords, renderTime } from '#ui/words.ts';
import { renderPager, renderStatusChip, renderOwnOtherTurns, renderTurn } from '#ui/pieces.ts';

const PAGE_SIZE = 25;

type Item = Output<typeof listExperiments>['items'][number];

export async function loadExperimentListPage(context: PortalContext): Promise<PageContent> {
  const { request, api, session } = context;
  const search = queryParameter(request, 'search').trim();
  const status = queryParameter(request, 'status');
  const offset = Number(queryParameter(request, 'offset')) || 0;
  const page = await api.call(listExperiments, {
    query: {
      limit: PAGE_SIZE,
      offset,
      ...(search === '' ? {} : { search }),
      ...(status === '' ? {} : { status }),
    },
  });
  const isFiltered = search !== '' || status !== '';
  const mayCreate = canCall(session, createExperiment);
  const body = markup`<div class="page-head"><h1>Experiments</h1>${mayCreate && NEW_EXPERIMENT}</div>
${(page.total > 0 || isFiltered) && renderFilters(search, status)}
<section class="card flush" aria-label="Experiments">${
    page.items.length === 0
      ? renderEmptyList(isFiltered, mayCreate)
      : markup`${renderTable(page.items)}${renderPager('/', { search, status }, page, PAGE_SIZE, 'experiment')}`
  }</section>`;
  return { title: 'Experiments', body, section: 'experiments', live: followOwn(context) };
}

const NEW_EXPERIMENT = markup`<a class="button primary" href="/experiments/new">New experiment</a>`;

function renderFilters(search: string, status: string): Markup {
  const options = experimentStatuses.map(
    (value) =>
      markup`<option value="${value}"${value === status && markup` selected`}>${statusWords[value]}</option>`,
  );
  return markup`<form class="filters" method="get" action="/" role="search">
<div class="field"><label for="search">Name or code</label><input id="search" type="search" name="search" value="${search}" maxlength="200"></div>
<div class="field"><label for="status">Status</label><select id="status" name="status"><option value="">Any</option>${options}</select></div>
<button>Filter</button>${(search !== '' || status !== '') && markup`<a class="button quiet-link" href="/">Clear</a>`}
</form>`;
}

function renderTable(items: readonly Item[]): Markup {
  const rows = items.map(
    (item) => markup`<tr>
<th scope="row"><a href="/experiments/${item.code}"><bdi>${item.name ?? item.code}</bdi></a><span class="sub mono">${item.code}</span></th>
<td data-label="Status">${renderStatusChip(item.status)}</td>
<td data-label="Next">${renderNext(item)}</td>
<td data-label="Assay"><span>${toSentenceCase(item.experiment_type ?? '–')}<span class="sub">${item.target_name === null || item.target_name === undefined ? null : markup`<bdi>${item.target_name}</bdi>`}</span></span></td>
<td data-label="Sequences" class="number">${item.sequence_count.toLocaleString('en-US')}</td>
<td data-label="Created" class="nowrap">${renderTime(item.created_at)}</td>
</tr>`,
  );
  return markup`<table class="folding"><thead><tr><th scope="col">Experiment</th><th scope="col">Status</th><th scope="col">Next</th><th scope="col">Assay</th><th scope="col" class="number">Sequences</th><th scope="col">Created</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function renderNext({ status, invoice_status: invoice = null }: Item): Markup {
  return markup`<span>${renderTurn(getTurn(status, invoice))}${renderOwnOtherTurns(status, invoice)}</span>`;
}

function renderEmptyList(isFiltered: boolean, mayCreate: boolean): Markup {
  if (isFiltered)
    return markup`<div class="empty"><p>No experiment matches. <a href="/">Show all</a></p></div>`;
  return markup`<div class="empty"><h2>No experiments yet</h2><p class="muted">Paste sequences, pick a target, and see the price before anything is sent.</p>${mayCreate && NEW_EXPERIMENT}</div>`;
}
