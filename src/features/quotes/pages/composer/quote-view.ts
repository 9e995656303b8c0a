/** The pages of one quote: a new one, a draft, and one that was sent. */
import { formatUsd } from '#core/money.ts';
import type { Output } from '#core/operation.ts';
import { rejectExperiment } from '../../../experiments/lab-contract.ts';
import type { getLabExperiment } from '../../../queue/contract.ts';
import { openCustomQuote, withdrawQuote } from '../../lab-contract.ts';
import { renderRows } from '#ui/rows.ts';
import { defineAction, listShown, renderAction } from '#ui/action.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderLineTable } from '../../../payments/pages/pay-view.ts';
import { renderStatusChip } from '#ui/pieces.ts';
import { renderDay, renderTime, toSentenceCase } from '#ui/words.ts';
import { renderField, renderFormFields, renderHidden, renderWideRefusal, type FormsView } from '#ui/form.ts';
import { renderLabHead } from '#ui/lab-pieces.ts';
import { DISCOUNTS, LINES, WORDS, type LabQuote, type QuoteDraft } from './quote-form.ts';

const PATH = '/lab/quotes';
export const QUOTE_PATH = `${PATH}/:quote_id`;

export const rejection = defineAction(rejectExperiment, {
  path: `${PATH}/orders/:experiment_id/reject`,
  page: PATH,
  button: 'Reject the order',
  tone: 'danger',
  hint: 'Cancels the order for good; the client reads the reason.',
  fields: { reason: { label: 'Reason', kind: 'area' } },
  done: 'The order was canceled; the client reads the reason.',
});
const sending = defineAction(openCustomQuote, {
  path: `${QUOTE_PATH}/open`,
  page: QUOTE_PATH,
  button: 'Send it to the client',
  tone: 'primary',
  hint: 'Sends what is saved. It never changes afterwards.',
  done: 'The quote was sent to the client.',
});
const withdrawal = defineAction(withdrawQuote, {
  path: `${QUOTE_PATH}/withdraw`,
  page: QUOTE_PATH,
  button: 'Withdraw the quote',
  summary: 'Withdraw the quote',
  tone: 'danger',
  hint: 'The order then waits for another quote.',
  fields: { reason: { label: 'Reason' } },
  done: 'The quote was withdrawn.',
});
export const QUOTE_ACTIONS = [sending, withdrawal];

type Order = Output<typeof getLabExperiment>;

const STATES: Readonly<Record<LabQuote['status'], readonly [tone: string, words: string]>> = {
  draft: ['yours', 'Draft'],
  open: ['moving', 'Open'],
  accepted: ['good', 'Accepted'],
  canceled: ['idle', 'Canceled'],
  stale: ['warn', 'Expired'],
};

export function renderQuoteState(status: LabQuote['status']): Markup {
  const [tone, words] = STATES[status];
  return markup`<span class="chip ${tone}">${words}</span>`;
}

export function renderNewQuotePage(view: FormsView, order: Order, draft: QuoteDraft): PageContent {
  const { code } = order;
  const composer = renderComposer(view, {
    action: `${PATH}/new`,
    draft,
    experiment: code,
  });
  const form = renderAction(view, rejection, { params: { experiment_id: code } });
  const reject =
    form !== null &&
    markup`<section class="card" aria-labelledby="reject"><h2 id="reject">Reject the order</h2>${form}</section>`;
  const body = markup`${renderLabHead(markup`New quote for ${code}`, { above: [PATH, 'Quotes'], over: markup`<bdi>${order.organization_name}</bdi>` })}
<div class="columns split"><div class="first">${renderOrder(order)}</div><div class="main stack">${composer}</div><div class="rest">${reject}</div></div>`;
  return { title: `New quote for ${code}`, body };
}

/** What the order is, for which the quote is made. */
function renderOrder(order: Order): Markup {
  const { code, experiment_type: type, method, target_name: target, target_request_id: request } = order;
  const decision =
    request !== null &&
    markup`<p class="note warn">It asks for a target that the catalog lacks. <a href="/lab/target-requests/${request}">Answer the request</a>; the order is quoted by itself if its price is then complete.</p>`;
  return markup`<section class="card stack" aria-labelledby="order"><h2 id="order">Order</h2>
<dl class="facts"><div><dt>Order</dt><dd><a href="/lab/experiments/${code}"><bdi>${order.name}</bdi></a><span class="sub">${code}</span></dd></div>
<div><dt>State</dt><dd>${renderStatusChip(order.status)}</dd></div>
<div><dt>Assay</dt><dd>${toSentenceCase(type)}${method !== null && ` by ${method.toUpperCase()}`}</dd></div>
${target !== null && markup`<div><dt>Target</dt><dd><bdi>${target}</bdi></dd></div>`}
<div><dt>Sequences</dt><dd>${order.sequence_count}</dd></div><div><dt>Replicates</dt><dd>${order.n_replicates}</dd></div>
<div><dt>Submitted</dt><dd>${renderTime(order.submitted_at)}</dd></div></dl>${decision}</section>`;
}

interface QuoteParts {
  readonly quote: LabQuote;
  readonly order: Order;
  readonly draft: QuoteDraft;
  readonly notice: Markup | null;
  readonly mayPrice: boolean;
}

export function renderQuotePage(view: FormsView, parts: QuoteParts): PageContent {
  const { quote, order, notice, mayPrice } = parts;
  const { status, quote_number: number } = quote;
  const isEditable = status === 'draft' && mayPrice;
  const head = renderLabHead(number, {
    above: [PATH, 'Quotes'],
    over: markup`<bdi>${quote.organization_name}</bdi>`,
    side: renderQuoteState(status),
  });
  const composer = isEditable && renderComposer(view, { action: `${PATH}/${quote.id}`, draft: parts.draft });
  const body = markup`${notice}${head}
<div class="columns split"><div class="first stack">${renderActions(view, parts)}</div><div class="main stack">${renderPaper(quote)}${composer}</div><div class="rest">${renderOrder(order)}</div></div>`;
  return { title: `Quote ${number}`, body };
}

function renderPaper(quote: LabQuote): Markup {
  const { rejection } = quote;
  return markup`<section class="card" aria-labelledby="sums"><h2 id="sums">${quote.status === 'draft' ? 'The draft as it is saved' : 'The quote'}</h2>
${rejection !== null && markup`<p class="note warn">The client rejected it: ${toSentenceCase(rejection.reason).toLowerCase()}.${rejection.feedback !== null && markup` <bdi>${rejection.feedback}</bdi>`}</p>`}
${renderLineTable(quote)}
${quote.notes !== '' && markup`<p class="terms"><bdi>${quote.notes}</bdi></p>`}
<details><summary>Terms</summary><p class="terms hint">${quote.terms_and_conditions}</p></details></section>`;
}

const DISCARD = 'Discard the draft';

function renderActions(view: FormsView, { quote, order, mayPrice }: QuoteParts): Markup {
  const { id, status } = quote;
  const params = { quote_id: id };
  const isWaiting = order.status === 'waiting_for_confirmation';
  const send = status === 'draft' && renderAction(view, sending, { params });
  const withdraw =
    status === 'draft'
      ? renderAction(view, withdrawal, { params, button: DISCARD, summary: DISCARD })
      : status === 'open' &&
        renderAction(view, withdrawal, { params, fields: { reason: { hint: 'The client reads it.' } } });
  const again =
    isWaiting &&
    mayPrice &&
    (status === 'canceled' || status === 'stale') &&
    order.quote?.status !== 'draft' &&
    markup`<p><a class="button primary" href="${PATH}/new?experiment=${quote.experiment_code}&amp;like=${id}">Quote again, beginning with these lines</a></p>`;
  return markup`<section class="card stack" aria-labelledby="total"><h2 id="total">Total</h2><p class="amount small">${formatUsd(quote.total_cents)} <span>${quote.currency.toUpperCase()}</span></p>
<dl class="facts"><div><dt>Made</dt><dd>${renderDay(quote.created_at)}</dd></div>${quote.opened_at !== null && markup`<div><dt>Sent</dt><dd>${renderTime(quote.opened_at)}</dd></div>`}<div><dt>Valid until</dt><dd>${renderDay(quote.valid_until)}</dd></div><div><dt>Made from</dt><dd>${quote.origin === 'custom' ? 'the composer' : 'the price list'}</dd></div></dl>
<p><a class="button" href="${PATH}/${id}/quote.pdf">${status === 'draft' ? 'Preview the document' : 'Open the document'} (PDF)</a></p>
${send}${again}${withdraw}</section>`;
}

/** The form of the quote composer: lines, discounts, notes, terms, validity. */

interface Composer {
  readonly action: string;
  readonly draft: QuoteDraft;
  /** The order of a new quote, for which there is no address yet. */
  readonly experiment?: string;
}

function renderComposer(
  { session, createKey, remark }: FormsView,
  { action, draft, experiment }: Composer,
): Markup {
  const formRemark = remark?.action === action ? remark : undefined;
  const { problems = [] } = formRemark ?? {};
  return markup`<form method="post" action="${action}" class="stack">${renderFormFields(session, createKey())}${experiment !== undefined && renderHidden(['experiment', experiment])}
${formRemark !== undefined && renderWideRefusal(formRemark, problems.length > 0 ? 'Nothing was saved; see below.' : undefined)}
<section class="card stack" aria-labelledby="lines"><h2 id="lines">Lines</h2>${renderRows(LINES, draft.line_items, problems)}</section>
<section class="card stack" aria-labelledby="discounts"><h2 id="discounts">Discounts</h2><p class="hint">On the sum of the lines: in percent, or in USD.</p>${renderRows(DISCOUNTS, draft.discounts, problems)}
<p><button name="intent" value="more" class="quiet">Add empty rows</button></p></section>
<section class="card fields paired" aria-labelledby="words"><h2 id="words">Terms and validity</h2>
${listShown(WORDS, draft).map((field) => renderField('quote', field, formRemark))}</section>
<div class="actions save"><button class="primary" name="intent" value="save">Save the draft</button></div></form>`;
}
