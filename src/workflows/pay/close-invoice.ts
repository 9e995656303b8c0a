/** Staff close an invoice, here and at its processor. */
import type { Work, WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { labScope } from '#core/scope.ts';
import { findInvoice, type InvoiceRow } from '#features/invoices/store.ts';
import { buildInvoiceInfo } from '#features/invoices/wire.ts';
import { selectRefundsOfInvoice } from '#features/invoices/refunds/store.ts';
import { withdrawInvoiceAtProcessor } from '#features/payments/order-at-processor.ts';
import { closeInBooks, type End } from '#features/invoices/end-invoice.ts';
import type { HeldInvoice } from '#features/invoices/hold-invoice.ts';

/** Returns the invoice as the transaction has it now. Throws `invoice_not_found`. */
export async function requireInvoice(
  context: Pick<WriteContext, 'tx'>,
  invoiceId: string,
): Promise<InvoiceRow> {
  const invoice = await findInvoice(labScope, context.tx, invoiceId);
  if (invoice === undefined) throw fail('invoice_not_found');
  return invoice;
}

export async function showInvoice(context: WriteContext, invoiceId: string) {
  const refunds = await selectRefundsOfInvoice(labScope, context.tx, invoiceId);
  return buildInvoiceInfo(context.site, await requireInvoice(context, invoiceId), refunds);
}

/** Closes the invoice here and at the processor. */
export async function closeInvoice(
  context: Work & Pick<WriteContext, 'tx'>,
  held: HeldInvoice,
  how: End,
): Promise<void> {
  await closeInBooks(context, context.tx, held, how);
  await withdrawInvoiceAtProcessor(context, context.tx, held.invoice);
}
