/** The list of quotes, below the orders that wait for one. */
import { formatCount } from '#core/counts.ts';
import { formatUsd } from '#core/money.ts';
import type { Output } from '#core/operation.ts';
import { listLabExperiments } from '../../../queue/contract.ts';
import { createCustomQuote, listAllQuotes } from '../../lab-contract.ts';
import type { PortalContext } from '#ui/context.ts';
import { findSentence, queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderDay, toSentenceCase } from '#ui/words.ts';
import { renderNotice } from '#ui/form.ts';
import { buildListQuery, readFilters, renderListPage, type Column, type ListFilter } from '#ui/list.ts';
import { CLIENT_COLUMN, renderClient, renderAwaitedSince, renderWait, type Turn } from '#ui/lab-pieces.ts';
import { renderQuoteState } from './quote-view.ts';

const PATH = '/lab/quotes';
const WAITING_SHOWN = 50;

/** What happened, in words, by the value of `done` in the address. */
export const QUOTES_DONE: Readonly<Record<string, string>> = {
  saved: 'The draft was saved. The client does not see it before it is sent.',
  opened: 'The quote was sent to the client.',
  withdrawn: 'The quote was withdrawn.',
  rejected: 'The order was canceled; the client reads the reason.',
};

const FILTERS: readonly ListFilter[] = [
  { name: 'search', label: 'Quote, order or client' },
  {
    name: 'state',
    label: 'State',
    options: [
      ['draft', 'Draft'],
      ['open', 'Open'],
      ['accepted', 'Accepted'],
      ['canceled', 'Canceled'],
      ['stale', 'Expired'],
    ],
  },
];

export async function loadQuotes({ api, request, session, parts }: PortalContext): Promise<PageContent> {
  const values = readFilters(request, FILTERS);
  const { state } = values;
  const now = parts.work.clock.now();
  const [waiting, page] = await Promise.all([
    api.call(listLabExperiments, {
      query: { filter: 'eq(status,waiting_for_confirmation)', limit: WAITING_SHOWN },
    }),
    api.call(listAllQuotes, {
      query: buildListQuery(request, values, [state !== '' && `eq(status,${state})`]),
    }),
  ]);
  const body = renderListPage({
    title: 'Quotes',
    notice: renderNotice(findSentence(QUOTES_DONE, queryParameter(request, 'done'))),
    lead: markup`${renderWaiting(waiting, canCall(session, createCustomQuote), now)}<h2 class="list-title">All quotes</h2>`,
    path: PATH,
    label: 'Quotes',
    noun: 'quote',
    filters: FILTERS,
    values,
    page,
    columns: buildColumns(now),
    empty: EMPTY,
  });
  return { title: 'Quotes', body };
}

type Waiting = Output<typeof listLabExperiments>;
type Listed = Output<typeof listAllQuotes>['items'][number];

function renderWaiting({ items, total }: Waiting, mayCompose: boolean, now: Date): Markup {
  if (items.length === 0)
    return markup`<p class="note">No order waits for a quote. Orders whose price is complete are quoted at once.</p>`;
  const rows = items.map(
    (
      item,
    ) => markup`<tr><th scope="row"><a href="/lab/experiments/${item.code}"><bdi>${item.name}</bdi></a><span class="sub mono">${item.code}</span></th>
<td data-label="Client"><span>${renderClient(item.organization_id, item.organization_name)}</span></td>
<td data-label="Assay"><span>${toSentenceCase(item.experiment_type)}${item.target_name !== null && markup`<span class="sub"><bdi>${item.target_name}</bdi></span>`}</span></td>
<td data-label="Sequences" class="number">${item.sequence_count}</td><td data-label="For"><span>${renderWait(item, now)}</span></td>
<td>${mayCompose && markup`<a class="button quiet" href="${PATH}/new?experiment=${item.code}" aria-label="Compose a quote for ${item.code}">Compose</a>`}</td></tr>`,
  );
  return markup`<section class="card flush" aria-labelledby="waiting"><div class="card-head"><h2 id="waiting">Orders that wait for a quote</h2><p class="hint">${formatCount(total, 'order')}</p></div>
<table class="folding"><thead><tr><th scope="col">Order</th><th scope="col">Client</th><th scope="col">Assay</th><th scope="col" class="number">Sequences</th><th scope="col">For</th><th scope="col"><span class="visually-hidden">Quote</span></th></tr></thead><tbody>${rows}</tbody></table>
${total > items.length && markup`<p class="pager">The ${items.length} that have waited longest. <a href="/lab/experiments?state=waiting_for_confirmation">Show all</a></p>`}</section>`;
}

const EMPTY = markup`<h2>No quotes</h2><p class="muted">A quote comes with the first order that is submitted.</p>`;

function buildColumns(now: Date): readonly Column<Listed>[] {
  return [
    {
      head: 'Quote',
      render: (item) =>
        markup`<a class="nowrap" href="${PATH}/${item.id}">${item.quote_number}</a><span class="sub"><a class="mono nowrap" href="/lab/experiments/${item.experiment_code}">${item.experiment_code}</a></span>`,
    },
    CLIENT_COLUMN,
    {
      head: 'State',
      render: ({ status, rejection }) =>
        markup`${renderQuoteState(status)}${rejection !== null && markup`<span class="sub">Rejected: ${toSentenceCase(rejection.reason).toLowerCase()}</span>`}`,
    },
    { head: 'Waits for', render: (item) => renderAwaitedSince(findTurn(item), now) },
    { head: 'Total', isNumber: true, render: (item) => formatUsd(item.amount_cents) },
    { head: 'Made', render: (item) => renderDay(item.created_at) },
    { head: 'Valid until', render: (item) => renderDay(item.valid_until) },
  ];
}

/** A draft that was calculated belongs to an order that its client has not submitted. */
function findTurn({ status, origin, created_at: made, opened_at: opened }: Listed): Turn | null {
  if (status === 'open') return { actor: 'client', awaiting: 'answer it', since: opened ?? made };
  if (status !== 'draft') return null;
  return origin === 'custom'
    ? { actor: 'lab', awaiting: 'send it', since: made }
    : { actor: 'client', awaiting: 'submit the order', since: made };
}
