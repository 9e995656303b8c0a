/**
 * Stripe as an outside book for the ledger check: paid invoices, succeeded payment intents and refunds, each with our
 * ids. A refund that staff made at Stripe by hand has no id of ours; it is traced through its payment. Disputes are not read.
 */
import type Stripe from 'stripe';
import { addMs, DAY_MS } from '#core/clock.ts';
import { toExact, type BookEntry, type Movement, type OutsideBook } from '#features/ledger/outside-book.ts';
import { ProcessorRefusedError } from '#features/payments/processor.ts';
import { SHARED_TOKEN_RAIL } from '#features/payments/shared-token-rail.ts';
import { STRIPE } from '#features/payments/rules.ts';
import {
  isBookedIntent,
  isBookedIntentList,
  isBookedInvoice,
  isBookedInvoiceList,
  isBookedRefund,
  isBookedRefundList,
  isPaidInvoiceList,
  type BookedIntent,
  type BookedInvoice,
  type BookedRefund,
} from './book-replies.ts';
import { ask, createStripe, type StripeSettings } from './client.ts';

const PAGE = 100;
/** Invoices are listed by creation time, and may be paid much later. */
const PAID_WITHIN_MS = 180 * DAY_MS;
const REFERENCE = /^(?:in|pi|re|pyr)_(?!test_)\w{1,250}$/;

export function createStripeBook(
  settings: StripeSettings & { readonly networkId: string | null },
): OutsideBook {
  const stripe = createStripe(settings);
  const rails = settings.networkId === null ? [STRIPE] : [STRIPE, SHARED_TOKEN_RAIL];
  return {
    name: 'Stripe',
    rails,
    isOwnEntry: ({ rail, reference }) => rails.includes(rail) && REFERENCE.test(reference),
    async lookUp(entry) {
      const movement = await lookUp(stripe, entry).catch((error: unknown) => {
        // Stripe rejects a question for an unknown id: there is no such object.
        if (error instanceof ProcessorRefusedError) return undefined;
        throw error;
      });
      return movement === undefined ? [] : [movement];
    },
    async *listMovements(since) {
      yield* listPaidInvoices(stripe, since);
      if (settings.networkId !== null) yield* listCharges(stripe, since);
      yield* listRefunds(stripe, since);
    },
  };
}

async function lookUp(stripe: Stripe, { reference }: BookEntry): Promise<Movement> {
  if (reference.startsWith('in_'))
    return buildInvoiceMovement(
      await ask('read invoice', isBookedInvoice, () => stripe.invoices.retrieve(reference)),
    );
  if (reference.startsWith('pi_'))
    return buildIntentMovement(
      await ask('read charge', isBookedIntent, () => stripe.paymentIntents.retrieve(reference)),
    );
  return buildRefundMovement(
    await ask('read refund', isBookedRefund, () => stripe.refunds.retrieve(reference)),
    { rail: null, invoice_id: null },
  );
}

interface Page<Item> {
  readonly data: readonly Item[];
  readonly has_more: boolean;
}

async function* readPages<Item extends { readonly id: string }>(
  list: (from: { readonly limit: number; readonly starting_after?: string }) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  let page = await list({ limit: PAGE });
  for (;;) {
    yield page.data;
    const last = page.data.at(-1);
    if (!page.has_more || last === undefined) return;
    page = await list({ limit: PAGE, starting_after: last.id });
  }
}

const toSeconds = (instant: Date): number => Math.floor(instant.getTime() / 1_000);
const toInstant = (seconds: number): Date => new Date(seconds * 1_000);

async function* listPaidInvoices(stripe: Stripe, since: Date): AsyncGenerator<readonly Movement[]> {
  const created = { gte: toSeconds(addMs(since, -PAID_WITHIN_MS)) };
  const list = (from: object) =>
    ask('list invoices', isBookedInvoiceList, () =>
      stripe.invoices.list({ status: 'paid', created, ...from }),
    );
  for await (const page of readPages(list))
    yield page
      .filter(({ metadata, total }) => metadata?.invoice_id !== undefined && total > 0)
      .map(buildInvoiceMovement)
      .filter(({ at }) => at >= since);
}

async function* listCharges(stripe: Stripe, since: Date): AsyncGenerator<readonly Movement[]> {
  const list = (from: object) =>
    ask('list charges', isBookedIntentList, () =>
      stripe.paymentIntents.list({ created: { gte: toSeconds(since) }, ...from }),
    );
  for await (const page of readPages(list))
    yield page
      .filter(({ metadata, status }) => metadata?.invoice_id !== undefined && status === 'succeeded')
      .map(buildIntentMovement);
}

async function* listRefunds(stripe: Stripe, since: Date): AsyncGenerator<readonly Movement[]> {
  const list = (from: object) =>
    ask('list refunds', isBookedRefundList, () =>
      stripe.refunds.list({ created: { gte: toSeconds(since) }, ...from }),
    );
  for await (const page of readPages(list)) {
    const ours: Movement[] = [];
    for (const refund of page) {
      const owner = await findOwner(stripe, refund);
      if (owner !== undefined) ours.push(buildRefundMovement(refund, owner));
    }
    yield ours;
  }
}

interface Owner {
  readonly rail: string | null;
  readonly invoice_id: string | null;
}

/** Finds the payment that a refund returns; undefined when the account has it for another purpose. */
async function findOwner(
  stripe: Stripe,
  { metadata, payment_intent: intentId }: BookedRefund,
): Promise<Owner | undefined> {
  if (metadata?.refund_id !== undefined) return { rail: null, invoice_id: null };
  if (intentId === null) return undefined;
  const intent = await ask('read charge', isBookedIntent, () => stripe.paymentIntents.retrieve(intentId));
  const charged = intent.metadata?.invoice_id;
  if (charged !== undefined) return { rail: SHARED_TOKEN_RAIL, invoice_id: charged };
  const payment = { type: 'payment_intent', payment_intent: intentId } as const;
  const { data } = await ask('list payments', isPaidInvoiceList, () =>
    stripe.invoicePayments.list({ payment, limit: 1 }),
  );
  const [paid] = data;
  if (paid === undefined) return undefined;
  const invoice = await ask('read invoice', isBookedInvoice, () => stripe.invoices.retrieve(paid.invoice));
  const id = invoice.metadata?.invoice_id;
  return id === undefined ? undefined : { rail: STRIPE, invoice_id: id };
}

function buildInvoiceMovement(invoice: BookedInvoice): Movement {
  const isPaid = invoice.status === 'paid' && invoice.amount_remaining === 0;
  return {
    rail: STRIPE,
    direction: 'received',
    reference: invoice.id,
    party: null,
    amount: toExact(invoice.total),
    currency: invoice.currency,
    at: toInstant(invoice.status_transitions.paid_at ?? invoice.created),
    state: isPaid ? 'settled' : 'failed',
    invoice_id: invoice.metadata?.invoice_id ?? null,
    refund_id: null,
  };
}

function buildIntentMovement(intent: BookedIntent): Movement {
  return {
    rail: SHARED_TOKEN_RAIL,
    direction: 'received',
    reference: intent.id,
    party: null,
    amount: toExact(intent.amount_received),
    currency: intent.currency,
    at: toInstant(intent.created),
    state: intent.status === 'succeeded' ? 'settled' : 'failed',
    invoice_id: intent.metadata?.invoice_id ?? null,
    refund_id: null,
  };
}

function buildRefundMovement(refund: BookedRefund, owner: Owner): Movement {
  const { status } = refund;
  return {
    ...owner,
    direction: 'sent_back',
    reference: refund.id,
    party: null,
    amount: toExact(refund.amount),
    currency: refund.currency,
    at: toInstant(refund.created),
    state:
      status === 'succeeded'
        ? 'settled'
        : status === 'failed' || status === 'canceled'
          ? 'failed'
          : 'under_way',
    refund_id: refund.metadata?.refund_id ?? null,
  };
}
