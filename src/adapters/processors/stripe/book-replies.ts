/** The parts of Stripe's replies that the ledger check reads, validated like every other reply. */
import { Nullable, Type, type Static } from '#core/schema.ts';
import { check } from './replies.ts';

const metadata = Type.Optional(Nullable(Type.Record(Type.String(), Type.String())));
const amount = Type.Integer();
/** Seconds since 1970. */
const instant = Type.Integer({ minimum: 0 });

const BookedInvoice = Type.Object({
  id: Type.String({ pattern: '^in_' }),
  object: Type.Literal('invoice'),
  status: Nullable(Type.String()),
  currency: Type.String(),
  total: amount,
  amount_remaining: amount,
  created: instant,
  status_transitions: Type.Object({ paid_at: Nullable(instant) }),
  metadata,
});
export type BookedInvoice = Static<typeof BookedInvoice>;
export const isBookedInvoice = check(BookedInvoice);

const BookedIntent = Type.Object({
  id: Type.String({ pattern: '^pi_' }),
  object: Type.Literal('payment_intent'),
  status: Type.String(),
  amount_received: amount,
  currency: Type.String(),
  created: instant,
  metadata,
});
export type BookedIntent = Static<typeof BookedIntent>;
export const isBookedIntent = check(BookedIntent);

const BookedRefund = Type.Object({
  id: Type.String({ pattern: '^(re|pyr)_' }),
  object: Type.Literal('refund'),
  status: Nullable(Type.String()),
  amount,
  currency: Type.String(),
  created: instant,
  payment_intent: Nullable(Type.String()),
  metadata,
});
export type BookedRefund = Static<typeof BookedRefund>;
export const isBookedRefund = check(BookedRefund);

export const isBookedInvoiceList = check(defineList(BookedInvoice));
export const isBookedIntentList = check(defineList(BookedIntent));
export const isBookedRefundList = check(defineList(BookedRefund));

/** Replies that name the invoice of a payment intent. */
export const isPaidInvoiceList = check(
  defineList(Type.Object({ object: Type.Literal('invoice_payment'), invoice: Type.String() })),
);

function defineList<Item extends typeof BookedInvoice | ReturnType<typeof Type.Object>>(item: Item) {
  return Type.Object({ object: Type.Literal('list'), data: Type.Array(item), has_more: Type.Boolean() });
}
