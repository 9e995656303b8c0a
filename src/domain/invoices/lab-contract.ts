/** What staff do with invoices beside sending them and recording transfers. */
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { strict, Type } from '#core/schema.ts';
import { InvoiceInfo, InvoiceListItem, invoiceExample, listedInvoiceExample } from './contract.ts';

const InvoiceParams = Type.Object({
  invoice_id: Type.String({ description: 'invoice id or external id (in_…)' }),
});
const Reason = Type.Object({ reason: Type.String({ minLength: 1, maxLength: 500 }) }, strict);

export const listAllInvoices = defineOperation({
  id: 'list_all_invoices',
  method: 'GET',
  path: '/lab/invoices',
  tag: 'lab-billing',
  summary: 'List the invoices of every organization, newest first',
  permission: 'admin:list',
  query: ListQuery({}),
  output: PageOf(InvoiceListItem),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(status,open)' },
    output: { items: [listedInvoiceExample], count: 1, offset: 0, total: 1 },
  },
});

export const getAnyInvoice = defineOperation({
  id: 'get_any_invoice',
  method: 'GET',
  path: '/lab/invoices/{invoice_id}',
  tag: 'lab-billing',
  summary: 'Read an invoice of any organization',
  permission: 'admin:read',
  params: InvoiceParams,
  output: InvoiceInfo,
  failures: ['invoice_not_found'],
  example: { params: { invoice_id: listedInvoiceExample.id }, output: invoiceExample },
});

export const voidInvoice = defineOperation({
  id: 'void_invoice',
  method: 'POST',
  path: '/lab/invoices/{invoice_id}/void',
  tag: 'lab-billing',
  summary: 'Withdraw an unpaid invoice; it leaves the books',
  description: 'A payment that arrives all the same is booked as owed back and refunded.',
  permission: 'admin:update',
  params: InvoiceParams,
  bodyMode: 'required',
  body: Reason,
  output: InvoiceInfo,
  failures: ['invoice_not_found', 'invoice_not_closable'],
  example: {
    params: { invoice_id: listedInvoiceExample.id },
    body: { reason: 'Issued to the wrong organization.' },
    output: { ...invoiceExample, status: 'void' },
  },
});

export const writeOffInvoice = defineOperation({
  id: 'mark_invoice_uncollectible',
  method: 'POST',
  path: '/lab/invoices/{invoice_id}/uncollectible',
  tag: 'lab-billing',
  summary: 'Give up on an open invoice; a payment that arrives all the same still settles it',
  permission: 'admin:update',
  params: InvoiceParams,
  bodyMode: 'required',
  body: Reason,
  output: InvoiceInfo,
  failures: ['invoice_not_found', 'invoice_not_closable'],
  example: {
    params: { invoice_id: listedInvoiceExample.id },
    body: { reason: 'The organization was dissolved.' },
    output: { ...invoiceExample, status: 'uncollectible' },
  },
});
