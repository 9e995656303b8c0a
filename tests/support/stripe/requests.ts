/** What the fake does with each request, once its form is known to be one that the SDK's types allow. */
import { quoteRoutes } from './quotes.ts';
import { announce, FakeRefusal, invalid, missing, route, text, type Call, type Route } from './route.ts';
import { itemsOf, textsOf } from './values.ts';
import { intentObject, invoiceObject, listObject, refundObject, tokenObject, totalOf } from './objects.ts';
import type { FakeInvoice, FakePaymentIntent, FakeState, FakeToken } from './state.ts';

function invoiceOf({ state, id }: Call): FakeInvoice {
  const invoice = state.books.invoices[id];
  if (invoice === undefined) throw missing();
  return invoice;
}

/** Somebody pays on the hosted page. False when it cannot be paid any more. */
export function payOnPage(state: FakeState, origin: string, id: string, nowS: number): boolean {
  const invoice = state.books.invoices[id];
  if (invoice === undefined || (invoice.status !== 'open' && invoice.status !== 'uncollectible'))
    return false;
  const amount = totalOf(invoice);
  const intent: FakePaymentIntent = {
    id: state.newId('pi'),
    created: nowS,
    amount,
    currency: invoice.currency,
    metadata: {},
    token: null,
    status: 'succeeded',
  };
  state.books.intents[intent.id] = intent;
  invoice.status = 'paid';
  invoice.amountPaid = amount;
  invoice.paidAt = nowS;
  invoice.paymentIntent = intent.id;
  announce(state, 'invoice.paid', invoiceObject(origin, invoice), nowS);
  state.save();
  return true;
}

const createCustomer = ({ state, parameters }: Call) => {
  const id = state.newId('cus');
  state.books.customers[id] = { id, name: text(parameters.name), metadata: textsOf(parameters.metadata) };
  return { ...state.books.customers[id], object: 'customer' };
};

const createInvoice = ({ state, origin, parameters, nowS }: Call) => {
  const customer = text(parameters.customer);
  if (state.books.customers[customer] === undefined) throw missing();
  if (Number(parameters.due_date) <= nowS) throw invalid('invalid_due_date');
  const invoice: FakeInvoice = {
    id: state.newId('in'),
    customer,
    created: nowS,
    currency: text(parameters.currency),
    metadata: textsOf(parameters.metadata),
    number: typeof parameters.number === 'string' ? parameters.number : null,
    lines: [],
    status: 'draft',
    amountPaid: 0,
    paymentIntent: null,
  };
  state.books.invoices[invoice.id] = invoice;
  announce(state, 'invoice.created', invoiceObject(origin, invoice), nowS);
  return invoiceObject(origin, invoice);
};

const addLines = (call: Call) => {
  const invoice = invoiceOf(call);
  if (invoice.status !== 'draft') throw invalid('invoice_not_editable');
  for (const line of itemsOf(call.parameters.lines)) {
    const amount = Number(line.amount);
    if (!Number.isInteger(amount)) throw invalid('parameter_invalid_integer');
    invoice.lines.push({ description: text(line.description), amount });
  }
  return invoiceObject(call.origin, invoice);
};

/** Of one that is no draft only the metadata can be changed. */
const updateInvoice = (call: Call) => {
  const invoice = invoiceOf(call);
  const { metadata, ...rest } = call.parameters;
  if (invoice.status !== 'draft' && Object.keys(rest).length > 0) throw invalid('invoice_not_editable');
  invoice.metadata = { ...invoice.metadata, ...textsOf(metadata) };
  if (typeof rest.number === 'string') invoice.number = rest.number;
  announce(call.state, 'invoice.updated', invoiceObject(call.origin, invoice), call.nowS);
  return invoiceObject(call.origin, invoice);
};

const finalizeInvoice = (call: Call) => {
  const invoice = invoiceOf(call);
  if (invoice.status !== 'draft') throw invalid('invoice_not_editable');
  invoice.status = totalOf(invoice) === 0 ? 'paid' : 'open';
  announce(call.state, 'invoice.finalized', invoiceObject(call.origin, invoice), call.nowS);
  return invoiceObject(call.origin, invoice);
};

const voidInvoice = (call: Call) => {
  const invoice = invoiceOf(call);
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible')
    throw invalid('status_transition_invalid');
  invoice.status = 'void';
  announce(call.state, 'invoice.voided', invoiceObject(call.origin, invoice), call.nowS);
  return invoiceObject(call.origin, invoice);
};

const OUTCOMES: Readonly<Record<FakeToken['behaviour'], FakePaymentIntent['status']>> = {
  pays: 'succeeded',
  declines: 'requires_payment_method',
  requires_action: 'requires_action',
};

/** As Stripe charges a shared payment token: within its limits, once. */
const createIntent = ({ state, parameters, nowS }: Call) => {
  const token = state.books.tokens[text(parameters.shared_payment_granted_token)];
  if (token === undefined) throw missing();
  const amount = Number(parameters.amount);
  if (parameters.confirm !== true) throw invalid('parameter_missing');
  if (!Number.isInteger(amount) || amount < 50) throw invalid('amount_too_small');
  if (parameters.currency !== token.currency) throw invalid('currency_mismatch');
  if (amount > token.maxAmount) throw invalid('amount_over_limit');
  if (token.expiresAt <= nowS) throw invalid('token_expired');
  if (token.deactivatedAt !== null) throw invalid('token_deactivated');
  const status = OUTCOMES[token.behaviour];
  const intent: FakePaymentIntent = {
    id: state.newId('pi'),
    created: nowS,
    amount,
    currency: token.currency,
    metadata: textsOf(parameters.metadata),
    token: token.id,
    status,
  };
  state.books.intents[intent.id] = intent;
  if (status === 'requires_payment_method') {
    throw new FakeRefusal(402, 'card_error', 'card_declined', { payment_intent: intentObject(intent) });
  }
  if (status === 'succeeded') {
    token.deactivatedAt = nowS;
    announce(state, 'payment_intent.succeeded', intentObject(intent), nowS);
  }
  return intentObject(intent);
};

const cancelIntent = ({ state, id }: Call) => {
  const intent = state.books.intents[id];
  if (intent === undefined) throw missing();
  if (intent.status === 'succeeded') throw invalid('payment_intent_unexpected_state');
  intent.status = 'canceled';
  return intentObject(intent);
};

const searchIntents = ({ state, parameters }: Call) => {
  const wanted = /^metadata\['(\w+)'\]:'([^']*)'$/.exec(text(parameters.query));
  if (wanted === null) throw invalid('invalid_query');
  const [, field = '', value = ''] = wanted;
  const data = Object.values(state.books.intents).filter(({ metadata }) => metadata[field] === value);
  return { ...listObject('/v1/payment_intents/search', data.map(intentObject)), object: 'search_result' };
};

const createRefund = ({ state, parameters, nowS }: Call) => {
  const intent = state.books.intents[text(parameters.payment_intent)];
  if (intent?.status !== 'succeeded') throw missing();
  const before = Object.values(state.books.refunds).filter(
    ({ paymentIntent }) => paymentIntent === intent.id,
  );
  const left = before.reduce((total, { amount }) => total - amount, intent.amount);
  const amount = Number(parameters.amount ?? left);
  if (amount > left) throw invalid('charge_already_refunded');
  const refund = {
    id: state.newId('re'),
    amount,
    currency: intent.currency,
    paymentIntent: intent.id,
    metadata: textsOf(parameters.metadata),
    created: nowS,
    status: 'succeeded' as const,
  };
  state.books.refunds[refund.id] = refund;
  return refundObject(refund);
};

const readToken = ({ state, id }: Call) => {
  const token = state.books.tokens[id];
  if (token === undefined) throw missing();
  return tokenObject(token);
};

export const routes: readonly Route[] = [
  ...quoteRoutes,
  route('POST', /^\/v1\/customers$/, 'CustomerCreateParams', createCustomer),
  route('POST', /^\/v1\/invoices$/, 'InvoiceCreateParams', createInvoice),
  route('GET', /^\/v1\/invoices\/(in_\w+)$/, 'InvoiceRetrieveParams', (call) =>
    invoiceObject(call.origin, invoiceOf(call)),
  ),
  route('POST', /^\/v1\/invoices\/(in_\w+)$/, 'InvoiceUpdateParams', updateInvoice),
  route('POST', /^\/v1\/invoices\/(in_\w+)\/add_lines$/, 'InvoiceAddLinesParams', addLines),
  route('POST', /^\/v1\/invoices\/(in_\w+)\/finalize$/, 'InvoiceFinalizeInvoiceParams', finalizeInvoice),
  route('POST', /^\/v1\/invoices\/(in_\w+)\/void$/, 'InvoiceVoidInvoiceParams', voidInvoice),
  route('POST', /^\/v1\/payment_intents$/, 'PaymentIntentCreateParams', createIntent),
  route('POST', /^\/v1\/payment_intents\/(pi_\w+)\/cancel$/, 'PaymentIntentCancelParams', cancelIntent),
  route('GET', /^\/v1\/payment_intents\/search$/, 'PaymentIntentSearchParams', searchIntents),
  route('POST', /^\/v1\/refunds$/, 'RefundCreateParams', createRefund),
  route('GET', /^\/v1\/shared_payment\/granted_tokens\/(spt_\w+)$/, null, readToken),
];
