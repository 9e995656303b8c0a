/** `/quotes/{id}`: lines, price and end date of a quote, what its forms do, and where its document is. */
import type { FastifyReply } from 'fastify';
import { Failure } from '#core/failures.ts';
import { readBody, type Action } from '#ui/action.ts';
import { createFormsView, readKey } from '#ui/form.ts';
import { getExperiment, type ExpInfo } from '../../experiments/contract.ts';
import { describeQuotedOrder } from '../scope.ts';
import { isRecord } from '#core/records.ts';
import { getQuoteInfo, getQuotePdf } from '../contract.ts';
import type { Output } from '#core/operation.ts';
import { formatUsd } from '#core/money.ts';
import type { Caller } from '#ui/caller.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { getPathParameter, redirectAfterForm } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { followOwn } from '../../updates/pages/live.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderLineTable } from '../../payments/pages/pay-view.ts';
import type { PagesParts } from '#ui/parts.ts';
import type { Routes } from '#ui/routes.ts';
import { addRefusableForm, type Remark } from '#ui/screen.ts';
import { canCall, type Session } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';
import { acceptQuote, declineQuote, renderQuoteDecision } from '../../experiments/pages/forms.ts';
import { renderEta } from '#ui/pieces.ts';

type Quote = Output<typeof getQuoteInfo>;

const TONES: Readonly<Record<Quote['status'], readonly [tone: string, word: string]>> = {
  draft: ['idle', 'Draft'],
  open: ['yours', 'Open'],
  accepted: ['good', 'Accepted'],
  canceled: ['idle', 'Canceled'],
  stale: ['warn', 'Expired'],
};

export async function loadQuotePage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, request, session, parts } = context;
  const quote = await api.call(getQuoteInfo, { params: { quote_id: getPathParameter(request, 'quote_id') } });
  const isPast = Date.parse(quote.valid_until) <= parts.work.clock.now().getTime();
  const isOpen = quote.status === 'open' && !isPast;
  const [tone, word] = quote.status === 'open' && isPast ? TONES.stale : TONES[quote.status];
  const decision = isOpen ? renderQuoteDecision(createFormsView(context, remark), quote.id) : null;
  const experiment = await findOrder(quote, api, session);
  const hasPdf = canCall(session, getQuotePdf) && experiment?.provider_quote_id === quote.id;
  const body = markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/">Experiments</a> / <a href="/experiments/${quote.experiment_code}">${quote.experiment_code}</a></nav>
<div class="stack">
<article class="card paper" aria-labelledby="quote">
<header class="paper-head"><div><p class="over">Quote</p><h1 id="quote">${quote.quote_number}</h1></div><span class="chip ${tone}">${word}</span></header>
<p class="amount">${formatUsd(quote.total_cents)} <span>${quote.currency.toUpperCase()}</span></p>
${renderQuoteState(quote, isOpen)}
<dl class="facts"><div><dt>For</dt><dd><bdi>${quote.organization_name}</bdi></dd></div>
<div><dt>Experiment</dt><dd><a href="/experiments/${quote.experiment_code}">${quote.experiment_code}</a></dd></div>
<div><dt>Made</dt><dd>${renderDay(quote.created_at)}</dd></div><div><dt>Valid until</dt><dd>${renderDay(quote.valid_until)}</dd></div>${renderExpected(quote)}</dl>
${experiment !== null && renderScope(experiment)}
${renderLineTable(quote)}
${quote.notes !== '' && markup`<p class="terms"><bdi>${quote.notes}</bdi></p>`}
<p class="terms hint">${quote.terms_and_conditions}</p>
${hasPdf && markup`<p class="terms"><a href="/experiments/${quote.experiment_code}/quote.pdf">Quote as PDF</a></p>`}
</article>
${decision !== null && markup`<section class="card decision" aria-labelledby="decide"><h2 id="decide">Your decision</h2>${decision}</section>`}
</div>`;
  return {
    title: `Quote ${quote.quote_number}`,
    api: { path: `/quotes/${quote.id}`, id: quote.id },
    body,
    section: 'experiments',
    width: 'narrow',
    live: followOwn(context, quote.experiment_id),
  };
}

function renderExpected({ status, eta }: Quote): Markup | null {
  const date = renderEta(status === 'accepted' ? 'waiting_for_materials' : 'quote_sent', eta);
  return date && markup`<div><dt>Results</dt><dd>${date}</dd></div>`;
}

/** The order of the quote, for those who may read it; only its latest quote has a document. */
async function findOrder(quote: Quote, api: Caller, session: Session): Promise<ExpInfo | null> {
  if (!canCall(session, getExperiment)) return null;
  return api.call(getExperiment, { params: { experiment_id: quote.experiment_code } });
}

function renderScope({ experiment_spec: spec, ...experiment }: ExpInfo): Markup {
  const sequences = Object.values(spec.sequences ?? {});
  const controls = sequences.filter((value) => isRecord(value) && value.control === true);
  const facts = describeQuotedOrder({
    experiment_type: spec.experiment_type,
    method: spec.method ?? null,
    target_name: experiment.target_name ?? spec.requested_target?.name ?? null,
    sequence_count: sequences.length,
    control_count: controls.length,
    n_replicates: experiment.n_replicates,
    antigen_concentrations_nm: experiment.antigen_concentrations ?? null,
  });
  return markup`<section class="scope" aria-labelledby="scope"><h2 id="scope">Scope</h2><dl class="facts">${facts.map(([label, value]) => markup`<div><dt>${label}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl></section>`;
}

function renderQuoteState(quote: Quote, isOpen: boolean): Markup | null {
  if (isOpen) return null;
  const code = quote.experiment_code;
  if (quote.status === 'accepted')
    return markup`<p class="note good" role="status">Accepted. <a href="/experiments/${code}">See the invoice and the progress</a></p>`;
  if (quote.status === 'canceled')
    return markup`<p class="note" role="status">This quote was rejected or canceled. <a href="/experiments/${code}">Submit the experiment again</a> for a new one.</p>`;
  if (quote.status === 'draft')
    return markup`<p class="note" role="status">This quote is a draft. <a href="/experiments/${code}">Submit the experiment</a> to open it; until then its price may change.</p>`;
  return markup`<p class="note warn" role="status">This quote has expired. <a href="/experiments/${code}">Submit the experiment again</a> for a new one.</p>`;
}

export async function redirectToQuotePdf({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: getPathParameter(request, 'id') };
  const { headers } = await api.reply(getQuotePdf, { params });
  return redirectAfterForm(reply, headers.location ?? '/');
}

export function addQuoteForms(routes: Routes, parts: PagesParts): void {
  for (const action of [acceptQuote, declineQuote])
    addRefusableForm(routes, parts, action.path, (context) => decide(context, action), loadQuotePage);
}

/** Shows the experiment, which has the invoice, or is a draft again. */
async function decide({ api, form, request }: FormContext, action: Action): Promise<string> {
  const params = { quote_id: getPathParameter(request, 'quote_id') };
  const quote = await api.call(getQuoteInfo, { params });
  try {
    await api.reply(action.operation, {
      params,
      body: readBody(action, form),
      idempotencyKey: readKey(form),
    });
  } catch (error) {
    // A member accepted first, perhaps in another tab: the quote is accepted, and the experiment shows it.
    if (!(error instanceof Failure) || error.code !== 'quote_already_accepted') throw error;
  }
  return `/experiments/${quote.experiment_code}`;
}
