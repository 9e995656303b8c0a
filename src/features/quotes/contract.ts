/**
 * This folder: an offer and its validity. Not here: its price (`features/pricing`), its invoice.
 */
import { ONE_LINE } from '#core/one-line.ts';
import { machineMethodWords } from '#core/capability.ts';
import { EXAMPLE_ADDRESS } from '#core/example-address.ts';
import {
  ExperimentParams,
  Currency,
  Eta,
  ExperimentId,
  HostedInvoiceUrl,
  OrganizationName,
} from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation, PDF_MEDIA } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type } from '#core/schema.ts';
import { AppliedTax, LineItem, QuoteStatus } from '../pricing/contract.ts';
import { quotesList } from './lists.ts';
import { rejectionReasons } from './rules.ts';

const { id: QuoteId, status: Status, provider_quote_url: QuoteUrl } = quotesList.item.properties;
const SUBTOTAL = 'sum of the lines before tax, in hundredths of `currency`';
const TOTAL = 'with tax, in hundredths of `currency`';

export const QuoteListItem = quotesList.item;

export const QuoteInfo = Type.Object({
  ...quotesList.item.properties,
  organization_name: OrganizationName,
  notes: Type.String({ description: 'notes of the lab; empty without' }),
  acceptance_notes: Nullable(Type.String(), {
    description: 'notes of the client, given with the acceptance; null without any',
  }),
  terms_and_conditions: Type.String({ description: 'plain text, as it is printed' }),
  line_items: Type.Array(LineItem, {
    description: 'lines of the quote; discounts are lines with negative amounts',
  }),
  subtotal_cents: Type.Integer({ description: SUBTOTAL }),
  tax_cents: Type.Integer({ description: 'an estimate; the invoice decides; in hundredths of `currency`' }),
  total_cents: Type.Integer({ description: TOTAL }),
  tax: describe(AppliedTax, 'the rate behind `tax_cents`'),
  pricing_version: Type.String({ description: 'the price list that made it; custom for a quote by hand' }),
});

export const ExperimentQuoteResponse = Type.Object({
  experiment_id: ExperimentId,
  quote_id: Type.String({ description: 'id for `confirm_quote`: qt_ and 32 hexadecimal digits' }),
  status: Status,
  amount_subtotal: Type.Integer({ description: SUBTOTAL }),
  amount_total: Type.Integer({ description: TOTAL }),
  currency: Currency,
  expires_at: Type.Optional(
    Nullable(Timestamp, { description: 'UTC time after which it can no longer be accepted' }),
  ),
  eta: Eta,
  updated_at: Type.Optional(Nullable(Timestamp, { description: 'when it last changed, UTC' })),
  provider_quote_url: QuoteUrl,
});

export const ConfirmQuoteRequest = Type.Object(
  {
    purchase_order_number: Type.Optional(
      Nullable(Type.String({ maxLength: 100, pattern: ONE_LINE }), {
        description: 'your own reference, printed on the invoice',
      }),
    ),
    notes: Type.Optional(
      Nullable(Type.String({ maxLength: 2_000 }), {
        description: 'notes for the lab; stored as `acceptance_notes`',
      }),
    ),
  },
  strict,
);

export const ConfirmQuoteResponse = Type.Object({
  id: QuoteId,
  status: describe(QuoteStatus, 'accepted'),
  invoice_id: Type.Optional(
    Nullable(Type.String(), { description: 'UUID of the invoice to pay, for `pay_invoice`' }),
  ),
  hosted_invoice_url: Type.Optional(HostedInvoiceUrl),
  payment: Type.Object(
    {
      kind: Type.String({
        description: `hosted_invoice for the page, or the machine rail: ${machineMethodWords}`,
      }),
      hosted_invoice_url: Type.Optional(
        Nullable(Type.String(), { description: 'payment page; absent on a machine rail' }),
      ),
      pay_url: Type.Optional(
        Nullable(Type.String(), { description: 'payment address for programs; absent on the hosted rail' }),
      ),
      methods: Type.Array(Type.String(), {
        description: 'payment methods that this environment serves; that of the experiment does not change',
      }),
    },
    { description: 'how to pay the invoice' },
  ),
});

export const quoteExample = {
  ...quotesList.sample,
  organization_name: 'Demo organization',
  notes: '',
  acceptance_notes: null,
  terms_and_conditions: 'Prices exclude tax.',
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
  pricing_version: 'v1_2026-01-20',
};

export const QuoteParams = Type.Object({ quote_id: Type.String({ description: 'quote id (qt_…)' }) });

const confirmed = {
  id: quotesList.sample.id,
  status: 'accepted' as const,
  invoice_id: '01980000-0000-7000-8000-0000000000c1',
  hosted_invoice_url: `${EXAMPLE_ADDRESS}/pay/aBcD`,
  payment: {
    kind: 'hosted_invoice',
    hosted_invoice_url: `${EXAMPLE_ADDRESS}/pay/aBcD`,
    methods: ['async_invoice'],
  },
};

export const listQuotes = defineOperation({
  id: 'list_quotes',
  method: 'GET',
  path: '/quotes',
  tag: 'quotes',
  summary: 'List the quotes of your organization',
  effect: 'read',
  permission: 'quote:list',
  list: quotesList.fields,
  query: ListQuery({}),
  output: PageOf(QuoteListItem),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(status,open)' },
    output: { items: [quotesList.sample], count: 1, offset: 0, total: 1 },
  },
});

export const getQuoteInfo = defineOperation({
  id: 'get_quote_info',
  method: 'GET',
  path: '/quotes/{quote_id}',
  tag: 'quotes',
  summary: 'Read one quote',
  effect: 'read',
  permission: 'quote:read',
  params: QuoteParams,
  output: QuoteInfo,
  failures: ['quote_not_found'],
  example: {
    params: { quote_id: quotesList.sample.id },
    output: quoteExample,
  },
});

export const getQuoteMetadata = defineOperation({
  id: 'get_quote_metadata',
  method: 'GET',
  path: '/experiments/{experiment_id}/quote',
  tag: 'quotes',
  summary: 'Read the quote of an experiment, a draft included',
  description:
    'A priced experiment has a draft from its creation on; `submit_experiment` opens it. `quote_not_ready` only while there is none.',
  effect: 'read',
  permission: 'quote:read',
  params: ExperimentParams,
  output: ExperimentQuoteResponse,
  failures: ['experiment_not_found', 'quote_not_ready'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    output: {
      experiment_id: quotesList.sample.experiment_id,
      quote_id: quotesList.sample.id,
      status: 'open',
      amount_subtotal: 21200,
      amount_total: 21200,
      currency: 'usd',
      expires_at: quotesList.sample.valid_until,
      eta: quotesList.sample.eta,
      updated_at: quotesList.sample.created_at,
      provider_quote_url: quotesList.sample.provider_quote_url,
    },
  },
});

export const getQuotePdf = defineOperation({
  id: 'get_quote_pdf',
  method: 'GET',
  path: '/experiments/{experiment_id}/quote/pdf',
  tag: 'quotes',
  summary: 'Download the quote as a PDF document',
  effect: 'read',
  permission: 'quote:read',
  params: ExperimentParams,
  description:
    'Redirects to a short-lived address that serves the document without a token; over REST the redirect has the document as its body. A draft has DRAFT on it.',
  output: Type.Null(),
  success: 307,
  media: [PDF_MEDIA],
  failures: ['experiment_not_found', 'quote_not_ready', 'document_not_ready'],
  example: { params: { experiment_id: 'DEMO-001-001' } },
});

const DECIDED_FAILURES = ['quote_already_accepted', 'quote_canceled', 'quote_expired'] as const;

export const confirmQuote = defineOperation({
  id: 'confirm_quote',
  method: 'POST',
  path: '/quotes/{quote_id}/confirm',
  tag: 'quotes',
  summary: 'Accept an open quote; the invoice is finalized',
  effect: 'spends',
  permission: 'quote:update',
  params: QuoteParams,
  bodyMode: 'required',
  body: ConfirmQuoteRequest,
  output: ConfirmQuoteResponse,
  failures: [
    'quote_not_found',
    'quote_not_open',
    'spend_limit_exceeded',
    'payment_not_set_up',
    'token_restricted',
    ...DECIDED_FAILURES,
  ],
  example: {
    params: { quote_id: quotesList.sample.id },
    body: { purchase_order_number: 'PO-1042' },
    output: confirmed,
  },
});

export const confirmExperimentQuote = defineOperation({
  id: 'confirm_experiment_quote',
  method: 'POST',
  path: '/experiments/{experiment_id}/quote/confirm',
  tag: 'quotes',
  summary: 'Accept the open quote of an experiment',
  effect: 'spends',
  permission: 'quote:update',
  params: ExperimentParams,
  bodyMode: 'required',
  body: ConfirmQuoteRequest,
  output: ConfirmQuoteResponse,
  failures: [
    'experiment_not_found',
    'quote_not_ready',
    'quote_not_open',
    'spend_limit_exceeded',
    'payment_not_set_up',
    'token_restricted',
    ...DECIDED_FAILURES,
  ],
  example: { params: { experiment_id: 'DEMO-001-001' }, body: {}, output: confirmed },
});

export const rejectQuote = defineOperation({
  id: 'reject_quote',
  method: 'POST',
  path: '/quotes/{quote_id}/reject',
  tag: 'quotes',
  summary: 'Reject an open quote with a reason; the experiment becomes a draft again',
  effect: 'irrevocable',
  permission: 'quote:update',
  params: QuoteParams,
  bodyMode: 'required',
  body: Type.Object(
    {
      reason: OneOf(rejectionReasons, { description: 'closest reason; the lab reads it' }),
      feedback: Type.Optional(
        Nullable(Type.String({ maxLength: 5_000 }), { description: 'details of the reason, in words' }),
      ),
    },
    strict,
  ),
  output: Type.Object({ id: QuoteId, status: describe(QuoteStatus, 'canceled') }),
  failures: ['quote_not_found', 'quote_not_open', ...DECIDED_FAILURES],
  example: {
    params: { quote_id: quotesList.sample.id },
    body: { reason: 'scope', feedback: 'We want fewer replicates.' },
    output: { id: quotesList.sample.id, status: 'canceled' },
  },
});
