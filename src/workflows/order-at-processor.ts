/** What a processor is to do with an invoice, written down in the transaction that changes ours. */
import type { Work } from '#core/context.ts';
import { organizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import type { InvoiceRow } from '#domain/invoices/store.ts';
import { enqueue } from '#domain/jobs/store.ts';
import { hastenProcessorInvoice, wantProcessorInvoice } from '#domain/payments/processor-store.ts';

export const ATTEND_INVOICE = 'attend_processor_invoice';

type Named = Pick<InvoiceRow, 'id' | 'organization_id'>;

/** Part of opening a hosted invoice. An invoice of another rail gets no page anywhere, so nobody can pay it twice. */
export async function orderAtProcessor(
  work: Work,
  tx: Transaction,
  invoice: Named & Pick<InvoiceRow, 'payment_method'>,
): Promise<void> {
  if (invoice.payment_method !== 'async_invoice') return;
  const { processor } = work.site;
  const at = work.clock.now();
  const scope = organizationScope(invoice.organization_id);
  await wantProcessorInvoice(scope, tx, { invoiceId: invoice.id, processor, at });
  await attendSoon(work, tx, invoice);
}

/** Part of closing an invoice: its page at the processor is to go as well. */
export async function withdrawAtProcessor(work: Work, tx: Transaction, invoice: Named): Promise<void> {
  const scope = organizationScope(invoice.organization_id);
  if (await hastenProcessorInvoice(scope, tx, invoice.id, work.clock.now()))
    await attendSoon(work, tx, invoice);
}

async function attendSoon(work: Work, tx: Transaction, invoice: Named): Promise<void> {
  const at = work.clock.now();
  const payload = { invoice_id: invoice.id };
  await enqueue(
    organizationScope(invoice.organization_id),
    tx,
    { kind: ATTEND_INVOICE, payload, dueAt: at },
    at,
  );
}
