/**
 * Opens a draft invoice: from then on the client owes it.
 * This folder: an invoice from its opening to its payment or its end. Not here: how money is settled (`features/payments`).
 */
import type { Work } from '#core/context.ts';
import { toCents } from '#core/money.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import type { Parties } from '#features/billing/rules.ts';
import type { ExperimentRow } from '#features/experiments/store.ts';
import { requireCollection } from '#features/invoices/collection.ts';
import { computeDueDate, formatInvoiceNumber } from '#features/invoices/rules.ts';
import {
  finalizeInvoice,
  findInvoice,
  type InvoiceRow,
  markPaid,
  takeDocumentNumber,
} from '#features/invoices/store.ts';
import { buildFinalizedEntries } from '#features/ledger/rules.ts';
import { insertPosting } from '#features/ledger/store.ts';
import { findQuote } from '#features/quotes/store.ts';
import { describeInvoice } from '#features/updates/details.ts';
import { findParties, findSeller } from '#features/billing/billing-profile.ts';
import { addUpdate } from '#features/experiments/transition-experiment.ts';
import { scheduleLab } from '#features/runs/raw-files/schedule-lab.ts';
import { recognizeRevenue } from '#features/invoices/recognize-revenue.ts';
import { orderAtProcessor } from '#features/payments/order-at-processor.ts';

/** A draft's buyer is on the draft itself or on its quote. */
type DraftInvoice = Pick<InvoiceRow, 'id' | 'parties' | 'quote_id'>;

/**
 * Gives a draft invoice its number, its page and its postings; `reason` says why it is issued again. Throws
 * `payment_not_set_up` where nobody could pay it.
 */
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
  const number = formatInvoiceNumber(year, await takeDocumentNumber(tx, 'invoice', year));
  const invoiceId = draft.id;
  const parties = await chooseParties(work, scope, draft);
  await finalizeInvoice(scope, tx, invoiceId, {
    parties,
    invoice_number: number,
    hosted_key: work.ids.createSecret(),
    due_date: computeDueDate(at),
    at,
  });
  const invoice = await readWrittenInvoice(scope, tx, invoiceId);
  const isHosted = invoice.payment_method === 'async_invoice';
  if (isHosted && invoice.total_cents > 0) requireCollection(work.site, work.principal);
  await insertPosting(scope, tx, {
    id: work.ids.createUuid(),
    invoice_id: invoiceId,
    kind: 'invoice_finalized',
    rail: 'invoice',
    external_reference: invoice.external_id,
    currency: invoice.currency,
    entries: buildFinalizedEntries(toCents(invoice.subtotal_cents), toCents(invoice.tax_cents)),
    posted_at: at,
  });
  if (invoice.total_cents > 0) await orderAtProcessor(work, tx, invoice);
  const replaced = invoice.replaces?.invoice_number ?? 'the voided draft';
  const description =
    invoice.replaces === null ? number : `${number} replaces ${replaced}. Reason: ${reason ?? 'not given'}`;
  await addUpdate(work, tx, experiment, {
    event: 'invoice.opened',
    name: 'Invoice open',
    description,
    details: describeInvoice(invoice, { previous: 'draft', current: 'open' }),
  });
  const isDue = invoice.total_cents > 0;
  if (!isDue) await settleNothing(work, scope, experiment, invoice.id);
  // Work that was released before its invoice was sent becomes revenue as soon as the invoice is posted.
  if (experiment.status === 'done') await recognizeRevenue(work, tx, invoice);
  return isDue ? invoice : readWrittenInvoice(scope, tx, invoiceId);
}

/** Reads an invoice that was written in this transaction. */
export async function readWrittenInvoice(
  scope: OrganizationScope,
  tx: Transaction,
  id: string,
): Promise<InvoiceRow> {
  const invoice = await findInvoice(scope, tx, id);
  if (invoice === undefined) throw new Error('the invoice was not found after it was written');
  return invoice;
}

/**
 * Chooses the current seller, for the right bank account, and the buyer of the quote, whose tax the quote contains,
 * or the new buyer of an invoice issued again.
 */
async function chooseParties(
  { site, tx }: Work & { readonly tx: Transaction },
  scope: OrganizationScope,
  draft: DraftInvoice,
): Promise<Parties> {
  const agreed =
    draft.parties ??
    (await findQuote(scope, tx, draft.quote_id))?.parties ??
    (await findParties(site, scope, tx));
  return { ...agreed, seller: findSeller(site) };
}

/** An invoice over zero is paid when it is sent; no money moves and nothing is posted. */
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
