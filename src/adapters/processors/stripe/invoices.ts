/** Hosted invoices at Stripe. Our quote stays ours: Stripe would make an invoice of its own from an accepted quote. */
import type Stripe from 'stripe';
import { fail } from '#core/failures.ts';
import { after } from '#core/clock.ts';
import {
  ProcessorUnclearError,
  type FindOrder,
  type HostedProcessor,
  type InvoiceOrder,
  type ProcessorInvoice,
} from '#domain/payments/processor.ts';
import { ask } from './client.ts';
import { isCustomer, isInvoice, isInvoiceList, isNotice, type InvoiceReply } from './replies.ts';

export const STRIPE = 'stripe';
const TOLERANCE_S = 300;
const PAGE = 100;
/** Longer invoices are collected as one line: a processor's page is for paying, the lines are in our documents. */
const LINES_MAX = 100;
/** Our clock and theirs may differ by this much. */
const CLOCK_SKEW_MS = 3_600_000;

export function stripeInvoices(stripe: Stripe, webhookSecret: string): HostedProcessor {
  const look = async (id: string): Promise<InvoiceReply> =>
    ask('read invoice', isInvoice, () => stripe.invoices.retrieve(id));

  async function find(order: FindOrder): Promise<InvoiceReply | undefined> {
    if (order.attemptedAt === null) return undefined;
    const since = Math.floor(after(order.attemptedAt, -CLOCK_SKEW_MS).getTime() / 1000);
    const query = { customer: order.customerId, created: { gte: since }, limit: PAGE };
    let page = await ask('list invoices', isInvoiceList, () => stripe.invoices.list(query));
    for (;;) {
      const found = page.data.find(({ metadata }) => metadata?.invoice_id === order.invoiceId);
      const last = page.data.at(-1);
      if (found !== undefined || !page.has_more || last === undefined) return found;
      page = await ask('list invoices', isInvoiceList, () =>
        stripe.invoices.list({ ...query, starting_after: last.id }),
      );
    }
  }

  return {
    name: STRIPE,
    rail: STRIPE,
    signatureHeader: 'stripe-signature',
    async customerOf({ id, name }) {
      const customer = await ask('create customer', isCustomer, () =>
        stripe.customers.create(
          { name, metadata: { organization_id: id } },
          { idempotencyKey: `org:${id}:customer` },
        ),
      );
      return customer.id;
    },
    async issue(order) {
      const begun = (await find(order)) ?? (await create(stripe, order));
      const filled = begun.status === 'draft' ? await fill(stripe, order, begun) : begun;
      return seen(filled.status === 'draft' ? await open(stripe, order, filled) : filled);
    },
    async find(order) {
      const found = await find(order);
      return found === undefined ? undefined : seen(found);
    },
    look: async (providerId) => seen(await look(providerId)),
    async withdraw(providerId) {
      const invoice = await look(providerId);
      if (invoice.status === 'open' || invoice.status === 'uncollectible') {
        const key = { idempotencyKey: `${providerId}:void` };
        return seen(
          await ask('void invoice', isInvoice, () => stripe.invoices.voidInvoice(providerId, {}, key)),
        );
      }
      // A draft cannot be paid; it is opened first, because only an open invoice can become void.
      if (invoice.status === 'draft') {
        const key = { idempotencyKey: `${providerId}:open-to-void` };
        await ask('finalize invoice', isInvoice, () =>
          stripe.invoices.finalizeInvoice(providerId, { auto_advance: false }, key),
        );
        return this.withdraw(providerId);
      }
      return seen(invoice);
    },
    readNotice: (body, signature, at) => readNotice(stripe, webhookSecret, { body, signature, at }),
  };
}

async function create(stripe: Stripe, order: InvoiceOrder): Promise<InvoiceReply> {
  const fields = [{ name: 'Experiment', value: order.experimentCode }];
  if (order.purchaseOrderNumber !== null)
    fields.push({ name: 'Purchase order', value: clipped(order.purchaseOrderNumber, 140) });
  return ask('create invoice', isInvoice, () =>
    stripe.invoices.create(
      {
        customer: order.customerId,
        currency: order.currency,
        number: order.invoiceNumber,
        collection_method: 'send_invoice',
        due_date: Math.floor(order.dueAt.getTime() / 1000),
        auto_advance: false,
        pending_invoice_items_behavior: 'exclude',
        custom_fields: fields,
        metadata: { invoice_id: order.invoiceId, organization_id: order.organizationId },
      },
      { idempotencyKey: `inv:${order.invoiceId}:create` },
    ),
  );
}

async function fill(stripe: Stripe, order: InvoiceOrder, invoice: InvoiceReply): Promise<InvoiceReply> {
  if (invoice.lines.data.length > 0) return invoice;
  const lines =
    order.lines.length <= LINES_MAX
      ? order.lines
      : [{ description: `Experiment ${order.experimentCode}`, amountCents: order.totalCents }];
  return ask('add lines', isInvoice, () =>
    stripe.invoices.addLines(
      invoice.id,
      {
        lines: lines.map(({ description, amountCents }) => ({
          description: clipped(description, 500),
          amount: amountCents,
        })),
      },
      { idempotencyKey: `inv:${order.invoiceId}:lines` },
    ),
  );
}

/** Once open it can be paid, so its amount is compared with ours first. */
async function open(stripe: Stripe, order: InvoiceOrder, invoice: InvoiceReply): Promise<InvoiceReply> {
  if (invoice.total !== order.totalCents || invoice.currency !== order.currency) {
    throw new ProcessorUnclearError(
      `the draft holds ${invoice.total} ${invoice.currency}, owed are ${order.totalCents} ${order.currency}`,
    );
  }
  return ask('finalize invoice', isInvoice, () =>
    stripe.invoices.finalizeInvoice(
      invoice.id,
      { auto_advance: false },
      { idempotencyKey: `inv:${order.invoiceId}:finalize` },
    ),
  );
}

function seen(invoice: InvoiceReply): ProcessorInvoice {
  return {
    providerId: invoice.id,
    invoiceId: invoice.metadata?.invoice_id ?? null,
    status: invoice.status,
    currency: invoice.currency,
    totalCents: invoice.total,
    remainingCents: invoice.amount_remaining,
    hostedUrl: invoice.hosted_invoice_url ?? null,
    paymentId: invoice.status === 'paid' ? invoice.id : null,
  };
}

function readNotice(
  stripe: Stripe,
  secret: string,
  { body, signature, at }: { body: string; signature: string | undefined; at: Date },
) {
  const event = verified(stripe, secret, { body, signature, at });
  if (!isNotice(event)) throw fail('invalid_notification', {}, { detail: 'unexpected form' });
  const { object } = event.data;
  const isInvoice = object.object === 'invoice';
  return {
    id: event.id,
    type: event.type,
    providerId: isInvoice ? (object.id ?? null) : null,
    invoiceId: isInvoice ? (object.metadata?.invoice_id ?? null) : null,
  };
}

/** The signature comes first: nothing in an unsigned body is looked at. */
function verified(
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

function clipped(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
