/** What can be read at the fake besides what it was just told: lists by page, and single objects. */
import { intentObject, invoiceObject, invoicePaymentObject, listObject, refundObject } from './objects.ts';
import { missing, route, text, type Call, type Parameters, type Route } from './route.ts';
import { textsOf } from './values.ts';

/** The newest first, from after the given one; those that were created since a time. */
function pageOf<Item extends { readonly id: string; readonly created: number }, Shown>(
  url: string,
  items: Readonly<Record<string, Item>>,
  { parameters }: { readonly parameters: Parameters },
  show: { readonly keep: (item: Item) => boolean; readonly as: (item: Item) => Shown },
) {
  const { gte = 0 } = textsOf(parameters.created);
  const all = Object.values(items)
    .filter((item) => item.created >= Number(gte) && show.keep(item))
    .reverse();
  const start = all.findIndex(({ id }) => id === parameters.starting_after) + 1;
  const limit = Number(parameters.limit ?? 10);
  const page = all.slice(start, start + limit).map((item) => show.as(item));
  return listObject(url, page, all.length > start + limit);
}

const isAsked = (wanted: unknown, value: string): boolean => wanted === undefined || wanted === value;

const listInvoices = (call: Call) => {
  const { customer, status } = call.parameters;
  return pageOf('/v1/invoices', call.state.books.invoices, call, {
    keep: (invoice) => isAsked(customer, invoice.customer) && isAsked(status, invoice.status),
    as: (invoice) => invoiceObject(call.origin, invoice),
  });
};

const listIntents = (call: Call) =>
  pageOf('/v1/payment_intents', call.state.books.intents, call, { keep: () => true, as: intentObject });

const listRefunds = (call: Call) => {
  const { payment_intent: intent } = call.parameters;
  return pageOf('/v1/refunds', call.state.books.refunds, call, {
    keep: ({ paymentIntent }) => isAsked(intent, paymentIntent),
    as: refundObject,
  });
};

/** By the invoice, or by the payment intent that paid it. */
const listInvoicePayments = ({ state, parameters }: Call) => {
  const wanted = textsOf(parameters.payment).payment_intent;
  const paid = Object.values(state.books.invoices).filter(
    ({ id, paymentIntent }) =>
      isAsked(parameters.invoice, id) && (wanted === undefined || wanted === paymentIntent),
  );
  const shown = paid.flatMap((invoice) =>
    invoice.paymentIntent === null ? [] : [invoicePaymentObject(state, invoice, invoice.paymentIntent)],
  );
  return listObject('/v1/invoice_payments', shown);
};

const readIntent = ({ state, id }: Call) => {
  const intent = state.books.intents[id];
  if (intent === undefined) throw missing();
  return intentObject(intent);
};

const readRefund = ({ state, id }: Call) => {
  const refund = state.books.refunds[text(id)];
  if (refund === undefined) throw missing();
  return refundObject(refund);
};

export const listings: readonly Route[] = [
  route('GET', /^\/v1\/invoices$/, 'InvoiceListParams', listInvoices),
  route('GET', /^\/v1\/invoice_payments$/, 'InvoicePaymentListParams', listInvoicePayments),
  route('GET', /^\/v1\/payment_intents$/, 'PaymentIntentListParams', listIntents),
  route('GET', /^\/v1\/payment_intents\/(pi_\w+)$/, 'PaymentIntentRetrieveParams', readIntent),
  route('GET', /^\/v1\/refunds$/, 'RefundListParams', listRefunds),
  route('GET', /^\/v1\/refunds\/(re_\w+)$/, 'RefundRetrieveParams', readRefund),
];
