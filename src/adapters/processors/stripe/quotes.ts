/**
 * Copies of our quotes at Stripe. A line there is a product with a price, so each text is a product, identified by
 * its digest. Only creations need an idempotency key: a repeated change finds the quote changed already, and a stored
 * failure must not prevent the invoice. Finalizing and accepting quotes is a paid option of a live Stripe account;
 * without it Stripe rejects the requests, and our quotes have no copies.
 */
import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { addMs, type Clock } from '#core/clock.ts';
import {
  ProcessorRefusedError,
  ProcessorUnclearError,
  type ProcessorQuote,
  type ProcessorQuotes,
  type QuoteOrder,
} from '#features/payments/processor.ts';
import { ask, clipText, CLOCK_SKEW_MS, PAGE } from './client.ts';
import { isProduct, isQuote, isQuoteList, type QuoteReply } from './replies.ts';

/** A longer quote, or one with a discount, becomes one line, because Stripe has no negative prices. */
const LINES_MAX = 20;
const NAME_MAX = 250;
const DAYS_UNTIL_DUE = 30;

export function createStripeQuotes(stripe: Stripe, clock: Clock): ProcessorQuotes {
  const products = createProductLookup(stripe);
  const look = async (id: string): Promise<QuoteReply> =>
    ask('read quote', isQuote, () => stripe.quotes.retrieve(id));

  async function openQuote(order: QuoteOrder, known: QuoteReply | undefined): Promise<QuoteReply> {
    const quote = known ?? (await create(stripe, order, await prepareLines(order, products), clock.now()));
    return quote.status === 'draft' ? finalize(stripe, order, quote) : quote;
  }

  return {
    open: async (order) => toProcessorQuote(await openQuote(order, await find(stripe, order))),
    async accept(order) {
      const stripeQuote =
        order.providerId === null ? await find(stripe, order) : await look(order.providerId);
      const quote = await openQuote(order, stripeQuote);
      if (quote.status !== 'open') return toProcessorQuote(quote);
      const accepted = ask('accept quote', isQuote, () => stripe.quotes.accept(quote.id));
      return toProcessorQuote(
        await accepted.catch(async (error: unknown) => {
          if (!(error instanceof ProcessorRefusedError)) throw error;
          // The invoice is made without this quote, so staff must not accept it at Stripe later.
          return cancel(stripe, await look(quote.id));
        }),
      );
    },
    cancel: async (providerId) => toProcessorQuote(await cancel(stripe, await look(providerId))),
    async find(order) {
      const quote = await find(stripe, order);
      return quote === undefined ? undefined : toProcessorQuote(quote);
    },
  };
}

async function find(
  stripe: Stripe,
  order: Pick<QuoteOrder, 'quote_id' | 'customer_id' | 'attempted_at'>,
): Promise<QuoteReply | undefined> {
  if (order.attempted_at === null) return undefined;
  const since = Math.floor(addMs(order.attempted_at, -CLOCK_SKEW_MS).getTime() / 1000);
  const query = { customer: order.customer_id, limit: PAGE };
  let page = await ask('list quotes', isQuoteList, () => stripe.quotes.list(query));
  for (;;) {
    const quote = page.data.find(({ metadata }) => metadata?.quote_id === order.quote_id);
    const last = page.data.at(-1);
    // The list has the newest first.
    if (quote !== undefined || !page.has_more || last === undefined || last.created < since) return quote;
    page = await ask('list quotes', isQuoteList, () =>
      stripe.quotes.list({ ...query, starting_after: last.id }),
    );
  }
}

type Line = Stripe.QuoteCreateParams.LineItem;

async function prepareLines(order: QuoteOrder, products: Products): Promise<Line[]> {
  const isPlain = order.lines.length <= LINES_MAX && order.lines.every(({ amountCents }) => amountCents >= 0);
  const lines = isPlain
    ? order.lines
    : [{ description: `Experiment ${order.experiment_code}`, amountCents: order.total_cents }];
  const stripeLines: Line[] = [];
  for (const { description, amountCents } of lines) {
    const product = await products(clipText(description, NAME_MAX));
    stripeLines.push({
      price_data: { currency: order.currency, product, unit_amount: amountCents },
      quantity: 1,
    });
  }
  return stripeLines;
}

type Products = (name: string) => Promise<string>;

/** Makes the product of a text unless it exists; known products are not asked for again. */
function createProductLookup(stripe: Stripe): Products {
  const seenIds = new Set<string>();
  return async (name) => {
    const id = `assayer_${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
    if (seenIds.has(id)) return id;
    try {
      await ask('create product', isProduct, () => stripe.products.create({ id, name }));
    } catch (error) {
      if (!(error instanceof ProcessorRefusedError)) throw error;
      await ask('read product', isProduct, () => stripe.products.retrieve(id));
    }
    seenIds.add(id);
    return id;
  };
}

async function create(
  stripe: Stripe,
  order: QuoteOrder,
  lines: readonly Line[],
  now: Date,
): Promise<QuoteReply> {
  if (order.expires_at <= now) throw new ProcessorRefusedError('the quote is past its date');
  return ask('create quote', isQuote, () =>
    stripe.quotes.create(
      {
        customer: order.customer_id,
        collection_method: 'send_invoice',
        invoice_settings: { days_until_due: DAYS_UNTIL_DUE },
        expires_at: Math.floor(order.expires_at.getTime() / 1000),
        header: order.quote_number,
        description: `Quote ${order.quote_number} for experiment ${order.experiment_code}`,
        line_items: [...lines],
        metadata: { quote_id: order.quote_id, organization_id: order.organization_id },
      },
      { idempotencyKey: `quote:${order.quote_id}:create` },
    ),
  );
}

/** A client may see an open quote, so its amount is compared with ours before it is opened. */
async function finalize(stripe: Stripe, order: QuoteOrder, quote: QuoteReply): Promise<QuoteReply> {
  if (quote.amount_total !== order.total_cents || quote.currency !== order.currency) {
    throw new ProcessorUnclearError(
      `the total of the draft is ${quote.amount_total} ${quote.currency ?? ''}, ours is ${order.total_cents} ${order.currency}`,
    );
  }
  return ask('finalize quote', isQuote, () => stripe.quotes.finalizeQuote(quote.id)).catch(
    async (error: unknown) => {
      if (!(error instanceof ProcessorRefusedError)) throw error;
      // Another attempt may have opened it since it was read.
      const current = await ask('read quote', isQuote, () => stripe.quotes.retrieve(quote.id));
      if (current.status === 'draft') throw error;
      return current;
    },
  );
}

async function cancel(stripe: Stripe, quote: QuoteReply): Promise<QuoteReply> {
  if (quote.status !== 'draft' && quote.status !== 'open') return quote;
  return ask('cancel quote', isQuote, () => stripe.quotes.cancel(quote.id));
}

function toProcessorQuote(quote: QuoteReply): ProcessorQuote {
  return { providerId: quote.id, status: quote.status, providerInvoiceId: quote.invoice };
}
