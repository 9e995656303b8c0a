/**
 * `/lab/quotes`: orders that wait for a quote, the composer, and every quote.
 * This folder: quotes as the lab writes them. Not here: quotes as clients decide on them
 * (`features/quotes/pages/quote.ts`).
 */
import type { FastifyReply } from 'fastify';
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import { getLabExperiment, listLabExperiments } from '../../../queue/contract.ts';
import {
  createCustomQuote,
  editCustomQuote,
  getAnyQuote,
  getAnyQuotePdf,
  listAllQuotes,
} from '../../lab-contract.ts';
import { renderDone } from '#ui/action.ts';
import type { Caller } from '#ui/caller.ts';
import type { FormContext, Outcome, PortalContext } from '#ui/context.ts';
import { getField, getPathParameter, queryParameter, redirectAfterForm } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { canCall } from '#ui/session.ts';
import { toSentenceCase, renderDay } from '#ui/words.ts';
import { createFormsView, readKey, renderNotice } from '#ui/form.ts';
import { defineListScreen } from '#ui/list-screen.ts';
import type { Remark } from '#ui/screen.ts';
import { describeQuote, readDraft, type QuoteDraft } from './quote-form.ts';
import {
  QUOTE_ACTIONS,
  QUOTE_PATH,
  rejection,
  renderNewQuotePage,
  renderQuotePage,
  renderQuoteState,
} from './quote-view.ts';
import { formatUsd } from '#core/money.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { Column } from '#ui/list.ts';
import { CLIENT_COLUMN, renderClient, renderAwaitedSince, renderWait, type Turn } from '#ui/lab-pieces.ts';

const PATH = '/lab/quotes';

export const quotesScreen = defineListScreen(listAllQuotes, {
  path: PATH,
  label: 'Quotes',
  group: 'Work',
  letter: 'u',
  noun: 'quote',
  filters: [
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
      writeCondition: (state) => `eq(status,${state})`,
    },
  ],
  renderLead: ({ context, now }) => loadLead(context, now),
  buildColumns: ({ now }) => buildColumns(now),
  empty: markup`<h2>No quotes</h2><p class="muted">A quote comes with the first order that is submitted.</p>`,
  add(routes) {
    routes.addPage(`${PATH}/new`, openComposer, createCustomQuote);
    routes.addForm(`${PATH}/new`, createCustomQuote, create, loadRefused);
    routes.addActions([rejection], loadRejected);
    routes.addPage(QUOTE_PATH, (context) => loadQuote(context), getAnyQuote);
    routes.addPage(`${QUOTE_PATH}/quote.pdf`, redirectToPdf, getAnyQuotePdf);
    routes.addForm(QUOTE_PATH, editCustomQuote, save, loadQuote);
    routes.addActions(QUOTE_ACTIONS, loadQuote);
  },
});

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
  return { line_items: [{ description, quantity: count }], discounts: [] };
}

/** The lines of another quote; its date has passed or passes too soon. */
async function copyDraft(api: Caller, id: string): Promise<QuoteDraft> {
  const quote = await api.call(getAnyQuote, { params: { quote_id: id } });
  return { ...describeQuote(quote), valid_until: undefined };
}

async function loadRefused(context: PortalContext, remark: Remark): Promise<PageContent> {
  const order = await findOrder(context.api, remark.typed['experiment'] ?? '');
  return showComposer(context, order, readDraft(remark.typed), remark);
}

async function loadRejected(context: PortalContext, remark: Remark): Promise<PageContent> {
  const order = await findOrder(context.api, getPathParameter(context.request, 'experiment_id'));
  return showComposer(context, order, createDraft(order), remark);
}

function showComposer(context: PortalContext, order: Order, draft: QuoteDraft, remark?: Remark): PageContent {
  return renderNewQuotePage(createFormsView(context, remark), order, draft);
}

async function create(context: FormContext): Promise<string | PageContent> {
  const { api, form } = context;
  const draft = readDraft(form);
  const experiment = getField(form, 'experiment');
  if (getField(form, 'intent') === 'more')
    return showComposer(context, await findOrder(api, experiment), draft);
  const { id } = await api.call(createCustomQuote, {
    body: { experiment_id: experiment, ...draft },
    idempotencyKey: readKey(form),
  });
  return `${PATH}/${id}?done=saved`;
}

const readParameters = ({ request }: PortalContext): { readonly quote_id: string } => ({
  quote_id: getPathParameter(request, 'quote_id'),
});

async function loadQuote(context: PortalContext, remark?: Remark, typed?: QuoteDraft): Promise<PageContent> {
  const { api, request, session } = context;
  const quote = await api.call(getAnyQuote, { params: readParameters(context) });
  const order = await findOrder(api, quote.experiment_id);
  const refused = remark?.action === `${PATH}/${quote.id}` ? readDraft(remark.typed) : undefined;
  return renderQuotePage(createFormsView(context, remark), {
    quote,
    order,
    draft: typed ?? refused ?? describeQuote(quote),
    notice:
      renderDone(context, QUOTE_ACTIONS) ??
      renderNotice(queryParameter(request, 'done') === 'saved' ? SAVED : undefined),
    mayPrice: canCall(session, editCustomQuote),
  });
}

async function save(context: FormContext): Promise<string | PageContent> {
  const { api, form } = context;
  const draft = readDraft(form);
  if (getField(form, 'intent') === 'more') return loadQuote(context, undefined, draft);
  const params = readParameters(context);
  await api.call(editCustomQuote, { params, body: draft });
  return `${PATH}/${params.quote_id}?done=saved`;
}

/** Redirects to the signed link, which the browser follows by itself. */
async function redirectToPdf(context: PortalContext): Promise<FastifyReply> {
  const { headers } = await context.api.reply(getAnyQuotePdf, { params: readParameters(context) });
  return redirectAfterForm(context.reply, headers['location'] ?? PATH);
}

/** The list of quotes, below the orders that wait for one. */

const WAITING_SHOWN = 50;

const SAVED = 'The draft was saved. The client does not see it before it is sent.';

async function loadLead(context: PortalContext, now: Date): Promise<Markup> {
  const waiting = await context.api.call(listLabExperiments, {
    query: { filter: 'eq(status,waiting_for_confirmation)', limit: WAITING_SHOWN },
  });
  const mayCompose = canCall(context.session, createCustomQuote);
  return markup`${renderDone(context, [rejection])}${renderWaiting(waiting, mayCompose, now)}<h2 class="list-title">All quotes</h2>`;
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
    { head: 'Waiting on', render: (item) => renderAwaitedSince(findTurn(item), now) },
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
