import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { Nullable, OneOf, strict, Timestamp, Type, Uuid } from '#core/schema.ts';
import { AppliedTax, LineItem, QuoteStatus } from '#domain/pricing/contract.ts';
import { quoteFields } from './list-fields.ts';

export const rejectionReasons = ['price', 'scope', 'timeline', 'budget', 'other'] as const;

export const QuoteListItem = Type.Object({
  id: Type.String(),
  quote_number: Type.String(),
  organization_id: Uuid,
  experiment_id: Uuid,
  experiment_code: Type.String(),
  status: QuoteStatus,
  amount_cents: Type.Integer(),
  currency: Type.String(),
  created_at: Timestamp,
  valid_until: Timestamp,
  provider_quote_url: Type.String(),
});

export const QuoteInfo = Type.Object({
  ...QuoteListItem.properties,
  organization_name: Type.String(),
  notes: Type.String({ description: 'of the lab' }),
  acceptance_notes: Nullable(Type.String({ description: 'of the client, given with the acceptance' })),
  terms_and_conditions: Type.String(),
  line_items: Type.Array(LineItem),
  subtotal_cents: Type.Integer(),
  tax_cents: Type.Integer({ description: 'an estimate; the invoice decides' }),
  total_cents: Type.Integer(),
  tax: AppliedTax,
  pricing_version: Type.String({ description: 'the price list that made it; custom for a quote by hand' }),
});

export const ExperimentQuoteResponse = Type.Object({
  experiment_id: Uuid,
  quote_id: Type.String(),
  status: QuoteStatus,
  amount_subtotal: Type.Integer(),
  amount_total: Type.Integer(),
  currency: Type.String(),
  expires_at: Type.Optional(Nullable(Timestamp)),
  updated_at: Type.Optional(Nullable(Timestamp)),
  provider_quote_url: Type.String(),
});

export const ConfirmQuoteRequest = Type.Object(
  {
    purchase_order_number: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
    notes: Type.Optional(Nullable(Type.String({ maxLength: 2_000 }))),
  },
  strict,
);

export const ConfirmQuoteResponse = Type.Object({
  id: Type.String(),
  status: QuoteStatus,
  invoice_id: Type.Optional(Nullable(Type.String())),
  hosted_invoice_url: Type.Optional(Nullable(Type.String())),
  payment: Type.Object({
    kind: Type.String(),
    hosted_invoice_url: Type.Optional(Nullable(Type.String())),
    pay_url: Type.Optional(Nullable(Type.String())),
    methods: Type.Array(Type.String()),
  }),
});

export const listedQuoteExample = {
  id: 'qt_01980000000070008000000000000f01',
  quote_number: 'Q-2026-00001',
  organization_id: '01980000-0000-7000-8000-0000000000b1',
  experiment_id: '01980000-0000-7000-8000-0000000000e1',
  experiment_code: 'DEMO-001-001',
  status: 'open' as const,
  amount_cents: 21200,
  currency: 'usd',
  created_at: '2026-01-20T09:00:00.000Z',
  valid_until: '2026-02-19T09:00:00.000Z',
  provider_quote_url: 'http://127.0.0.1:8080/quotes/qt_01980000000070008000000000000f01',
};

export const quoteExample = {
  ...listedQuoteExample,
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

const QuoteParams = Type.Object({ quote_id: Type.String({ description: 'quote id (qt_…)' }) });
const ExperimentParams = Type.Object({
  experiment_id: Type.String({ description: 'experiment id or code' }),
});

const confirmed = {
  id: listedQuoteExample.id,
  status: 'accepted' as const,
  invoice_id: '01980000-0000-7000-8000-0000000000c1',
  hosted_invoice_url: 'http://127.0.0.1:8080/pay/aBcD',
  payment: {
    kind: 'hosted_invoice',
    hosted_invoice_url: 'http://127.0.0.1:8080/pay/aBcD',
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
  list: quoteFields,
  query: ListQuery({}),
  output: PageOf(QuoteListItem),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(status,open)' },
    output: { items: [listedQuoteExample], count: 1, offset: 0, total: 1 },
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
    params: { quote_id: listedQuoteExample.id },
    output: quoteExample,
  },
});

export const getQuoteMetadata = defineOperation({
  id: 'get_quote_metadata',
  method: 'GET',
  path: '/experiments/{experiment_id}/quote',
  tag: 'quotes',
  summary: 'Read the quote of an experiment once it is ready',
  effect: 'read',
  permission: 'quote:read',
  params: ExperimentParams,
  output: ExperimentQuoteResponse,
  failures: ['experiment_not_found', 'quote_not_ready'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    output: {
      experiment_id: listedQuoteExample.experiment_id,
      quote_id: listedQuoteExample.id,
      status: 'open',
      amount_subtotal: 21200,
      amount_total: 21200,
      currency: 'usd',
      expires_at: listedQuoteExample.valid_until,
      updated_at: listedQuoteExample.created_at,
      provider_quote_url: listedQuoteExample.provider_quote_url,
    },
  },
});

export const getQuotePdf = defineOperation({
  id: 'get_quote_pdf',
  method: 'GET',
  path: '/experiments/{experiment_id}/quote/pdf',
  tag: 'quotes',
  summary: 'The quote as a PDF document',
  effect: 'read',
  permission: 'quote:read',
  params: ExperimentParams,
  description: 'Redirects to a short-lived address that serves the document without a token.',
  output: Type.Null(),
  success: 307,
  failures: ['experiment_not_found', 'quote_not_ready'],
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
  failures: ['quote_not_found', 'quote_not_open', 'spend_limit_exceeded', ...DECIDED_FAILURES],
  example: {
    params: { quote_id: listedQuoteExample.id },
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
  failures: ['experiment_not_found', 'quote_not_ready', 'spend_limit_exceeded', ...DECIDED_FAILURES],
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
      reason: OneOf(rejectionReasons),
      feedback: Type.Optional(Nullable(Type.String({ maxLength: 5_000 }))),
    },
    strict,
  ),
  output: Type.Object({ id: Type.String(), status: QuoteStatus }),
  failures: ['quote_not_found', 'quote_not_open', ...DECIDED_FAILURES],
  example: {
    params: { quote_id: listedQuoteExample.id },
    body: { reason: 'scope', feedback: 'We want fewer replicates.' },
    output: { id: listedQuoteExample.id, status: 'canceled' },
  },
});
