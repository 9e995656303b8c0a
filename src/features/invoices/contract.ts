/**
 * This folder: what a client owes, from draft to paid, void or uncollectible. Not here: payments, refunds, postings.
 */
import { HostedInvoiceUrl, ExperimentParams, InvoiceParams } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation, PDF_MEDIA } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, strict, Timestamp, Type, Uuid } from '#core/schema.ts';
import { CreditNote } from './refunds/contract.ts';
import { AppliedTax, InvoiceStatus, LineItem } from '../pricing/contract.ts';
import { invoicesList } from './lists.ts';

const url = Type.Optional(HostedInvoiceUrl);
export const InvoiceListItem = invoicesList.item;
const { invoice_number: InvoiceNumber } = InvoiceListItem.properties;
export const listedInvoiceExample = invoicesList.sample;

export const SettlementReference = Type.Object(
  {
    type: Type.String({
      description:
        'x402_transaction, provider_payment_intent, provider_payment, bank_transfer or nothing_due',
    }),
    tx_hash: Type.Optional(
      Type.String({
        description: 'transaction on the chain, 0x and 64 hexadecimal digits; for x402_transaction',
      }),
    ),
    payment_intent_id: Type.Optional(
      Type.String({ description: "the payment processor's id of the charge; for provider_payment_intent" }),
    ),
  },
  { additionalProperties: true },
);

const InvoiceLink = {
  id: describe(Uuid, 'id for `get_invoice`'),
  invoice_number: InvoiceNumber,
};

export const InvoiceInfo = Type.Object({
  ...InvoiceListItem.properties,
  provider_invoice_id: Type.String({
    description: 'external id (in_…); paths accept it in place of the id',
  }),
  provider_invoice_url: Type.Optional(
    Nullable(Type.String(), { description: 'the same as `hosted_invoice_url`' }),
  ),
  quote_id: Type.String({ description: 'the accepted quote (qt_…) that it was made from' }),
  purchase_order_number: Type.Optional(
    Nullable(Type.String(), { description: 'reference of the client, printed on it; null without one' }),
  ),
  line_items: Type.Array(LineItem, { description: 'lines of the quote' }),
  subtotal_cents: Type.Integer({ description: 'sum of the lines before tax, in hundredths of `currency`' }),
  tax_cents: Type.Integer({ description: 'part of the total, in hundredths of `currency`' }),
  total_cents: Type.Integer({ description: 'with tax, in hundredths of `currency`' }),
  tax: describe(AppliedTax, 'the rate behind `tax_cents`'),
  amount_paid_cents: Type.Integer({
    description: 'with tax, in hundredths of `currency`; 0 until it is paid',
  }),
  amount_refunded_cents: Type.Integer({ description: 'sum of credit notes whose money has been sent back' }),
  credit_notes: Type.Array(CreditNote, { description: 'credit notes and refunds, oldest first' }),
  closed_reason: Type.Optional(
    Nullable(Type.String(), { description: 'why it is void or uncollectible; null otherwise' }),
  ),
  replaces: Nullable(Type.Object(InvoiceLink), {
    description: 'the void invoice that this one replaces; null without one',
  }),
  replaced_by: Nullable(Type.Object({ ...InvoiceLink, hosted_invoice_url: url }), {
    description: 'the invoice that replaces this void one; null without one',
  }),
  paid_at: Type.Optional(
    Nullable(Timestamp, { description: 'when the payment settled, UTC; null before that' }),
  ),
  already_paid: Type.Boolean({ description: 'whether its status is paid' }),
  settlement_reference: Type.Optional(
    Nullable(SettlementReference, { description: 'the payment that settled it; null before that' }),
  ),
});

export const ExperimentInvoiceResponse = Type.Object({
  experiment_id: Type.String({ description: 'UUID, even when the path had the code' }),
  invoice_id: Type.Optional(
    Nullable(Type.String(), { description: 'UUID of the current invoice; null before a quote is accepted' }),
  ),
  status: Type.Optional(Nullable(InvoiceStatus, { description: 'status of that invoice; null without one' })),
  provider_invoice_url: url,
});

export const invoiceExample = {
  ...listedInvoiceExample,
  provider_invoice_id: 'in_01980000000070008000000000000c01',
  provider_invoice_url: listedInvoiceExample.hosted_invoice_url,
  quote_id: 'qt_01980000000070008000000000000f01',
  purchase_order_number: 'PO-1042',
  line_items: [
    {
      description: 'Binding screening assay, 3 replicates per sequence',
      quantity: 1,
      unit_price_cents: 20700,
      total_cents: 20700,
    },
    { description: 'Target material EGFR', quantity: 1, unit_price_cents: 500, total_cents: 500 },
  ],
  subtotal_cents: 21200,
  tax_cents: 0,
  total_cents: 21200,
  tax: { name: 'Tax', rate_basis_points: 0, note: '' },
  amount_paid_cents: 0,
  amount_refunded_cents: 0,
  credit_notes: [],
  closed_reason: null,
  replaces: null,
  replaced_by: null,
  paid_at: null,
  already_paid: false,
  settlement_reference: null,
};

export const listInvoices = defineOperation({
  id: 'list_invoices',
  method: 'GET',
  path: '/invoices',
  tag: 'invoices',
  summary: 'List the invoices of your organization, newest first',
  effect: 'read',
  permission: 'invoice:list',
  list: invoicesList.fields,
  query: ListQuery({}),
  output: PageOf(InvoiceListItem),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(status,open)' },
    output: { items: [listedInvoiceExample], count: 1, offset: 0, total: 1 },
  },
});

export const getInvoice = defineOperation({
  id: 'get_invoice',
  method: 'GET',
  path: '/invoices/{invoice_id}',
  tag: 'invoices',
  summary: 'Read one invoice by id or external id',
  effect: 'read',
  permission: 'invoice:read',
  params: InvoiceParams,
  output: InvoiceInfo,
  failures: ['invoice_not_found'],
  example: { params: { invoice_id: listedInvoiceExample.id }, output: invoiceExample },
});

export const getInvoiceMetadata = defineOperation({
  id: 'get_invoice_metadata',
  method: 'GET',
  path: '/experiments/{experiment_id}/invoice',
  tag: 'invoices',
  summary: 'Read the invoice of an experiment, if there is one',
  effect: 'read',
  permission: 'invoice:read',
  params: ExperimentParams,
  output: ExperimentInvoiceResponse,
  failures: ['experiment_not_found'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    output: {
      experiment_id: listedInvoiceExample.experiment_id,
      invoice_id: listedInvoiceExample.id,
      status: 'open',
      provider_invoice_url: listedInvoiceExample.hosted_invoice_url,
    },
  },
});

export const getInvoicePdf = defineOperation({
  id: 'get_invoice_pdf',
  method: 'GET',
  path: '/invoices/{invoice_id}/pdf',
  tag: 'invoices',
  summary: 'Download the invoice as a PDF document',
  effect: 'read',
  permission: 'invoice:read',
  params: InvoiceParams,
  description:
    'Redirects to an address that serves the document without a token: one of this service for some minutes, or the current one of the payment processor; over REST the redirect has the document as its body. The document shows the current state of the invoice: follow the redirect at once and do not store the address.',
  output: Type.Null(),
  success: 307,
  media: [PDF_MEDIA],
  failures: ['invoice_not_found', 'invoice_is_draft', 'document_not_ready'],
  example: { params: { invoice_id: listedInvoiceExample.id } },
});

export const getCreditNotePdf = defineOperation({
  id: 'get_credit_note_pdf',
  method: 'GET',
  path: '/invoices/{invoice_id}/credit-notes/{credit_note_number}/pdf',
  tag: 'invoices',
  summary: 'Download a credit note as a PDF document',
  description:
    'Redirects to a short-lived address that serves the document without a token; over REST the redirect has the document as its body.',
  effect: 'read',
  permission: 'invoice:read',
  params: Type.Object({
    ...InvoiceParams.properties,
    credit_note_number: Type.String({ description: 'such as CN-2026-00001' }),
  }),
  output: Type.Null(),
  success: 307,
  media: [PDF_MEDIA],
  failures: ['invoice_not_found', 'credit_note_not_found'],
  example: {
    params: { invoice_id: listedInvoiceExample.id, credit_note_number: 'CN-2026-00001' },
  },
});

export const payInvoice = defineOperation({
  id: 'pay_invoice',
  method: 'POST',
  path: '/invoices/{invoice_id}/pay',
  tag: 'invoices',
  summary: 'Pay by machine, or read where to pay',
  description:
    'On the hosted rail this answers the current state and the address of the payment page. On a machine rail it answers 402 with the payment terms until a request brings a credential that pays; every 402 of one invoice has the same terms until they expire. In a sandbox, `spt` (a token of mint_payment_token) alone pays an invoice of mpp-spt. 501: this environment does not serve the rail.',
  effect: 'spends',
  spendsWhen: 'when it brings a payment credential or `spt`',
  permission: 'invoice:pay',
  paymentHeaders: ['payment-method', 'payment-signature', 'payment-authorization'],
  params: InvoiceParams,
  bodyMode: 'optional',
  body: Type.Object(
    {
      spt: Type.Optional(
        Nullable(Type.String({ minLength: 1, maxLength: 500 }), {
          description:
            'sandbox only, for invoices of mpp-spt: a token of `mint_payment_token`; the service builds the credential from it',
        }),
      ),
    },
    strict,
  ),
  output: Type.Object({
    id: Type.String({ description: 'UUID of the invoice' }),
    status: describe(InvoiceStatus, 'paid once the payment has settled; open until then'),
    already_paid: Type.Boolean({
      description: 'true: it was paid before this request, and nothing was charged',
    }),
    hosted_invoice_url: url,
    settlement_reference: Type.Optional(
      Nullable(SettlementReference, {
        description: 'the payment that settled it; absent or null before that',
      }),
    ),
  }),
  failures: [
    'invoice_not_found',
    'spend_limit_exceeded',
    'token_restricted',
    'method_rail_mismatch',
    'unknown_payment_method',
    'invoice_not_payable',
    'payment_owed_back',
    'payment_rail_not_served',
    'payment_required',
    'payment_not_settled',
    'payment_in_progress',
    'payment_refused',
    'payment_credential_mismatch',
    'payment_declined',
    'payment_outcome_unknown',
    'test_payment_unavailable',
  ],
  example: {
    params: { invoice_id: listedInvoiceExample.id },
    body: {},
    output: {
      id: listedInvoiceExample.id,
      status: 'open',
      already_paid: false,
      hosted_invoice_url: listedInvoiceExample.hosted_invoice_url,
    },
  },
});
