/** What can be read at the fake besides what it was just told: lists by page, and single objects. */
import {
  createIntentObject,
  createInvoiceObject,
  createInvoicePaymentObject,
  createListObject,
  createRefundObject,
} from './objects.ts';
import { createMissing, createRoute, toText, type Call, type Parameters, type Route } from './route.ts';
import { toTexts } from './values.ts';

/** The newest first, from after the given one; those that were created since a time. */
function createPage<Item extends { readonly id: string; readonly created: number }, Shown>(
  url: string,
  items: Readonly<Record<string, Item>>,
  { parameters }: { readonly parameters: Parameters },
  show: { readonly keep: (item: Item) => boolean; readonly as: (item: Item) => Shown },
) {
  const { gte = 0 } = toTexts(parameters.created);
  const all = Object.values(items)
    .filter((item) => item.created >= Number(gte) && show.keep(item))
    .reverse();
  const start = all.findIndex(({ id }) => id === parameters.starting_after) + 1;
  const limit = Number(parameters.limit ?? 10);
  const page = all.slice(start, start + limit).map((item) => show.as(item));
  return createListObject(url, page, all.length > start + limit);
}

const isAsked = (filter: unknown, value: string): boolean => filter === undefined || filter === value;

const listInvoices = (call: Call) => {
  const { customer, status } = call.parameters;
  return createPage('/v1/invoices', call.state.books.invoices, call, {
    keep: (invoice) => isAsked(customer, invoice.customer) && isAsked(status, invoice.status),
    as: (invoice) => createInvoiceObject(call.origin, invoice),
  });
};

const listIntents = (call: Call) =>
  createPage('/v1/payment_intents', call.state.books.intents, call, {
    keep: () => true,
    as: createIntentObject,
  });

const listRefunds = (call: Call) => {
  const { payment_intent: intent } = call.parameters;
  return createPage('/v1/refunds', call.state.books.refunds, call, {
    keep: ({ paymentIntent }) => isAsked(intent, paymentIntent),
    as: createRefundObject,
  });
};

/** By the invoice, or by the payment intent that paid it. */
const listInvoicePayments = ({ state, parameters }: Call) => {
  const intentId = toTexts(parameters.payment).payment_intent;
  const paid = Object.values(state.books.invoices).filter(
    ({ id, paymentIntent }) =>
      isAsked(parameters.invoice, id) && (intentId === undefined || intentId === paymentIntent),
  );
  const shown = paid.flatMap((invoice) =>
    invoice.paymentIntent === null ? [] : [createInvoicePaymentObject(state, invoice, invoice.paymentIntent)],
  );
  return createListObject('/v1/invoice_payments', shown);
};

const readIntent = ({ state, id }: Call) => {
  const intent = state.books.intents[id];
  if (intent === undefined) throw createMissing();
  return createIntentObject(intent);
};

const readRefund = ({ state, id }: Call) => {
  const refund = state.books.refunds[toText(id)];
  if (refund === undefined) throw createMissing();
  return createRefundObject(refund);
};

export const listings: readonly Route[] = [
  createRoute('GET', /^\/v1\/invoices$/, 'InvoiceListParams', listInvoices),
  createRoute('GET', /^\/v1\/invoice_payments$/, 'InvoicePaymentListParams', listInvoicePayments),
  createRoute('GET', /^\/v1\/payment_intents$/, 'PaymentIntentListParams', listIntents),
  createRoute('GET', /^\/v1\/payment_intents\/(pi_\w+)$/, 'PaymentIntentRetrieveParams', readIntent),
  createRoute('GET', /^\/v1\/refunds$/, 'RefundListParams', listRefunds),
  createRoute('GET', /^\/v1\/refunds\/(re_\w+)$/, 'RefundRetrieveParams', readRefund),
];
