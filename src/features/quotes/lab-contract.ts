/** Quotes that the lab writes by hand. */
import { ONE_LINE } from '#core/one-line.ts';
import { ExperimentKey } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation, PDF_MEDIA } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { Nullable, strict, Type, type Static } from '#core/schema.ts';
import { Discount } from '../pricing/contract.ts';
import { quoteExample, QuoteInfo, QuoteParams } from './contract.ts';
import { labQuotesList } from './lists.ts';

const LINES_MAX = 1_000;
const DISCOUNTS_MAX = 10;
/** A thousand lines of 500 characters, and the terms. */
const QUOTE_BYTES_MAX = 1024 * 1024;

const lines = Type.Array(
  Type.Object(
    {
      description: Type.String({
        minLength: 1,
        maxLength: 500,
        pattern: ONE_LINE,
        description: 'one line of text, as it is printed',
      }),
      quantity: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'number of units' }),
      unit_price_cents: Type.Integer({
        minimum: 0,
        maximum: 10_000_000_000,
        description: 'US cents for one unit, before tax and discount',
      }),
    },
    strict,
  ),
  { minItems: 1, maxItems: LINES_MAX, description: 'lines of the quote, before discounts' },
);
const NewDiscount = Type.Object(
  {
    ...Discount.properties,
    description: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: ONE_LINE,
      description: 'one line of text, as it is printed',
    }),
  },
  strict,
);
const discounts = Type.Array(NewDiscount, {
  maxItems: DISCOUNTS_MAX,
  description: 'discounts on the sum of the lines',
});

export const Composition = Type.Object({
  line_items: lines,
  discounts: Type.Array(Discount, { description: 'discounts on the sum of the lines' }),
});
export type Composition = Static<typeof Composition>;

const notes = Type.String({ maxLength: 5_000, description: 'notes, printed above the terms' });
const terms = Type.String({
  minLength: 1,
  maxLength: 20_000,
  description: 'terms, printed unchanged; absent from a new quote: the usual terms',
});
const validUntil = Type.String({
  format: 'date-time',
  description: 'end of the offer; absent from a new quote: 30 days from now; at most two years',
});
const KEEPS = { description: 'omitted and null keep the value of the draft' };

const { origin, opened_at, rejection } = labQuotesList.item.properties;

const LabQuoteInfo = Type.Object({
  ...QuoteInfo.properties,
  origin,
  composition: Nullable(Composition, {
    description: 'lines and discounts as they were entered; null for a calculated quote',
  }),
  opened_at,
  rejection,
});
const composition = {
  line_items: [
    {
      description: 'Binding affinity assay, 3 replicates per sequence',
      quantity: 8,
      unit_price_cents: 29_700,
    },
    { description: 'Antigen, custom expression', quantity: 1, unit_price_cents: 180_000 },
  ],
  discounts: [{ description: 'Framework agreement', basis_points: 1_000 }],
};
const custom = {
  ...quoteExample,
  status: 'draft' as const,
  amount_cents: 375_840,
  line_items: [
    {
      description: 'Binding affinity assay, 3 replicates per sequence',
      quantity: 8,
      unit_price_cents: 29_700,
      total_cents: 237_600,
    },
    {
      description: 'Antigen, custom expression',
      quantity: 1,
      unit_price_cents: 180_000,
      total_cents: 180_000,
    },
    { description: 'Framework agreement', quantity: 1, unit_price_cents: -41_760, total_cents: -41_760 },
  ],
  subtotal_cents: 375_840,
  total_cents: 375_840,
  pricing_version: 'custom',
  origin: 'custom' as const,
  composition,
  opened_at: null,
  rejection: null,
};

export const listAllQuotes = defineOperation({
  id: 'list_all_quotes',
  method: 'GET',
  path: '/lab/quotes',
  tag: 'lab-quotes',
  summary: 'List the quotes of every organization, newest first',
  effect: 'read',
  permission: 'lab:read',
  list: labQuotesList.fields,
  query: ListQuery({}),
  output: PageOf(labQuotesList.item),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(status,open)' },
    output: {
      items: [labQuotesList.sample],
      count: 1,
      offset: 0,
      total: 1,
    },
  },
});

export const getAnyQuote = defineOperation({
  id: 'get_any_quote',
  method: 'GET',
  path: '/lab/quotes/{quote_id}',
  tag: 'lab-quotes',
  summary: 'Read a quote of any organization, drafts included',
  effect: 'read',
  permission: 'lab:read',
  params: QuoteParams,
  output: LabQuoteInfo,
  failures: ['quote_not_found'],
  example: { params: { quote_id: custom.id }, output: custom },
});

export const getAnyQuotePdf = defineOperation({
  id: 'get_any_quote_pdf',
  method: 'GET',
  path: '/lab/quotes/{quote_id}/pdf',
  tag: 'lab-quotes',
  summary: 'Download a quote of any organization as a PDF document, drafts included',
  description:
    'Redirects to a short-lived address that serves the document without a token; over REST the redirect has the document as its body. A draft has DRAFT on it.',
  effect: 'read',
  permission: 'lab:read',
  params: QuoteParams,
  output: Type.Null(),
  success: 307,
  media: [PDF_MEDIA],
  failures: ['quote_not_found', 'document_not_ready'],
  example: { params: { quote_id: custom.id } },
});

export const createCustomQuote = defineOperation({
  id: 'create_custom_quote',
  method: 'POST',
  path: '/lab/quotes',
  tag: 'lab-quotes',
  summary: 'Draft a quote by hand for an experiment that waits for confirmation',
  description:
    'The client does not see it before it is opened. Discounts in percent apply to the sum of the lines; tax is added to the rest, at the rate of the organization.',
  effect: 'reversible',
  permission: 'lab:price',
  bodyBytesMax: QUOTE_BYTES_MAX,
  bodyMode: 'required',
  body: Type.Object(
    {
      experiment_id: ExperimentKey,
      line_items: lines,
      discounts: Type.Optional(discounts),
      notes: Type.Optional(notes),
      terms_and_conditions: Type.Optional(terms),
      valid_until: Type.Optional(validUntil),
    },
    strict,
  ),
  success: 201,
  output: LabQuoteInfo,
  failures: ['experiment_not_found', 'experiment_not_quotable', 'quote_exists', 'invalid_request'],
  example: { body: { experiment_id: 'DEMO-001-001', ...composition }, output: custom },
});

export const editCustomQuote = defineOperation({
  id: 'edit_custom_quote',
  method: 'PATCH',
  path: '/lab/quotes/{quote_id}',
  tag: 'lab-quotes',
  summary: 'Edit a quote by hand while it is a draft; lists are replaced as a whole',
  description: 'A field that is omitted or null is kept.',
  effect: 'reversible',
  permission: 'lab:price',
  params: QuoteParams,
  bodyBytesMax: QUOTE_BYTES_MAX,
  bodyMode: 'required',
  body: Type.Object(
    {
      line_items: Type.Optional(Nullable(lines, KEEPS)),
      discounts: Type.Optional(Nullable(discounts, KEEPS)),
      notes: Type.Optional(Nullable(notes, KEEPS)),
      terms_and_conditions: Type.Optional(Nullable(terms, KEEPS)),
      valid_until: Type.Optional(Nullable(validUntil, KEEPS)),
    },
    strict,
  ),
  output: LabQuoteInfo,
  failures: ['quote_not_found', 'quote_not_editable', 'invalid_request'],
  example: {
    params: { quote_id: custom.id },
    body: { notes: 'As discussed by phone.' },
    output: { ...custom, notes: 'As discussed by phone.' },
  },
});

export const openCustomQuote = defineOperation({
  id: 'open_custom_quote',
  method: 'POST',
  path: '/lab/quotes/{quote_id}/open',
  tag: 'lab-quotes',
  summary: 'Send a draft quote to the client; afterwards it never changes',
  effect: 'reversible',
  permission: 'lab:price',
  params: QuoteParams,
  bodyMode: 'optional',
  body: Type.Object({}, strict),
  output: LabQuoteInfo,
  failures: ['quote_not_found', 'quote_not_editable', 'quote_expired'],
  example: {
    params: { quote_id: custom.id },
    body: {},
    output: { ...custom, status: 'open', opened_at: custom.created_at },
  },
});

export const withdrawQuote = defineOperation({
  id: 'withdraw_quote',
  method: 'POST',
  path: '/lab/quotes/{quote_id}/withdraw',
  tag: 'lab-quotes',
  summary: 'Withdraw an open quote or discard a draft; the experiment waits for another quote',
  effect: 'irrevocable',
  permission: 'lab:price',
  params: QuoteParams,
  bodyMode: 'optional',
  body: Type.Object(
    {
      reason: Type.Optional(
        Type.String({ minLength: 1, maxLength: 500, description: 'clients read it in the updates' }),
      ),
    },
    strict,
  ),
  output: LabQuoteInfo,
  failures: ['quote_not_found', 'quote_not_withdrawable'],
  example: {
    params: { quote_id: custom.id },
    body: { reason: 'The antigen became cheaper.' },
    output: { ...custom, status: 'canceled' },
  },
});
