/**
 * `/lab/quotes`: orders that wait for a quote, the composer, and every quote.
 * This folder: quotes as the lab writes them. Not here: quotes as clients decide on them (`portal/quote.ts`).
 */
import type { FastifyReply } from 'fastify';
import { formatCount } from '#core/counts.ts';
import type { Output } from '#core/operation.ts';
import { rejectExperiment } from '../../../experiments/lab-contract.ts';
import { getLabExperiment } from '../../../queue/contract.ts';
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
import { toSentenceCase } from '#ui/words.ts';
import { createFormsView, readFilled, readKey, renderNotice } from '#ui/form.ts';
import type { LabScreen, Remark } from '#ui/screen.ts';
import { loadQuotes, QUOTES_DONE } from './quote-list.ts';
import { buildComposition, describeQuote, EMPTY_DRAFT, parseDraft, type QuoteDraft } from './quote-form.ts';
import { renderNewQuotePage, renderQuotePage } from './quote-view.ts';

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
