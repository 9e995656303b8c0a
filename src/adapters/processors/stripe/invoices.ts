/** Hosted invoices at Stripe: made from Stripe's copy of the quote, or without one. */
import type Stripe from 'stripe';
import { fail } from '#core/failures.ts';
import { addMs } from '#core/clock.ts';
import {
  ProcessorRefusedError,
  ProcessorUnclearError,
  type FindOrder,
  type HostedProcessor,
  type InvoiceOrder,
  type ProcessorInvoice,
} from '#features/payments/processor.ts';
import { STRIPE } from '#features/payments/rules.ts';
import { toSafeAddress } from './addresses.ts';
import { ask, clipText, CLOCK_SKEW_MS, PAGE, type StripeSettings } from './client.ts';
import { isCustomer, isInvoice, isInvoiceList, isNotice, type InvoiceReply } from './replies.ts';

const TOLERANCE_S = 300;
/** Longer invoices become one line: the processor's page is for paying, and our documents have the lines. */
const LINES_MAX = 100;

export function createStripeInvoices(
  stripe: Stripe,
  { webhookSecret, apiBase }: Pick<StripeSettings, 'webhookSecret' | 'apiBase'>,
  { attempt, quotes, documents }: Pick<HostedProcessor, 'attempt' | 'quotes' | 'documents'>,
): HostedProcessor {
  const toSeen = (invoice: InvoiceReply): ProcessorInvoice => toProcessorInvoice(invoice, apiBase);
  const look = async (id: string): Promise<InvoiceReply> =>
    ask('read invoice', isInvoice, () => stripe.invoices.retrieve(id));

  async function find(order: FindOrder): Promise<InvoiceReply | undefined> {
    if (order.attempted_at === null) return undefined;
    const since = Math.floor(addMs(order.attempted_at, -CLOCK_SKEW_MS).getTime() / 1000);
    const query = { customer: order.customer_id, created: { gte: since }, limit: PAGE };
    let page = await ask('list invoices', isInvoiceList, () => stripe.invoices.list(query));
    for (;;) {
      const invoice = page.data.find(({ metadata }) => metadata?.invoice_id === order.invoice_id);
      const last = page.data.at(-1);
      if (invoice !== undefined || !page.has_more || last === undefined) return invoice;
      page = await ask('list invoices', isInvoiceList, () =>
        stripe.invoices.list({ ...query, starting_after: last.id }),
      );
    }
  }

  return {
    name: STRIPE,
    rail: STRIPE,
    signatureHeader: 'stripe-signature',
    async ensureCustomer({ id, name }) {
      const customer = await ask('create customer', isCustomer, () =>
        stripe.customers.create(
          { name, metadata: { organization_id: id } },
          { idempotencyKey: `org:${id}:customer` },
        ),
      );
      return customer.id;
    },
    async issue(order) {
      const invoice =
        (await find(order)) ?? (await claimBegunInvoice(stripe, order)) ?? (await create(stripe, order));
      const filled = invoice.status === 'draft' ? await fill(stripe, order, invoice) : invoice;
      refuseOtherSum(order, filled);
      return toSeen(filled.status === 'draft' ? await open(stripe, order, filled) : filled);
    },
    async find(order) {
      const invoice = await find(order);
      return invoice === undefined ? undefined : toSeen(invoice);
    },
    look: async (providerId) => toSeen(await look(providerId)),
    withdraw: async (invoice) => toSeen(await withdraw(stripe, invoice)),
    attempt,
    quotes,
    documents,
    readNotice: (body, signature, at) => readNotice(stripe, webhookSecret, { body, signature, at }),
  };
}

async function withdraw(
  stripe: Stripe,
  { providerId, invoiceId }: { readonly providerId: string; readonly invoiceId: string },
): Promise<InvoiceReply> {
  const stripeInvoice = await ask('read invoice', isInvoice, () => stripe.invoices.retrieve(providerId));
  // An invoice that was made from a quote does not have our id yet.
  const invoice =
    stripeInvoice.metadata?.invoice_id === invoiceId
      ? stripeInvoice
      : await mark(stripe, stripeInvoice, invoiceId);
  if (invoice.status === 'open' || invoice.status === 'uncollectible') {
    const key = { idempotencyKey: `${providerId}:void` };
    return ask('void invoice', isInvoice, () => stripe.invoices.voidInvoice(providerId, {}, key));
  }
  if (invoice.status !== 'draft') return invoice;
  // Stripe voids only open invoices, so a draft is finalized first.
  const key = { idempotencyKey: `${providerId}:open-to-void` };
  await ask('finalize invoice', isInvoice, () =>
    stripe.invoices.finalizeInvoice(providerId, { auto_advance: false }, key),
  );
  return withdraw(stripe, { providerId, invoiceId });
}

async function create(stripe: Stripe, order: InvoiceOrder): Promise<InvoiceReply> {
  return ask('create invoice', isInvoice, () =>
    stripe.invoices.create(
      {
        ...buildHead(order),
        customer: order.customer_id,
        currency: order.currency,
        collection_method: 'send_invoice',
        pending_invoice_items_behavior: 'exclude',
      },
      { idempotencyKey: `inv:${order.invoice_id}:create` },
    ),
  );
}

function buildHead(order: InvoiceOrder) {
  const fields = [{ name: 'Experiment', value: order.experiment_code }];
  if (order.purchase_order_number !== null)
    fields.push({ name: 'Purchase order', value: clipText(order.purchase_order_number, 140) });
  return {
    number: order.invoice_number,
    due_date: Math.floor(order.due_at.getTime() / 1000),
    auto_advance: false,
    custom_fields: fields,
    metadata: { invoice_id: order.invoice_id, organization_id: order.organization_id },
  };
}

/**
 * Adopts the invoice that Stripe made from a quote. Returns undefined when it cannot be used: there is none, or
 * staff have removed or voided it at Stripe. An invoice that staff finalized there keeps its number; it is adopted if
 * it has our total.
 */
async function claimBegunInvoice(stripe: Stripe, order: InvoiceOrder): Promise<InvoiceReply | undefined> {
  const { begun_id: begunId } = order;
  if (begunId === null) return undefined;
  const begunInvoice = await ask('read invoice', isInvoice, () => stripe.invoices.retrieve(begunId)).catch(
    (error: unknown) => {
      if (error instanceof ProcessorRefusedError) return undefined;
      throw error;
    },
  );
  if (begunInvoice === undefined || begunInvoice.status === 'void') return undefined;
  if (begunInvoice.status !== 'draft') return mark(stripe, begunInvoice, order.invoice_id);
  return ask('update invoice', isInvoice, () => stripe.invoices.update(begunInvoice.id, buildHead(order)));
}

async function mark(stripe: Stripe, invoice: InvoiceReply, invoiceId: string): Promise<InvoiceReply> {
  return ask('update invoice', isInvoice, () =>
    stripe.invoices.update(invoice.id, { metadata: { invoice_id: invoiceId } }),
  );
}

async function fill(stripe: Stripe, order: InvoiceOrder, invoice: InvoiceReply): Promise<InvoiceReply> {
  if (invoice.lines.data.length > 0) return invoice;
  const lines =
    order.lines.length <= LINES_MAX
      ? order.lines
      : [{ description: `Experiment ${order.experiment_code}`, amountCents: order.total_cents }];
  return ask('add lines', isInvoice, () =>
    stripe.invoices.addLines(
      invoice.id,
      {
        lines: lines.map(({ description, amountCents }) => ({
          description: clipText(description, 500),
          amount: amountCents,
        })),
      },
      { idempotencyKey: `inv:${order.invoice_id}:lines` },
    ),
  );
}

/** An open invoice can be paid, so its amount is compared with ours before it is opened. */
function refuseOtherSum(order: InvoiceOrder, { id, total, currency }: InvoiceReply): void {
  if (total === order.total_cents && currency === order.currency) return;
  throw new ProcessorUnclearError(
    `the total of ${id} is ${total} ${currency}, but ${order.total_cents} ${order.currency} are owed`,
  );
}

async function open(stripe: Stripe, order: InvoiceOrder, invoice: InvoiceReply): Promise<InvoiceReply> {
  return ask('finalize invoice', isInvoice, () =>
    stripe.invoices.finalizeInvoice(
      invoice.id,
      { auto_advance: false },
      { idempotencyKey: `inv:${order.invoice_id}:finalize` },
    ),
  );
}

function toProcessorInvoice(invoice: InvoiceReply, apiBase: string | null): ProcessorInvoice {
  return {
    provider_id: invoice.id,
    invoice_id: invoice.metadata?.invoice_id ?? null,
    status: invoice.status,
    currency: invoice.currency,
    total_cents: invoice.total,
    remaining_cents: invoice.amount_remaining,
    hosted_url: toSafeAddress(invoice.hosted_invoice_url, apiBase),
    payment_id: invoice.status === 'paid' ? invoice.id : null,
  };
}

function readNotice(
  stripe: Stripe,
  secret: string,
  { body, signature, at }: { body: string; signature: string | undefined; at: Date },
) {
  const event = verifyEvent(stripe, secret, { body, signature, at });
  if (!isNotice(event)) throw fail('invalid_notification', {}, { detail: 'unexpected form' });
  const { object } = event.data;
  const isInvoice = object.object === 'invoice';
  return {
    id: event.id,
    type: event.type,
    providerId: isInvoice ? (object.id ?? null) : null,
    invoiceId: isInvoice ? (object.metadata?.invoice_id ?? null) : null,
    isPaymentFailure: event.type === 'invoice.payment_failed',
  };
}

/** The signature is checked first: nothing in an unsigned body is read. */
function verifyEvent(
  stripe: Stripe,
  secret: string,
  { body, signature, at }: { body: string; signature: string | undefined; at: Date },
): unknown {
  try {
    return stripe.webhooks.constructEvent(
      body,
      signature ?? '',
      secret,
      TOLERANCE_S,
      undefined,
      at.getTime(),
    );
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'no readable signature';
    throw fail('invalid_notification', {}, { detail, cause: error });
  }
}
