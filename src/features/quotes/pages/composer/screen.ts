/**
 * `/lab/quotes`: orders that wait for a quote, the composer, and every quote.
 * This folder: quotes as the lab writes them. Not here: quotes as clients decide on them
 * (`features/quotes/pages/quote.ts`).
 */
import type { FastifyReply } from 'fastify';
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import { rejectExperiment } from '../../../experiments/lab-contract.ts';
import { getLabExperiment, listLabExperiments } from '../../../queue/contract.ts';
import {
  createCustomQuote,
  editCustomQuote,
  getAnyQuote,
  getAnyQuotePdf,
  listAllQuotes,
  openCustomQuote,
  withdrawQuote,
} from '../../lab-contract.ts';
import type { Caller } from '#ui/caller.ts';
import type { FormContext, Outcome, PortalContext } from '#ui/context.ts';
import { findSentence, getField, getPathParameter, queryParameter, redirectAfterForm } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { canCall } from '#ui/session.ts';
import { toSentenceCase, renderDay } from '#ui/words.ts';
import { createFormsView, readFilled, readKey, renderNotice } from '#ui/form.ts';
import type { LabScreen, Remark } from '#ui/screen.ts';
import { buildComposition, describeQuote, EMPTY_DRAFT, parseDraft, type QuoteDraft } from './quote-form.ts';
import { renderNewQuotePage, renderQuotePage, renderQuoteState } from './quote-view.ts';
import { formatUsd } from '#core/money.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { buildListQuery, readFilters, renderListPage, type Column, type ListFilter } from '#ui/list.ts';
import { CLIENT_COLUMN, renderClient, renderAwaitedSince, renderWait, type Turn } from '#ui/lab-pieces.ts';

const PATH = '/lab/quotes';

export const quotesScreen: LabScreen = {
  path: PATH,
  label: 'Quotes',
  group: 'Work',
  letter: 'u',
  reads: listAllQuotes,
  add(routes) {
    routes.addPage(PATH, loadQuotes);
    routes.addPage(`${PATH}/new`, openComposer, createCustomQuote);
    routes.addForm(`${PATH}/new`, createCustomQuote, create, loadRefused);
    routes.addForm(`${PATH}/orders/:code/reject`, rejectExperiment, rejectOrder, loadRejected);
    routes.addPage(`${PATH}/:id`, (context) => loadQuote(context), getAnyQuote);
    routes.addPage(`${PATH}/:id/quote.pdf`, redirectToPdf, getAnyQuotePdf);
    routes.addForm(`${PATH}/:id`, editCustomQuote, save, loadQuote);
    routes.addForm(`${PATH}/:id/open`, openCustomQuote, open, loadQuote);
    routes.addForm(`${PATH}/:id/withdraw`, withdrawQuote, withdraw, loadQuote);
  },
};

type Order = Output<typeof getLabExperiment>;

/** Opens the draft that an order has already, or begins one, like another quote if the address names it. */
async function openComposer(context: PortalContext): Promise<Outcome> {
  const { api, reply, request } = context;
  const order = await findOrder(api, queryParameter(request, 'experiment'));
  if (order.quote?.status === 'draft') return redirectAfterForm(reply, `${PATH}/${order.quote.id}`);
  const like = queryParameter(request, 'like');
  const draft = like === '' ? createDraft(order) : await copyDraft(api, like);
  return showComposer(context, order, draft);
}

function findOrder(api: Caller, id: string): Promise<Order> {
  return api.call(getLabExperiment, { params: { experiment_id: id } });
}

/** Proposes one line of the assay; what it costs is for the lab to say. */
function createDraft({
  experiment_type: type,
  n_replicates: replicates,
  sequence_count: count,
}: Order): QuoteDraft {
  const assay = toSentenceCase(type);
  const description = `${assay} assay, ${formatCount(replicates, 'replicate')} per sequence`;
  return { ...EMPTY_DRAFT, lines: [{ description, quantity: String(count), price: '' }] };
}

/** The lines of another quote; its date has passed or passes too soon. */
async function copyDraft(api: Caller, id: string): Promise<QuoteDraft> {
  const quote = await api.call(getAnyQuote, { params: { quote_id: id } });
  return { ...describeQuote(quote), validUntil: '' };
}

async function loadRefused(context: PortalContext, remark: Remark): Promise<PageContent> {
  const order = await findOrder(context.api, remark.typed['experiment'] ?? '');
  return showComposer(context, order, parseDraft(remark.typed), remark);
}

async function loadRejected(context: PortalContext, remark: Remark): Promise<PageContent> {
  const order = await findOrder(context.api, getPathParameter(context.request, 'code'));
  return showComposer(context, order, createDraft(order), remark);
}

function showComposer(context: PortalContext, order: Order, draft: QuoteDraft, remark?: Remark): PageContent {
  const mayReject = canCall(context.session, rejectExperiment);
  return renderNewQuotePage(createFormsView(context, remark), { order, draft, mayReject });
}

async function create(context: FormContext): Promise<string | PageContent> {
  const { api, form } = context;
  const draft = parseDraft(form);
  const experiment = getField(form, 'experiment');
  if (getField(form, 'intent') === 'more')
    return showComposer(context, await findOrder(api, experiment), draft);
  const { id } = await api.call(createCustomQuote, {
    body: { experiment_id: experiment, ...buildComposition(draft) },
    idempotencyKey: readKey(form),
  });
  return `${PATH}/${id}?done=saved`;
}

async function rejectOrder({ api, form, request }: FormContext): Promise<string> {
  const params = { experiment_id: getPathParameter(request, 'code') };
  await api.call(rejectExperiment, { params, body: { reason: getField(form, 'reason') } });
  return `${PATH}?done=rejected`;
}

async function loadQuote(context: PortalContext, remark?: Remark, typed?: QuoteDraft): Promise<PageContent> {
  const { api, request, session } = context;
  const id = getPathParameter(request, 'id');
  const quote = await api.call(getAnyQuote, { params: { quote_id: id } });
  const order = await findOrder(api, quote.experiment_id);
  const refused = remark?.action === `${PATH}/${id}` ? parseDraft(remark.typed) : undefined;
  return renderQuotePage(createFormsView(context, remark), {
    quote,
    order,
    draft: typed ?? refused ?? describeQuote(quote),
    notice: renderNotice(findSentence(QUOTES_DONE, queryParameter(request, 'done'))),
    mayPrice: canCall(session, editCustomQuote),
  });
}

async function save(context: FormContext): Promise<string | PageContent> {
  const { api, form, request } = context;
  const draft = parseDraft(form);
  if (getField(form, 'intent') === 'more') return loadQuote(context, undefined, draft);
  const id = getPathParameter(request, 'id');
  await api.call(editCustomQuote, { params: { quote_id: id }, body: buildComposition(draft) });
  return `${PATH}/${id}?done=saved`;
}

async function open({ api, request }: FormContext): Promise<string> {
  const id = getPathParameter(request, 'id');
  await api.call(openCustomQuote, { params: { quote_id: id }, body: {} });
  return `${PATH}/${id}?done=opened`;
}

async function withdraw({ api, form, request }: FormContext): Promise<string> {
  const id = getPathParameter(request, 'id');
  await api.call(withdrawQuote, { params: { quote_id: id }, body: readFilled(form, ['reason']) });
  return `${PATH}/${id}?done=withdrawn`;
}

/** Redirects to the signed link, which the browser follows by itself. */
async function redirectToPdf({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { quote_id: getPathParameter(request, 'id') };
  const { headers } = await api.reply(getAnyQuotePdf, { params });
  return redirectAfterForm(reply, headers['location'] ?? PATH);
}

/** The list of quotes, below the orders that wait for one. */

const WAITING_SHOWN = 50;

/** What happened, in words, by the value of `done` in the address. */
const QUOTES_DONE: Readonly<Record<string, string>> = {
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

async function loadQuotes({ api, request, session, parts }: PortalContext): Promise<PageContent> {
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
