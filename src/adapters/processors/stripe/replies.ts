/** Schemas of the parts of Stripe's replies that are used; each reply is checked against them. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Nullable, Type, type Static, type TSchema } from '#core/schema.ts';

// Our own schemas need no check at each start.
const ajv = new Ajv2020({ strict: false, validateSchema: false });

export function check<Schema extends TSchema>(schema: Schema): (reply: unknown) => reply is Static<Schema> {
  const isValid = ajv.compile(schema);
  return (reply): reply is Static<Schema> => isValid(reply);
}

const metadata = Type.Optional(Nullable(Type.Record(Type.String(), Type.String())));
const text = Type.Optional(Nullable(Type.String()));
const amount = Type.Integer();

const CustomerReply = Type.Object({
  id: Type.String({ pattern: '^cus_' }),
  object: Type.Literal('customer'),
});
export const isCustomer = check(CustomerReply);

const InvoiceReply = Type.Object({
  id: Type.String({ pattern: '^in_' }),
  object: Type.Literal('invoice'),
  status: Type.Union(
    (['draft', 'open', 'paid', 'void', 'uncollectible'] as const).map((status) => Type.Literal(status)),
  ),
  currency: Type.String(),
  total: amount,
  amount_remaining: amount,
  number: text,
  hosted_invoice_url: text,
  invoice_pdf: text,
  metadata,
  lines: Type.Object({ data: Type.Array(Type.Object({})) }),
});
export type InvoiceReply = Static<typeof InvoiceReply>;
export const isInvoice = check(InvoiceReply);

export const isInvoiceList = check(
  Type.Object({ object: Type.Literal('list'), data: Type.Array(InvoiceReply), has_more: Type.Boolean() }),
);

export const isProduct = check(
  Type.Object({ id: Type.String(), object: Type.Literal('product'), active: Type.Literal(true) }),
);

const QuoteReply = Type.Object({
  id: Type.String({ pattern: '^qt_' }),
  object: Type.Literal('quote'),
  status: Type.Union(
    (['draft', 'open', 'accepted', 'canceled'] as const).map((status) => Type.Literal(status)),
  ),
  created: Type.Integer(),
  currency: Nullable(Type.String()),
  amount_total: amount,
  invoice: Nullable(Type.String({ pattern: '^in_' })),
  metadata,
});
export type QuoteReply = Static<typeof QuoteReply>;
export const isQuote = check(QuoteReply);

export const isQuoteList = check(
  Type.Object({ object: Type.Literal('list'), data: Type.Array(QuoteReply), has_more: Type.Boolean() }),
);

const PaymentIntentReply = Type.Object({
  id: Type.String({ pattern: '^pi_' }),
  object: Type.Literal('payment_intent'),
  status: Type.String(),
  amount,
  amount_received: amount,
  currency: Type.String(),
  metadata,
});
export type PaymentIntentReply = Static<typeof PaymentIntentReply>;
export const isPaymentIntent = check(PaymentIntentReply);

export const isPaymentIntentSearch = check(
  Type.Object({ object: Type.Literal('search_result'), data: Type.Array(PaymentIntentReply) }),
);

export const isInvoicePaymentList = check(
  Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(
      Type.Object({
        object: Type.Literal('invoice_payment'),
        status: Type.String(),
        amount_paid: Nullable(amount),
        payment: Type.Object({ type: Type.String(), payment_intent: Type.Optional(Type.String()) }),
      }),
    ),
  }),
);

const RefundReply = Type.Object({
  id: Type.String({ pattern: '^(re|pyr)_' }),
  object: Type.Literal('refund'),
  amount,
  currency: Type.String(),
  status: Nullable(Type.String()),
  metadata,
});
export type RefundReply = Static<typeof RefundReply>;
export const isRefund = check(RefundReply);

export const isRefundList = check(
  Type.Object({ object: Type.Literal('list'), data: Type.Array(RefundReply) }),
);

/** A granted token as its seller sees it; a charge is checked against its limits. */
const GrantedTokenReply = Type.Object({
  id: Type.String({ pattern: '^spt_' }),
  object: Type.Literal('shared_payment.granted_token'),
  deactivated_at: Nullable(Type.Integer()),
  usage_limits: Type.Object({ currency: Type.String(), max_amount: amount, expires_at: Type.Integer() }),
});
export const isGrantedToken = check(GrantedTokenReply);

const NoticeReply = Type.Object({
  id: Type.String({ pattern: '^evt_', maxLength: 100 }),
  type: Type.String({ maxLength: 100 }),
  data: Type.Object({
    object: Type.Object({ id: Type.Optional(Type.String()), object: Type.String(), metadata }),
  }),
});
export const isNotice = check(NoticeReply);
