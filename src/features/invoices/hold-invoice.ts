/** Locks an invoice and its experiment until the transaction ends. */
import { fail } from '#core/failures.ts';
import type { WriteContext } from '#core/context.ts';
import { labScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { lockExperiment, type ExperimentRow } from '../experiments/store.ts';
import { findInvoice, lockInvoice, type InvoiceRow } from './store.ts';

export interface HeldInvoice {
  readonly experiment: ExperimentRow;
  readonly invoice: InvoiceRow;
}

/** Locks are always taken experiment first, then invoice. Throws `invoice_not_found`. */
export async function holdInvoice(tx: Transaction, invoiceId: string): Promise<HeldInvoice> {
  const unlockedInvoice = await findInvoice(labScope, tx, invoiceId);
  if (unlockedInvoice === undefined) throw fail('invoice_not_found');
  const experiment = await lockExperiment(labScope, tx, unlockedInvoice.experiment_id);
  const invoice = await lockInvoice(labScope, tx, unlockedInvoice.id);
  if (experiment === undefined || invoice === undefined) throw fail('invoice_not_found');
  return { experiment, invoice };
}

/** Locks for a request of staff; its audit entry belongs to the organization of the invoice. */
export async function holdForStaff(context: WriteContext, invoiceId: string): Promise<HeldInvoice> {
  const heldInvoice = await holdInvoice(context.tx, invoiceId);
  context.setAuditOrganization(heldInvoice.invoice.organization_id);
  return heldInvoice;
}
