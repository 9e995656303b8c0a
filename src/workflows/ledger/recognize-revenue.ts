import type { Work } from '#core/context.ts';
import { organizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { findInvoiceOfExperiment, type InvoiceRow } from '#domain/invoices/store.ts';
import { recognizedEntries } from '#domain/ledger/rules.ts';
import { invoiceBalances, post } from '#domain/ledger/store.ts';

/** Recognizes the deferred revenue of an invoice, because its work was released. */
export async function recognizeRevenueOf(
  work: Work,
  tx: Transaction,
  experiment: { readonly id: string; readonly organization_id: string },
): Promise<void> {
  const scope = organizationScope(experiment.organization_id);
  const invoice = await findInvoiceOfExperiment(scope, tx, experiment.id);
  if (invoice !== undefined) await recognizeRevenue(work, tx, invoice);
}

export async function recognizeRevenue(work: Work, tx: Transaction, invoice: InvoiceRow): Promise<void> {
  const scope = organizationScope(invoice.organization_id);
  await post(scope, tx, {
    id: work.ids.uuid(),
    invoiceId: invoice.id,
    kind: 'revenue_recognized',
    rail: 'invoice',
    externalReference: `revenue:${invoice.external_id}`,
    currency: invoice.currency,
    entries: recognizedEntries(await invoiceBalances(scope, tx, invoice.id)),
    postedAt: work.clock.now(),
  });
}
