/** Products and quotes of the fake, with the invoice that comes of an accepted one. */
import { createQuoteObject, createListObject, createProductObject } from './objects.ts';
import {
  announce,
  createInvalid,
  createMissing,
  createRoute,
  toText,
  type Call,
  type Route,
} from './route.ts';
import type { FakeQuote, FakeState } from './state.ts';
import { toItems, toRecord, toTexts } from './values.ts';

const createProduct = ({ state, parameters }: Call) => {
  const id = toText(parameters.id);
  if (state.books.products[id] !== undefined) throw createInvalid('resource_already_exists');
  const product = { id, name: toText(parameters.name), active: true };
  state.books.products[id] = product;
  return createProductObject(product);
};

const readProduct = ({ state, id }: Call) => {
  const product = state.books.products[id];
  if (product === undefined) throw createMissing();
  return createProductObject(product);
};

function createLine(state: FakeState, line: Readonly<Record<string, unknown>>) {
  const price = toRecord(line.price_data);
  const product = state.books.products[toText(price.product)];
  const amount = Number(price.unit_amount);
  if (product === undefined || !product.active) throw createInvalid('resource_missing');
  if (!Number.isInteger(amount)) throw createInvalid('parameter_invalid_integer');
  if (amount < 0) throw createInvalid('parameter_invalid_negative');
  return { description: product.name, amount: amount * Number(line.quantity ?? 1) };
}

const createQuote = ({ state, parameters, nowS }: Call) => {
  const customer = toText(parameters.customer);
  if (state.books.customers[customer] === undefined) throw createMissing();
  const expiresAt = Number(parameters.expires_at);
  if (expiresAt <= nowS) throw createInvalid('parameter_invalid_expires_at');
  const items = toItems(parameters.line_items);
  const quote: FakeQuote = {
    id: state.createId('qt'),
    customer,
    created: nowS,
    currency: toText(toRecord(items[0]?.price_data).currency),
    metadata: toTexts(parameters.metadata),
    lines: items.map((line) => createLine(state, line)),
    expiresAt,
    status: 'draft',
    invoice: null,
  };
  state.books.quotes[quote.id] = quote;
  return createQuoteObject(quote);
};

/** As it is now: one past its date is canceled. */
function getQuote({ state, id, nowS }: Call): FakeQuote {
  const quote = state.books.quotes[id];
  if (quote === undefined) throw createMissing();
  if ((quote.status === 'draft' || quote.status === 'open') && quote.expiresAt <= nowS)
    quote.status = 'canceled';
  return quote;
}

const finalizeQuote = (call: Call) => {
  const quote = getQuote(call);
  if (quote.status !== 'draft') throw createInvalid('quote_unexpected_state');
  quote.status = 'open';
  announce(call.state, 'quote.finalized', createQuoteObject(quote), call.nowS);
  return createQuoteObject(quote);
};

const cancelQuote = (call: Call) => {
  const quote = getQuote(call);
  if (quote.status !== 'draft' && quote.status !== 'open') throw createInvalid('quote_unexpected_state');
  quote.status = 'canceled';
  announce(call.state, 'quote.canceled', createQuoteObject(quote), call.nowS);
  return createQuoteObject(quote);
};

/** Its invoice is a draft over the same lines, without a number, and carries nothing of the quote's metadata. */
export function acceptQuote(state: FakeState, quote: FakeQuote, nowS: number): void {
  if (quote.status !== 'open') throw createInvalid('quote_unexpected_state');
  const id = state.createId('in');
  state.books.invoices[id] = {
    id,
    customer: quote.customer,
    created: nowS,
    currency: quote.currency,
    metadata: {},
    number: null,
    lines: quote.lines.map((line) => ({ ...line })),
    status: 'draft',
    amountPaid: 0,
    paymentIntent: null,
  };
  quote.status = 'accepted';
  quote.invoice = id;
  announce(state, 'quote.accepted', createQuoteObject(quote), nowS);
}

const accept = (call: Call) => {
  const quote = getQuote(call);
  acceptQuote(call.state, quote, call.nowS);
  return createQuoteObject(quote);
};

const listQuotes = ({ state, parameters }: Call) => {
  const all = Object.values(state.books.quotes)
    .filter(({ customer }) => customer === parameters.customer)
    .reverse();
  const start = all.findIndex(({ id }) => id === parameters.starting_after) + 1;
  const limit = Number(parameters.limit ?? 10);
  const page = all.slice(start, start + limit).map(createQuoteObject);
  return createListObject('/v1/quotes', page, all.length > start + limit);
};

/** Only an open or accepted quote has a document. */
const createQuotePdf = (call: Call) => {
  const quote = getQuote(call);
  if (quote.status === 'draft') throw createInvalid('quote_unexpected_state');
  return new TextEncoder().encode(`%PDF-1.7 quote ${quote.id} ${quote.status}`);
};

const QUOTE = String.raw`^/v1/quotes/(qt_\w+)`;

export const quoteRoutes: readonly Route[] = [
  createRoute('POST', /^\/v1\/products$/, 'ProductCreateParams', createProduct),
  createRoute('GET', /^\/v1\/products\/(\w+)$/, 'ProductRetrieveParams', readProduct),
  createRoute('POST', /^\/v1\/quotes$/, 'QuoteCreateParams', createQuote),
  createRoute('GET', /^\/v1\/quotes$/, 'QuoteListParams', listQuotes),
  createRoute('GET', new RegExp(`${QUOTE}$`), 'QuoteRetrieveParams', (call) =>
    createQuoteObject(getQuote(call)),
  ),
  createRoute('POST', new RegExp(`${QUOTE}/finalize$`), 'QuoteFinalizeQuoteParams', finalizeQuote),
  createRoute('POST', new RegExp(`${QUOTE}/accept$`), 'QuoteAcceptParams', accept),
  createRoute('POST', new RegExp(`${QUOTE}/cancel$`), 'QuoteCancelParams', cancelQuote),
  createRoute('GET', new RegExp(`${QUOTE}/pdf$`), 'QuotePdfParams', createQuotePdf),
];
