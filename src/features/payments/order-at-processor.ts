/** Schedules what the processor has to do for a quote or an invoice, in the transaction that changes ours. */
import type { Work } from '#core/context.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import type { InvoiceRow } from '../invoices/store.ts';
import { enqueue } from '../jobs/store.ts';
import {
  makeProcessorQuoteDue,
  insertProcessorQuote,
  makeProcessorInvoiceDue,
  insertProcessorInvoice,
} from './processor-store.ts';

export const ATTEND_INVOICE = 'attend_processor_invoice';
export const ATTEND_QUOTE = 'attend_processor_quote';

interface Owned {
  readonly id: string;
  readonly organization_id: string;
}

/** Part of opening a hosted invoice. An invoice of another rail gets no payment page, so a client cannot pay it twice. */
export async function orderAtProcessor(
  work: Work,
  tx: Transaction,
  invoice: Owned & Pick<InvoiceRow, 'payment_method'>,
): Promise<void> {
  if (invoice.payment_method !== 'async_invoice') return;
  const { processor } = work.site;
  const at = work.clock.now();
  const scope = createOrganizationScope(invoice.organization_id);
  await insertProcessorInvoice(scope, tx, { invoice_id: invoice.id, processor, at });
  await enqueueNow(work, tx, invoice, ATTEND_INVOICE);
}

/**
 * Part of closing an invoice: its page at the processor is withdrawn, and so is a quote that was not accepted there.
 */
export async function withdrawInvoiceAtProcessor(
  work: Work,
  tx: Transaction,
  invoice: Owned & Pick<InvoiceRow, 'quote_id'>,
): Promise<void> {
  const scope = createOrganizationScope(invoice.organization_id);
  await withdrawQuoteAtProcessor(work, tx, {
    id: invoice.quote_id,
    organization_id: invoice.organization_id,
  });
  if (await makeProcessorInvoiceDue(scope, tx, invoice.id, work.clock.now()))
    await enqueueNow(work, tx, invoice, ATTEND_INVOICE);
}

/** Part of opening a quote. A quote on a machine rail or over nothing is not copied to a processor. */
export async function mirrorQuote(
  work: Work,
  tx: Transaction,
  quote: Owned & { readonly payment_method: InvoiceRow['payment_method'] },
): Promise<void> {
  if (!work.site.mirrorsQuotes || quote.payment_method !== 'async_invoice') return;
  const at = work.clock.now();
  const order = { quote_id: quote.id, processor: work.site.processor, at };
  const scope = createOrganizationScope(quote.organization_id);
  if (await insertProcessorQuote(scope, tx, order)) await enqueueNow(work, tx, quote, ATTEND_QUOTE);
}

/** Part of ending an open quote: its copy at the processor is withdrawn, so that nobody accepts it there. */
export async function withdrawQuoteAtProcessor(work: Work, tx: Transaction, quote: Owned): Promise<void> {
  const scope = createOrganizationScope(quote.organization_id);
  if (await makeProcessorQuoteDue(scope, tx, quote.id, work.clock.now()))
    await enqueueNow(work, tx, quote, ATTEND_QUOTE);
}

async function enqueueNow(
  work: Work,
  tx: Transaction,
  subject: Owned,
  kind: typeof ATTEND_INVOICE | typeof ATTEND_QUOTE,
): Promise<void> {
  const at = work.clock.now();
  const payload = kind === ATTEND_QUOTE ? { quote_id: subject.id } : { invoice_id: subject.id };
  await enqueue(createOrganizationScope(subject.organization_id), tx, { kind, payload, dueAt: at }, at);
}
