/** `/invoices`: every invoice of the organization, newest first, with links to its document and payment page. */
import type { FastifyReply } from 'fastify';
import { fail } from '#core/failures.ts';
import { formatUsd } from '#core/money.ts';
import type { Output } from '#core/operation.ts';
import { getBillingProfile } from '../../billing/contract.ts';
import { getInvoiceMetadata, getInvoicePdf, listInvoices } from '../contract.ts';
import type { PortalContext } from '#ui/context.ts';
import { getPathParameter, queryParameter, redirectAfterForm } from '#ui/http.ts';
import { renderInvoiceChip } from './invoice-chip.ts';
import type { PageContent } from '#ui/layout.ts';
import { followOwn } from '../../updates/pages/live.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';
import { renderPager } from '#ui/pieces.ts';

const PAGE_SIZE = 25;

type Item = Output<typeof listInvoices>['items'][number];

const STATES: readonly (readonly [status: Item['status'], label: string])[] = [
  ['open', 'To be paid'],
  ['paid', 'Paid'],
  ['void', 'Void'],
  ['uncollectible', 'Closed'],
  ['draft', 'Draft'],
];

export async function loadInvoiceListPage(context: PortalContext): Promise<PageContent> {
  const { api, request, parts, session } = context;
  const statusFilter = queryParameter(request, 'status');
  const status = STATES.some(([known]) => known === statusFilter) ? statusFilter : '';
  const offset = Number(queryParameter(request, 'offset')) || 0;
  const page = await api.call(listInvoices, {
    query: { limit: PAGE_SIZE, offset, ...(status === '' ? {} : { filter: `eq(status,${status})` }) },
  });
  const now = parts.work.clock.now();
  const billing =
    canCall(session, getBillingProfile) &&
    markup`<a class="button" href="/organization/billing">Billing details</a>`;
  const body = markup`<div class="page-head"><h1>Invoices</h1>${billing}</div>
${(page.total > 0 || status !== '') && renderFilters(status)}
<section class="card flush" aria-label="Invoices">${
    page.items.length === 0
      ? renderEmptyList(status !== '')
      : markup`${renderTable(page.items, now)}${renderPager('/invoices', { status }, page, PAGE_SIZE, 'invoice')}`
  }</section>`;
  return { title: 'Invoices', body, section: 'invoices', live: followOwn(context) };
}

function renderFilters(status: string): Markup {
  const options = STATES.map(
    ([value, label]) =>
      markup`<option value="${value}"${value === status && markup` selected`}>${label}</option>`,
  );
  return markup`<form class="filters" method="get" action="/invoices" role="search">
<div class="field"><label for="status">State</label><select id="status" name="status"><option value="">Any</option>${options}</select></div>
<button>Filter</button>${status !== '' && markup`<a class="button quiet-link" href="/invoices">Clear</a>`}
</form>`;
}

function renderTable(items: readonly Item[], now: Date): Markup {
  return markup`<table class="folding"><thead><tr><th scope="col">Invoice</th><th scope="col">State</th><th scope="col">Experiment</th><th scope="col" class="number">Amount</th><th scope="col">Due</th><th scope="col"><span class="visually-hidden">Document and payment</span></th></tr></thead><tbody>${items.map((item) => renderRow(item, now))}</tbody></table>`;
}

const BY_PROGRAM = markup`<span class="sub">paid by a program</span>`;

function renderRow(item: Item, now: Date): Markup {
  const name = item.invoice_number ?? 'Draft';
  const page = item.hosted_invoice_url;
  return markup`<tr><th scope="row">${typeof page !== 'string' ? name : markup`<a href="${page}">${name}</a>`}<span class="sub">${renderDay(item.created_at)}</span></th>
<td data-label="State"><span>${renderInvoiceChip(item, now)}${item.status === 'open' && item.payment_method !== 'async_invoice' && BY_PROGRAM}</span></td>
<td data-label="Experiment"><a class="mono nowrap" href="/experiments/${item.experiment_code}">${item.experiment_code}</a></td>
<td data-label="Amount" class="number">${formatUsd(item.amount_cents)}</td>
<td data-label="Due" class="nowrap">${item.status === 'open' ? renderDay(item.due_date) : markup`<span class="muted">–</span>`}</td>
<td>${renderActions(item, name)}</td></tr>`;
}

function renderActions(
  { id, status, hosted_invoice_url: page, payment_method: method }: Item,
  name: string,
): Markup {
  const pay =
    status === 'open' &&
    method === 'async_invoice' &&
    typeof page === 'string' &&
    markup`<a class="button quiet primary" href="${page}" aria-label="Pay ${name}">Pay</a>`;
  const pdf =
    status !== 'draft' &&
    markup`<a class="button quiet" href="/invoices/${id}/invoice.pdf" aria-label="${name} as PDF">PDF</a>`;
  return markup`<span class="actions">${pay}${pdf}</span>`;
}

function renderEmptyList(isFiltered: boolean): Markup {
  if (isFiltered)
    return markup`<div class="empty"><p>No invoice has this status. <a href="/invoices">Show all</a></p></div>`;
  return markup`<div class="empty"><h2>No invoices yet</h2><p class="muted">Accepting the quote of an experiment makes its invoice.</p></div>`;
}

export async function redirectToInvoicePdf({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: getPathParameter(request, 'id') };
  const { invoice_id: invoiceId } = await api.call(getInvoiceMetadata, { params });
  if (typeof invoiceId !== 'string') throw fail('invoice_not_found');
  return redirectToPdf(invoiceId, api, reply);
}

export function redirectToOwnInvoicePdf({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  return redirectToPdf(getPathParameter(request, 'id'), api, reply);
}

async function redirectToPdf(
  invoiceId: string,
  api: PortalContext['api'],
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { headers } = await api.reply(getInvoicePdf, { params: { invoice_id: invoiceId } });
  return redirectAfterForm(reply, headers.location ?? '/');
}
