/** A client accepts: quote, experiment, invoice and ledger change together, once. */
import { cents } from '#core/money.ts';
import type { Parties } from '#domain/billing/rules.ts';
import { fail } from '#core/failures.ts';
import type { Work, WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf, type Principal } from '#core/principal.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { lockExperiment, type ExperimentRow } from '#domain/experiments/store.ts';
import { dueDate, invoiceNumber } from '#domain/invoices/rules.ts';
import {
  finalizeInvoice,
  findInvoice,
  insertInvoice,
  markPaid,
  nextDocumentNumber,
  type InvoiceRow,
} from '#domain/invoices/store.ts';
import { finalizedEntries } from '#domain/ledger/rules.ts';
import { post } from '#domain/ledger/store.ts';
import { UNTAXED } from '#domain/pricing/totals.ts';
import type { confirmExperimentQuote, confirmQuote } from '#domain/quotes/contract.ts';
import { isShownToClients, quoteNotReady, refuseIfNotOpen } from '#domain/quotes/rules.ts';
import { findQuote, latestQuote, setQuoteStatus } from '#domain/quotes/store.ts';
import { hostedUrl, payUrl } from '#domain/invoices/wire.ts';
import { advance, announce } from './advance-experiment.ts';
import { presentParties, presentSeller } from './billing-profile.ts';
import { holdQuote, type HeldQuote } from '#workflows/hold-quote.ts';
import { chargeToken } from './charge-token.ts';
import { orderAtProcessor } from './order-at-processor.ts';
import { recognizeRevenue } from './recognize-revenue.ts';
import { scheduleLab } from './schedule-lab.ts';

export interface Acceptance {
  readonly purchaseOrderNumber?: string | null;
  readonly notes?: string | null;
  /** False leaves the invoice a draft that staff send later. */
  readonly finalize: boolean;
}

/** `POST /quotes/{quote_id}/confirm`. */
export async function confirmOpenQuote(input: Input<typeof confirmQuote>, context: WriteContext) {
  const scope = scopeOf(context.principal);
  const held = await holdQuote(scope, context.tx, input.params.quote_id);
  if (held === undefined || !isShownToClients(held.quote)) throw fail('quote_not_found');
  const accepted = await acceptQuote(context, scope, held, acceptanceOf(input.body));
  return accepted.response;
}

/** `POST /experiments/{experiment_id}/quote/confirm`. */
export async function confirmQuoteOfExperiment(
  input: Input<typeof confirmExperimentQuote>,
  context: WriteContext,
) {
  const scope = scopeOf(context.principal);
  const experiment = await lockExperiment(scope, context.tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const quote = await latestQuote(scope, context.tx, experiment.id);
  if (quote === undefined || quote.status === 'draft' || !isShownToClients(quote))
    throw quoteNotReady(experiment.status);
  const accepted = await acceptQuote(context, scope, { experiment, quote }, acceptanceOf(input.body));
  return accepted.response;
}

function acceptanceOf(body: Input<typeof confirmQuote>['body']): Acceptance {
  return {
    purchaseOrderNumber: body.purchase_order_number ?? null,
    notes: body.notes ?? null,
    finalize: true,
  };
}

/** The quote was read under the lock, so of many confirmations one comes first and the rest see it. */
export async function acceptQuote(
  work: Work & { readonly tx: Transaction; readonly principal: Principal },
  scope: OrganizationScope,
  { experiment, quote }: HeldQuote,
  acceptance: Acceptance,
) {
  const { tx } = work;
  const at = work.clock.now();
  refuseIfNotOpen(quote, at);
  await chargeToken(tx, work.principal, quote.total_cents);
  await setQuoteStatus(scope, tx, quote.id, {
    from: 'open',
    to: 'accepted',
    at,
    ...(acceptance.notes === null || acceptance.notes === undefined
      ? {}
      : { acceptanceNotes: acceptance.notes }),
  });
  const invoiceId = work.ids.uuid();
  await insertInvoice(scope, tx, {
    id: invoiceId,
    externalId: work.ids.externalInvoiceId(),
    experimentId: experiment.id,
    quoteId: quote.id,
    paymentMethod: experiment.payment_method,
    currency: quote.currency,
    lineItems: quote.line_items,
    subtotalCents: quote.subtotal_cents,
    taxCents: quote.tax_cents,
    totalCents: quote.total_cents,
    tax: quote.tax ?? UNTAXED,
    purchaseOrderNumber: acceptance.purchaseOrderNumber ?? null,
    createdAt: at,
  });
  const draft = { id: invoiceId, parties: quote.parties, quote_id: quote.id };
  const issued = acceptance.finalize ? await finalize(work, scope, experiment, draft) : undefined;
  const moved = await advance(work, tx, scope, experiment, {
    trigger: 'confirm_quote',
    actor: 'client',
    attempt: 'be confirmed',
    description: `Quote ${quote.quote_number} accepted.`,
  });
  await scheduleLab(work, tx, moved);
  const invoice = issued ?? (await presentInvoice(scope, tx, invoiceId));
  return { experiment: moved, invoice, response: confirmation(work, quote.id, invoice) };
}

async function presentInvoice(scope: OrganizationScope, tx: Transaction, id: string): Promise<InvoiceRow> {
  const invoice = await findInvoice(scope, tx, id);
  if (invoice === undefined) throw new Error('the invoice is not there after it was written');
  return invoice;
}

/** The buyer of a draft stands on it, or else on its quote. */
type DraftInvoice = Pick<InvoiceRow, 'id' | 'parties' | 'quote_id'>;

/** A draft invoice gets its number, its page and its place in the ledger; `reason` is why it is issued again. */
export async function finalize(
  work: Work & { readonly tx: Transaction },
  scope: OrganizationScope,
  experiment: ExperimentRow,
  draft: DraftInvoice,
  reason?: string,
): Promise<InvoiceRow> {
  const { tx } = work;
  const at = work.clock.now();
  const year = at.getUTCFullYear();
  const number = invoiceNumber(year, await nextDocumentNumber(tx, 'invoice', year));
  const invoiceId = draft.id;
  const parties = await partiesOf(work, scope, draft);
  await finalizeInvoice(scope, tx, invoiceId, {
    parties,
    invoiceNumber: number,
    hostedKey: work.ids.secret(),
    dueDate: dueDate(at),
    at,
  });
  const invoice = await presentInvoice(scope, tx, invoiceId);
  await post(scope, tx, {
    id: work.ids.uuid(),
    invoiceId,
    kind: 'invoice_finalized',
    rail: 'invoice',
    externalReference: invoice.external_id,
    currency: invoice.currency,
    entries: finalizedEntries(cents(invoice.subtotal_cents), cents(invoice.tax_cents)),
    postedAt: at,
  });
  if (invoice.total_cents > 0) await orderAtProcessor(work, tx, invoice);
  const replaced = invoice.replaces?.invoice_number ?? 'the voided draft';
  const description =
    invoice.replaces === null ? number : `${number} replaces ${replaced}. Reason: ${reason ?? 'not given'}`;
  await announce(work, tx, experiment, { type: 'invoice', name: 'Invoice open', description });
  const isDue = invoice.total_cents > 0;
  if (!isDue) await settleNothing(work, scope, experiment, invoice.id);
  // Work that was released before its invoice was sent is earned as soon as it is in the books.
  if (experiment.status === 'done') await recognizeRevenue(work, tx, invoice);
  return isDue ? invoice : presentInvoice(scope, tx, invoiceId);
}

/**
 * The seller of now, whose bank account it is; the buyer of the quote, whose tax the quote carries, or the one for
 * whom the invoice is issued again.
 */
async function partiesOf(
  { site, tx }: Work & { readonly tx: Transaction },
  scope: OrganizationScope,
  draft: DraftInvoice,
): Promise<Parties> {
  const agreed =
    draft.parties ??
    (await findQuote(scope, tx, draft.quote_id))?.parties ??
    (await presentParties(site, scope, tx));
  return { ...agreed, seller: presentSeller(site) };
}

/** A total of zero is paid as soon as it is due; no money moves and nothing is posted. */
async function settleNothing(
  work: Work & { readonly tx: Transaction },
  scope: OrganizationScope,
  experiment: ExperimentRow,
  invoiceId: string,
): Promise<void> {
  const reference = { type: 'nothing_due' };
  await markPaid(scope, work.tx, invoiceId, { amountCents: 0, reference, at: work.clock.now() });
  await scheduleLab(work, work.tx, experiment);
}

function confirmation(work: Work, quoteId: string, invoice: InvoiceRow) {
  const url = hostedUrl(work.site, invoice);
  const machine = invoice.payment_method !== 'async_invoice';
  const methods = ['async_invoice', ...work.site.machineMethods];
  return {
    id: quoteId,
    status: 'accepted' as const,
    invoice_id: invoice.id,
    hosted_invoice_url: url,
    payment: machine
      ? {
          kind: invoice.payment_method,
          pay_url: payUrl(work.site, invoice),
          methods,
        }
      : { kind: 'hosted_invoice', hosted_invoice_url: url, methods },
  };
}
