/**
 * The records of the fake Stripe as the JSON objects of its API. `satisfies` has the compiler compare them with the types
 * of the SDK. Amounts are in cents, times in seconds since 1970.
 */
import type Stripe from 'stripe';
import type { FakeInvoice, FakePaymentIntent, FakeQuote, FakeRefund, FakeState, FakeToken } from './state.ts';

export function computeTotalCents({ lines }: Pick<FakeQuote, 'lines'>): number {
  return lines.reduce((total, { amount }) => total + amount, 0);
}

export function createInvoiceObject(origin: string, invoice: FakeInvoice) {
  const total = computeTotalCents(invoice);
  const isFinal = invoice.status !== 'draft';
  return {
    id: invoice.id,
    object: 'invoice',
    amount_due: total,
    amount_paid: invoice.amountPaid,
    amount_remaining: total - invoice.amountPaid,
    total,
    currency: invoice.currency,
    customer: invoice.customer,
    created: invoice.created,
    collection_method: 'send_invoice',
    hosted_invoice_url: isFinal ? (invoice.page ?? `${origin}/i/${invoice.id}`) : null,
    invoice_pdf: isFinal ? (invoice.pdf ?? `${origin}/i/${invoice.id}/pdf`) : null,
    livemode: false,
    metadata: invoice.metadata,
    number: invoice.number,
    status: invoice.status,
    status_transitions: {
      finalized_at: isFinal ? invoice.created : null,
      marked_uncollectible_at: null,
      paid_at: invoice.paidAt ?? null,
      voided_at: null,
    },
    lines: createListObject(
      `/v1/invoices/${invoice.id}/lines`,
      invoice.lines.map((line, index) => ({
        id: `il_${invoice.id.slice(3)}${index}`,
        object: 'line_item' as const,
        amount: line.amount,
        description: line.description,
        currency: invoice.currency,
      })),
    ),
  } satisfies Partial<Omit<Stripe.Invoice, 'lines'>> & {
    lines: { data: readonly Partial<Stripe.InvoiceLineItem>[] };
  };
}

export function createQuoteObject(quote: FakeQuote) {
  const total = computeTotalCents(quote);
  return {
    id: quote.id,
    object: 'quote',
    amount_subtotal: total,
    amount_total: total,
    collection_method: 'send_invoice',
    created: quote.created,
    currency: quote.currency,
    customer: quote.customer,
    expires_at: quote.expiresAt,
    invoice: quote.invoice,
    livemode: false,
    metadata: quote.metadata,
    number: quote.status === 'draft' ? null : `QT-${quote.id.slice(-8)}-1`,
    status: quote.status,
  } satisfies Partial<Stripe.Quote>;
}

export function createProductObject(product: { id: string; name: string; active: boolean }) {
  return { ...product, object: 'product', livemode: false } satisfies Partial<Stripe.Product>;
}

export function createIntentObject(intent: FakePaymentIntent) {
  return {
    id: intent.id,
    object: 'payment_intent',
    amount: intent.amount,
    amount_received: intent.status === 'succeeded' ? intent.amount : 0,
    created: intent.created,
    currency: intent.currency,
    livemode: false,
    metadata: intent.metadata,
    status: intent.status,
  } satisfies Partial<Stripe.PaymentIntent>;
}

export function createRefundObject(refund: FakeRefund) {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    currency: refund.currency,
    payment_intent: refund.paymentIntent,
    metadata: refund.metadata,
    created: refund.created,
    status: refund.status,
  } satisfies Partial<Stripe.Refund>;
}

export function createInvoicePaymentObject(state: FakeState, invoice: FakeInvoice, intent: string) {
  return {
    id: `inpay_${intent.slice(3)}`,
    object: 'invoice_payment',
    amount_paid: invoice.amountPaid,
    amount_requested: invoice.amountPaid,
    created: state.books.intents[intent]?.created ?? 0,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { type: 'payment_intent', payment_intent: intent },
    status: 'paid',
  } satisfies Partial<Stripe.InvoicePayment>;
}

/** The SDK has no type of granted tokens, which are a preview. */
export function createTokenObject(token: FakeToken) {
  return {
    id: token.id,
    object: 'shared_payment.granted_token',
    deactivated_at: token.deactivatedAt,
    livemode: false,
    usage_limits: { currency: token.currency, max_amount: token.maxAmount, expires_at: token.expiresAt },
  };
}

export function createListObject<Item>(url: string, data: readonly Item[], hasMore = false) {
  return { object: 'list', url, has_more: hasMore, data };
}
