/** Records the processor's task for a quote or an invoice, in the transaction that changes ours. */
import type { Work } from '#core/context.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import type { InvoiceRow } from '#domain/invoices/store.ts';
import { enqueue } from '#domain/jobs/store.ts';
import { hastenProcessorQuote, insertProcessorQuote } from '#domain/payments/processor-quote-store.ts';
import { hastenProcessorInvoice, insertProcessorInvoice } from '#domain/payments/processor-store.ts';

export const ATTEND_INVOICE = 'attend_processor_invoice';
export const ATTEND_QUOTE = 'attend_processor_quote';

interface Named {
  readonly id: string;
  readonly organization_id: string;
}

/** Part of opening a hosted invoice. An invoice of another rail gets no payment page, so a client cannot pay it twice. */
export async function orderAtProcessor(
  work: Work,
  tx: Transaction,
  invoice: Named & Pick<InvoiceRow, 'payment_method'>,
): Promise<void> {
  if (invoice.payment_method !== 'async_invoice') return;
  const { processor } = work.site;
  const at = work.clock.now();
  const scope = createOrganizationScope(invoice.organization_id);
  await insertProcessorInvoice(scope, tx, { invoiceId: invoice.id, processor, at });
  await attendSoon(work, tx, invoice, ATTEND_INVOICE);
}

/**
 * Part of closing an invoice: its page at the processor is withdrawn, and so is a quote that was not accepted there.
 */
export async function withdrawAtProcessor(
  work: Work,
  tx: Transaction,
  invoice: Named & Pick<InvoiceRow, 'quote_id'>,
): Promise<void> {
  const scope = createOrganizationScope(invoice.organization_id);
  await hastenQuoteEnd(work, tx, { id: invoice.quote_id, organization_id: invoice.organization_id });
  if (await hastenProcessorInvoice(scope, tx, invoice.id, work.clock.now()))
    await attendSoon(work, tx, invoice, ATTEND_INVOICE);
}

/** Part of opening a quote. A quote on a machine rail or over nothing is not copied to a processor. */
export async function mirrorQuote(
  work: Work,
  tx: Transaction,
  quote: Named & { readonly payment_method: InvoiceRow['payment_method'] },
): Promise<void> {
  if (!work.site.mirrorsQuotes || quote.payment_method !== 'async_invoice') return;
  const at = work.clock.now();
  const order = { quoteId: quote.id, processor: work.site.processor, at };
  const scope = createOrganizationScope(quote.organization_id);
  if (await insertProcessorQuote(scope, tx, order)) await attendSoon(work, tx, quote, ATTEND_QUOTE);
}

/** Part of ending an open quote, for every caller. */
export async function hastenQuoteEnd(work: Work, tx: Transaction, quote: Named): Promise<void> {
  const scope = createOrganizationScope(quote.organization_id);
  if (await hastenProcessorQuote(scope, tx, quote.id, work.clock.now()))
    await attendSoon(work, tx, quote, ATTEND_QUOTE);
}

async function attendSoon(
  work: Work,
  tx: Transaction,
  subject: Named,
  kind: typeof ATTEND_INVOICE | typeof ATTEND_QUOTE,
): Promise<void> {
  const at = work.clock.now();
  const payload = kind === ATTEND_QUOTE ? { quote_id: subject.id } : { invoice_id: subject.id };
  await enqueue(createOrganizationScope(subject.organization_id), tx, { kind, payload, dueAt: at }, at);
}
