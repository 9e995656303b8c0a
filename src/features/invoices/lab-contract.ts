/** Operations of staff on invoices. */
import { EXAMPLE_ADDRESS } from '#core/example-address.ts';
import { ONE_LINE } from '#core/one-line.ts';
import { HostedInvoiceUrl, ReasonForClients, InvoiceParams } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, strict, Type } from '#core/schema.ts';
import { InvoiceStatus } from '../pricing/contract.ts';
import { InvoiceInfo, invoiceExample, listedInvoiceExample } from './contract.ts';
import { labInvoicesList } from './lists.ts';

const Reason = Type.Object({ reason: ReasonForClients }, strict);

export const invoiceStateExample = {
  id: '01980000-0000-7000-8000-0000000000c1',
  status: 'open' as const,
  hosted_invoice_url: `${EXAMPLE_ADDRESS}/pay/aBcD`,
};
export const InvoiceState = Type.Object({
  id: Type.String({ description: 'UUID of the invoice' }),
  status: describe(InvoiceStatus, 'status of the invoice after this request'),
  hosted_invoice_url: HostedInvoiceUrl,
});

export const sendInvoice = defineOperation({
  id: 'send_invoice',
  method: 'POST',
  path: '/lab/invoices/{invoice_id}/send',
  tag: 'lab',
  summary: 'Finalize a draft invoice, so that it can be paid',
  effect: 'irrevocable',
  permission: 'lab:bill',
  params: InvoiceParams,
  bodyMode: 'optional',
  body: Type.Object({}, strict),
  output: InvoiceState,
  failures: ['invoice_not_found', 'invoice_not_payable', 'payment_not_set_up'],
  example: { params: { invoice_id: invoiceStateExample.id }, body: {}, output: invoiceStateExample },
});

export const listAllInvoices = defineOperation({
  id: 'list_all_invoices',
  method: 'GET',
  path: '/lab/invoices',
  tag: 'lab-billing',
  summary: 'List the invoices of every organization, newest first',
  effect: 'read',
  permission: 'lab:read',
  list: labInvoicesList.fields,
  query: ListQuery({}),
  output: PageOf(labInvoicesList.item),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(status,open)' },
    output: {
      items: [labInvoicesList.sample],
      count: 1,
      offset: 0,
      total: 1,
    },
  },
});

export const getAnyInvoice = defineOperation({
  id: 'get_any_invoice',
  method: 'GET',
  path: '/lab/invoices/{invoice_id}',
  tag: 'lab-billing',
  summary: 'Read an invoice of any organization',
  effect: 'read',
  permission: 'lab:read',
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
  summary: 'Void an unpaid invoice; its postings are reversed',
  description:
    'A late payment is refunded. The order waits until the invoice is issued again (`reissue_invoice`) or the order is canceled.',
  effect: 'irrevocable',
  permission: 'lab:bill',
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

export const reissueInvoice = defineOperation({
  id: 'reissue_invoice',
  method: 'POST',
  path: '/lab/invoices/{invoice_id}/reissue',
  tag: 'lab-billing',
  summary: 'Issue a void invoice again, to the current billing details',
  description:
    'For an invoice that was voided because it named the wrong buyer or order number: correct the billing details of the organization first. The new invoice is open at once, has a number of its own, and asks for the lines and the subtotal of the accepted quote on the same rail. Its tax is that of the void one unless country or tax id of the buyer have changed; then the current tax applies. A void invoice is issued again at most once, and never for a canceled order.',
  effect: 'irrevocable',
  permission: 'lab:bill',
  params: InvoiceParams,
  bodyMode: 'required',
  body: Type.Object(
    {
      reason: Reason.properties.reason,
      purchase_order_number: Type.Optional(
        Nullable(Type.String({ maxLength: 100, pattern: ONE_LINE }), {
          description: 'order number to print in place of the one before; null prints none',
        }),
      ),
    },
    strict,
  ),
  success: 201,
  output: InvoiceInfo,
  failures: ['invoice_not_found', 'invoice_not_reissuable', 'payment_not_set_up'],
  example: {
    params: { invoice_id: listedInvoiceExample.id },
    body: { reason: 'Billed to the wrong company.', purchase_order_number: 'PO-1043' },
    output: {
      ...invoiceExample,
      id: '01980000-0000-7000-8000-0000000000c2',
      invoice_number: 'INV-2026-00002',
      replaces: { id: listedInvoiceExample.id, invoice_number: 'INV-2026-00001' },
    },
  },
});

export const writeOffInvoice = defineOperation({
  id: 'mark_invoice_uncollectible',
  method: 'POST',
  path: '/lab/invoices/{invoice_id}/uncollectible',
  tag: 'lab-billing',
  summary: 'Mark an open invoice as uncollectible; a late payment still settles it',
  effect: 'irrevocable',
  permission: 'lab:bill',
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
