/** What the fake does with each request, once its form is known to be one that the SDK's types allow. */
import { quoteRoutes } from './quotes.ts';
import {
  announce,
  FakeRefusal,
  createInvalid,
  createMissing,
  createRoute,
  toText,
  type Call,
  type Route,
} from './route.ts';
import { toItems, toTexts } from './values.ts';
import {
  createIntentObject,
  createInvoiceObject,
  createListObject,
  createRefundObject,
  createTokenObject,
  computeTotalCents,
} from './objects.ts';
import type { FakeInvoice, FakePaymentIntent, FakeState, FakeToken } from './state.ts';

function getInvoice({ state, id }: Call): FakeInvoice {
  const invoice = state.books.invoices[id];
  if (invoice === undefined) throw createMissing();
  return invoice;
}

/** Somebody pays on the hosted page. False when it cannot be paid any more. */
export function payOnPage(state: FakeState, origin: string, id: string, nowS: number): boolean {
  const invoice = state.books.invoices[id];
  if (invoice === undefined || (invoice.status !== 'open' && invoice.status !== 'uncollectible'))
    return false;
  const amount = computeTotalCents(invoice);
  const intent: FakePaymentIntent = {
    id: state.createId('pi'),
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
  announce(state, 'invoice.paid', createInvoiceObject(origin, invoice), nowS);
  state.save();
  return true;
}

const createCustomer = ({ state, parameters }: Call) => {
  const id = state.createId('cus');
  state.books.customers[id] = { id, name: toText(parameters.name), metadata: toTexts(parameters.metadata) };
  return { ...state.books.customers[id], object: 'customer' };
};

const createInvoice = ({ state, origin, parameters, nowS }: Call) => {
  const customer = toText(parameters.customer);
  if (state.books.customers[customer] === undefined) throw createMissing();
  if (Number(parameters.due_date) <= nowS) throw createInvalid('invalid_due_date');
  const invoice: FakeInvoice = {
    id: state.createId('in'),
    customer,
    created: nowS,
    currency: toText(parameters.currency),
    metadata: toTexts(parameters.metadata),
    number: typeof parameters.number === 'string' ? parameters.number : null,
    lines: [],
    status: 'draft',
    amountPaid: 0,
    paymentIntent: null,
  };
  state.books.invoices[invoice.id] = invoice;
  announce(state, 'invoice.created', createInvoiceObject(origin, invoice), nowS);
  return createInvoiceObject(origin, invoice);
};

const addLines = (call: Call) => {
  const invoice = getInvoice(call);
  if (invoice.status !== 'draft') throw createInvalid('invoice_not_editable');
  for (const line of toItems(call.parameters.lines)) {
    const amount = Number(line.amount);
    if (!Number.isInteger(amount)) throw createInvalid('parameter_invalid_integer');
    invoice.lines.push({ description: toText(line.description), amount });
  }
  return createInvoiceObject(call.origin, invoice);
};

/** Of one that is no draft only the metadata can be changed. */
const updateInvoice = (call: Call) => {
  const invoice = getInvoice(call);
  const { metadata, ...rest } = call.parameters;
  if (invoice.status !== 'draft' && Object.keys(rest).length > 0) throw createInvalid('invoice_not_editable');
  invoice.metadata = { ...invoice.metadata, ...toTexts(metadata) };
  if (typeof rest.number === 'string') invoice.number = rest.number;
  announce(call.state, 'invoice.updated', createInvoiceObject(call.origin, invoice), call.nowS);
  return createInvoiceObject(call.origin, invoice);
};

const finalizeInvoice = (call: Call) => {
  const invoice = getInvoice(call);
  if (invoice.status !== 'draft') throw createInvalid('invoice_not_editable');
  invoice.status = computeTotalCents(invoice) === 0 ? 'paid' : 'open';
  announce(call.state, 'invoice.finalized', createInvoiceObject(call.origin, invoice), call.nowS);
  return createInvoiceObject(call.origin, invoice);
};

const voidInvoice = (call: Call) => {
  const invoice = getInvoice(call);
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible')
    throw createInvalid('status_transition_invalid');
  invoice.status = 'void';
  announce(call.state, 'invoice.voided', createInvoiceObject(call.origin, invoice), call.nowS);
  return createInvoiceObject(call.origin, invoice);
};

const OUTCOMES: Readonly<Record<FakeToken['behavior'], FakePaymentIntent['status']>> = {
  pays: 'succeeded',
  declines: 'requires_payment_method',
  requires_action: 'requires_action',
};

/** As Stripe charges a shared payment token: within its limits, once. */
const createIntent = ({ state, parameters, nowS }: Call) => {
  const token = state.books.tokens[toText(parameters.shared_payment_granted_token)];
  if (token === undefined) throw createMissing();
  const amount = Number(parameters.amount);
  if (parameters.confirm !== true) throw createInvalid('parameter_missing');
  if (!Number.isInteger(amount) || amount < 50) throw createInvalid('amount_too_small');
  if (parameters.currency !== token.currency) throw createInvalid('currency_mismatch');
  if (amount > token.maxAmount) throw createInvalid('amount_over_limit');
  if (token.expiresAt <= nowS) throw createInvalid('token_expired');
  if (token.deactivatedAt !== null) throw createInvalid('token_deactivated');
  const status = OUTCOMES[token.behavior];
  const intent: FakePaymentIntent = {
    id: state.createId('pi'),
    created: nowS,
    amount,
    currency: token.currency,
    metadata: toTexts(parameters.metadata),
    token: token.id,
    status,
  };
  state.books.intents[intent.id] = intent;
  if (status === 'requires_payment_method') {
    throw new FakeRefusal(402, 'card_error', 'card_declined', { payment_intent: createIntentObject(intent) });
  }
  if (status === 'succeeded') {
    token.deactivatedAt = nowS;
    announce(state, 'payment_intent.succeeded', createIntentObject(intent), nowS);
  }
  return createIntentObject(intent);
};

const cancelIntent = ({ state, id }: Call) => {
  const intent = state.books.intents[id];
  if (intent === undefined) throw createMissing();
  if (intent.status === 'succeeded') throw createInvalid('payment_intent_unexpected_state');
  intent.status = 'canceled';
  return createIntentObject(intent);
};

const searchIntents = ({ state, parameters }: Call) => {
  const match = /^metadata\['(\w+)'\]:'([^']*)'$/.exec(toText(parameters.query));
  if (match === null) throw createInvalid('invalid_query');
  const [, field = '', value = ''] = match;
  const data = Object.values(state.books.intents).filter(({ metadata }) => metadata[field] === value);
  return {
    ...createListObject('/v1/payment_intents/search', data.map(createIntentObject)),
    object: 'search_result',
  };
};

const createRefund = ({ state, parameters, nowS }: Call) => {
  const intent = state.books.intents[toText(parameters.payment_intent)];
  if (intent?.status !== 'succeeded') throw createMissing();
  const before = Object.values(state.books.refunds).filter(
    ({ paymentIntent }) => paymentIntent === intent.id,
  );
  const left = before.reduce((total, { amount }) => total - amount, intent.amount);
  const amount = Number(parameters.amount ?? left);
  if (amount > left) throw createInvalid('charge_already_refunded');
  const refund = {
    id: state.createId('re'),
    amount,
    currency: intent.currency,
    paymentIntent: intent.id,
    metadata: toTexts(parameters.metadata),
    created: nowS,
    status: 'succeeded' as const,
  };
  state.books.refunds[refund.id] = refund;
  return createRefundObject(refund);
};

const readToken = ({ state, id }: Call) => {
  const token = state.books.tokens[id];
  if (token === undefined) throw createMissing();
  return createTokenObject(token);
};

export const routes: readonly Route[] = [
  ...quoteRoutes,
  createRoute('POST', /^\/v1\/customers$/, 'CustomerCreateParams', createCustomer),
  createRoute('POST', /^\/v1\/invoices$/, 'InvoiceCreateParams', createInvoice),
  createRoute('GET', /^\/v1\/invoices\/(in_\w+)$/, 'InvoiceRetrieveParams', (call) =>
    createInvoiceObject(call.origin, getInvoice(call)),
  ),
  createRoute('POST', /^\/v1\/invoices\/(in_\w+)$/, 'InvoiceUpdateParams', updateInvoice),
  createRoute('POST', /^\/v1\/invoices\/(in_\w+)\/add_lines$/, 'InvoiceAddLinesParams', addLines),
  createRoute(
    'POST',
    /^\/v1\/invoices\/(in_\w+)\/finalize$/,
    'InvoiceFinalizeInvoiceParams',
    finalizeInvoice,
  ),
  createRoute('POST', /^\/v1\/invoices\/(in_\w+)\/void$/, 'InvoiceVoidInvoiceParams', voidInvoice),
  createRoute('POST', /^\/v1\/payment_intents$/, 'PaymentIntentCreateParams', createIntent),
  createRoute('POST', /^\/v1\/payment_intents\/(pi_\w+)\/cancel$/, 'PaymentIntentCancelParams', cancelIntent),
  createRoute('GET', /^\/v1\/payment_intents\/search$/, 'PaymentIntentSearchParams', searchIntents),
  createRoute('POST', /^\/v1\/refunds$/, 'RefundCreateParams', createRefund),
  createRoute('GET', /^\/v1\/shared_payment\/granted_tokens\/(spt_\w+)$/, null, readToken),
];
