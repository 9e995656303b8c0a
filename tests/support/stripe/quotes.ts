/** Products and quotes of the fake, with the invoice that comes of an accepted one. */
import { quoteObject, listObject, productObject } from './objects.ts';
import { announce, invalid, missing, route, text, type Call, type Route } from './route.ts';
import type { FakeQuote, FakeState } from './state.ts';
import { itemsOf, recordOf, textsOf } from './values.ts';

const createProduct = ({ state, parameters }: Call) => {
  const id = text(parameters.id);
  if (state.books.products[id] !== undefined) throw invalid('resource_already_exists');
  const product = { id, name: text(parameters.name), active: true };
  state.books.products[id] = product;
  return productObject(product);
};

const readProduct = ({ state, id }: Call) => {
  const product = state.books.products[id];
  if (product === undefined) throw missing();
  return productObject(product);
};

function lineOf(state: FakeState, line: Readonly<Record<string, unknown>>) {
  const price = recordOf(line.price_data);
  const product = state.books.products[text(price.product)];
  const amount = Number(price.unit_amount);
  if (product === undefined || !product.active) throw invalid('resource_missing');
  if (!Number.isInteger(amount)) throw invalid('parameter_invalid_integer');
  if (amount < 0) throw invalid('parameter_invalid_negative');
  return { description: product.name, amount: amount * Number(line.quantity ?? 1) };
}

const createQuote = ({ state, parameters, nowS }: Call) => {
  const customer = text(parameters.customer);
  if (state.books.customers[customer] === undefined) throw missing();
  const expiresAt = Number(parameters.expires_at);
  if (expiresAt <= nowS) throw invalid('parameter_invalid_expires_at');
  const items = itemsOf(parameters.line_items);
  const quote: FakeQuote = {
    id: state.newId('qt'),
    customer,
    created: nowS,
    currency: text(recordOf(items[0]?.price_data).currency),
    metadata: textsOf(parameters.metadata),
    lines: items.map((line) => lineOf(state, line)),
    expiresAt,
    status: 'draft',
    invoice: null,
  };
  state.books.quotes[quote.id] = quote;
  return quoteObject(quote);
};

/** As it is now: one past its date is canceled. */
function quoteOf({ state, id, nowS }: Call): FakeQuote {
  const quote = state.books.quotes[id];
  if (quote === undefined) throw missing();
  if ((quote.status === 'draft' || quote.status === 'open') && quote.expiresAt <= nowS)
    quote.status = 'canceled';
  return quote;
}

const finalizeQuote = (call: Call) => {
  const quote = quoteOf(call);
  if (quote.status !== 'draft') throw invalid('quote_unexpected_state');
  quote.status = 'open';
  announce(call.state, 'quote.finalized', quoteObject(quote), call.nowS);
  return quoteObject(quote);
};

const cancelQuote = (call: Call) => {
  const quote = quoteOf(call);
  if (quote.status !== 'draft' && quote.status !== 'open') throw invalid('quote_unexpected_state');
  quote.status = 'canceled';
  announce(call.state, 'quote.canceled', quoteObject(quote), call.nowS);
  return quoteObject(quote);
};

/** Its invoice is a draft over the same lines, without a number, and carries nothing of the quote's metadata. */
export function acceptQuote(state: FakeState, quote: FakeQuote, nowS: number): void {
  if (quote.status !== 'open') throw invalid('quote_unexpected_state');
  const id = state.newId('in');
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
  announce(state, 'quote.accepted', quoteObject(quote), nowS);
}

const accept = (call: Call) => {
  const quote = quoteOf(call);
  acceptQuote(call.state, quote, call.nowS);
  return quoteObject(quote);
};

const listQuotes = ({ state, parameters }: Call) => {
  const all = Object.values(state.books.quotes)
    .filter(({ customer }) => customer === parameters.customer)
    .reverse();
  const start = all.findIndex(({ id }) => id === parameters.starting_after) + 1;
  const limit = Number(parameters.limit ?? 10);
  const page = all.slice(start, start + limit).map(quoteObject);
  return listObject('/v1/quotes', page, all.length > start + limit);
};

/** Only an open or accepted quote has a document. */
const quotePdf = (call: Call) => {
  const quote = quoteOf(call);
  if (quote.status === 'draft') throw invalid('quote_unexpected_state');
  return new TextEncoder().encode(`%PDF-1.7 quote ${quote.id} ${quote.status}`);
};

const QUOTE = String.raw`^/v1/quotes/(qt_\w+)`;

export const quoteRoutes: readonly Route[] = [
  route('POST', /^\/v1\/products$/, 'ProductCreateParams', createProduct),
  route('GET', /^\/v1\/products\/(\w+)$/, 'ProductRetrieveParams', readProduct),
  route('POST', /^\/v1\/quotes$/, 'QuoteCreateParams', createQuote),
  route('GET', /^\/v1\/quotes$/, 'QuoteListParams', listQuotes),
  route('GET', new RegExp(`${QUOTE}$`), 'QuoteRetrieveParams', (call) => quoteObject(quoteOf(call))),
  route('POST', new RegExp(`${QUOTE}/finalize$`), 'QuoteFinalizeQuoteParams', finalizeQuote),
  route('POST', new RegExp(`${QUOTE}/accept$`), 'QuoteAcceptParams', accept),
  route('POST', new RegExp(`${QUOTE}/cancel$`), 'QuoteCancelParams', cancelQuote),
  route('GET', new RegExp(`${QUOTE}/pdf$`), 'QuotePdfParams', quotePdf),
];
