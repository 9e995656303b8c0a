/** `/invoices`: every invoice of the organization, newest first, with links to its document and payment page. */
import type { FastifyReply } from 'fastify';
import { fail } from '#core/failures.ts';
import { formatUsd } from '#core/money.ts';
import type { Output } from '#core/operation.ts';
import { getBillingProfile } from '../../billing/contract.ts';
import { getInvoiceMetadata, getInvoicePdf, listInvoices } from '../contract.ts';
import type { PortalContext } from '#ui/context.ts';
import { getPathParameter, queryParameter, redirectAfterForm } from '#ui/http.ts';
import { sendCsv } from '#ui/csv-export.ts';
import { renderInvoiceChip } from './invoice-chip.ts';
import type { PageContent } from '#ui/layout.ts';
import { joinConditions, type Column } from '#ui/list.ts';
import { loadListPage } from '#ui/list-screen.ts';
import { followOwn } from '../../updates/pages/live.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';

type Item = Output<typeof listInvoices>['items'][number];

export async function loadInvoiceListPage(context: PortalContext): Promise<PageContent> {
  const page = await loadListPage(
    listInvoices,
    {
      path: '/invoices',
      label: 'Invoices',
      noun: 'invoice',
      filters: [
        {
          name: 'status',
          label: 'State',
          options: [
            ['open', 'To be paid'],
            ['paid', 'Paid'],
            ['void', 'Void'],
            ['uncollectible', 'Closed'],
            ['draft', 'Draft'],
          ],
        },
      ],
      follow: followOwn,
      renderSide: () =>
        markup`<span class="actions"><a class="button" href="${CSV_PATH}?${new URLSearchParams({ status: queryParameter(context.request, 'status') }).toString()}" download>CSV</a>${
          canCall(context.session, getBillingProfile) &&
          markup`<a class="button" href="/organization/billing">Billing details</a>`
        }</span>`,
      buildColumns: ({ now }) => buildColumns(now),
      empty: markup`<h2>No invoices yet</h2><p class="muted">Accepting the quote of an experiment makes its invoice.</p>`,
    },
    context,
  );
  return { ...page, section: 'invoices' };
}

export const CSV_PATH = '/invoices.csv';
const EXPORT_SIZE = 100;

/** Sends all invoices in the state that is shown, newest first; amounts in their currency. */
export async function sendInvoicesCsv({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const status = queryParameter(request, 'status');
  const items: Item[] = [];
  for (;;) {
    const query = {
      ...joinConditions([status !== '' && `eq(status,${status})`]),
      limit: EXPORT_SIZE,
      offset: items.length,
    };
    const page = await api.call(listInvoices, { query });
    items.push(...page.items);
    if (page.items.length === 0 || items.length >= page.total) break;
  }
  const records = items.map((item) => ({
    invoice: item.invoice_number ?? 'draft',
    experiment: item.experiment_code,
    state: item.status,
    amount: (item.amount_cents / 100).toFixed(2),
    currency: item.currency.toUpperCase(),
    created_on: item.created_at.slice(0, 10),
    due_on: item.due_date?.slice(0, 10) ?? '',
    payment_method: item.payment_method,
    page: item.hosted_invoice_url ?? '',
  }));
  return sendCsv(reply, 'invoices.csv', records);
}

const BY_PROGRAM = markup`<span class="sub">paid by a program</span>`;

const getName = ({ invoice_number: number }: Item): string => number ?? 'Draft';

function buildColumns(now: Date): readonly Column<Item>[] {
  return [
    {
      head: 'Invoice',
      render: (item) =>
        markup`${typeof item.hosted_invoice_url === 'string' ? markup`<a href="${item.hosted_invoice_url}">${getName(item)}</a>` : getName(item)}<span class="sub">${renderDay(item.created_at)}</span>`,
    },
    {
      head: 'State',
      render: (item) =>
        markup`${renderInvoiceChip(item, now)}${item.status === 'open' && item.payment_method !== 'async_invoice' && BY_PROGRAM}`,
    },
    {
      head: 'Experiment',
      render: ({ experiment_code: code }) =>
        markup`<a class="mono nowrap" href="/experiments/${code}">${code}</a>`,
    },
    { head: 'Amount', isNumber: true, render: (item) => formatUsd(item.amount_cents) },
    {
      head: 'Due',
      render: ({ status, due_date: due }) =>
        status === 'open'
          ? markup`<span class="nowrap">${renderDay(due)}</span>`
          : markup`<span class="muted">–</span>`,
    },
    { head: 'Document', render: renderLinks },
  ];
}

function renderLinks(item: Item): Markup {
  const { id, status, hosted_invoice_url: page, payment_method: method } = item;
  const pay =
    status === 'open' &&
    method === 'async_invoice' &&
    typeof page === 'string' &&
    markup`<a class="button quiet primary" href="${page}" aria-label="Pay ${getName(item)}">Pay</a>`;
  const pdf =
    status !== 'draft' &&
    markup`<a class="button quiet" href="/invoices/${id}/invoice.pdf" aria-label="${getName(item)} as PDF">PDF</a>`;
  return markup`<span class="actions">${pay}${pdf}</span>`;
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
