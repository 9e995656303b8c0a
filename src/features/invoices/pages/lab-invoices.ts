/** `/lab/invoices`: what every organization owes, newest first. */
import { isUuid } from '#core/ids.ts';
import { formatUsd } from '#core/money.ts';
import type { Output } from '#core/operation.ts';
import { listAllInvoices } from '../lab-contract.ts';
import { defineListScreen } from '#ui/list-screen.ts';
import { renderInvoiceChip } from './invoice-chip.ts';
import { markup } from '#ui/markup.ts';
import { renderDay } from '#ui/words.ts';
import { addInvoicePage } from './lab-invoice.ts';
import type { Column } from '#ui/list.ts';
import { renderClient, renderAwaitedSince, type Turn } from '#ui/lab-pieces.ts';

const PATH = '/lab/invoices';
const OVERDUE = 'overdue';

type Item = Output<typeof listAllInvoices>['items'][number];

export const invoicesScreen = defineListScreen(listAllInvoices, {
  path: PATH,
  label: 'Invoices',
  group: 'Money',
  letter: 'i',
  noun: 'invoice',
  filters: [
    { name: 'search', label: 'Number, order or client' },
    {
      name: 'status',
      label: 'State',
      options: [
        ['draft', 'Draft'],
        ['open', 'To be paid'],
        [OVERDUE, 'Overdue'],
        ['paid', 'Paid'],
        ['void', 'Void'],
        ['uncollectible', 'Closed unpaid'],
      ],
      writeCondition: (status, now) =>
        status === OVERDUE
          ? `and(eq(status,open),lt(due_date,${now.toISOString()}))`
          : `eq(status,${status})`,
    },
    {
      name: 'client',
      label: 'Client',
      isHidden: true,
      writeCondition: (client) => isUuid(client) && `eq(organization_id,${client})`,
    },
  ],
  buildColumns: ({ now }) => buildColumns(now),
  empty: markup`<h2>No invoices yet</h2><p class="muted">An invoice is made when a client accepts one of the <a href="/lab/quotes">quotes</a>.</p>`,
  add: addInvoicePage,
});

function buildColumns(now: Date): readonly Column<Item>[] {
  return [
    {
      head: 'Invoice',
      render: (item) =>
        markup`<a class="nowrap" href="${PATH}/${item.id}">${item.invoice_number ?? 'Draft'}</a><span class="sub">${renderDay(item.created_at)}</span>`,
    },
    { head: 'State', render: (item) => renderInvoiceChip(item, now) },
    {
      head: 'Client and order',
      render: ({ organization_id: id, organization_name: name, experiment_code: code }) =>
        markup`${renderClient(id, name)}<span class="sub"><a class="mono nowrap" href="/lab/experiments/${code}">${code}</a></span>`,
    },
    { head: 'Waiting on', render: (item) => renderAwaitedSince(findTurn(item), now) },
    { head: 'Amount', isNumber: true, render: (item) => formatUsd(item.amount_cents) },
    {
      head: 'Due',
      render: (item) =>
        item.status === 'open' ? renderDay(item.due_date) : markup`<span class="muted">–</span>`,
    },
    {
      head: 'Payment method',
      render: (item) => (item.payment_method === 'async_invoice' ? 'Invoice' : item.payment_method),
    },
  ];
}

function findTurn({ status, created_at: made, sent_at: sent }: Item): Turn | null {
  if (status === 'draft') return { actor: 'lab', awaiting: 'send it', since: made };
  if (status === 'open') return { actor: 'client', awaiting: 'pay it', since: sent ?? made };
  return null;
}
