import type { Work } from '#core/context.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { findInvoiceOfExperiment, type InvoiceRow } from './store.ts';
import { buildRecognizedEntries } from '../ledger/rules.ts';
import { selectInvoiceBalances, insertPosting } from '../ledger/store.ts';

/** Recognizes the deferred revenue of an invoice, because its work was released. */
export async function recognizeExperimentRevenue(
  work: Work,
  tx: Transaction,
  experiment: { readonly id: string; readonly organization_id: string },
): Promise<void> {
  const scope = createOrganizationScope(experiment.organization_id);
  const invoice = await findInvoiceOfExperiment(scope, tx, experiment.id);
  if (invoice !== undefined) await recognizeRevenue(work, tx, invoice);
}

export async function recognizeRevenue(work: Work, tx: Transaction, invoice: InvoiceRow): Promise<void> {
  const scope = createOrganizationScope(invoice.organization_id);
  await insertPosting(scope, tx, {
    id: work.ids.createUuid(),
    invoice_id: invoice.id,
    kind: 'revenue_recognized',
    rail: 'invoice',
    external_reference: `revenue:${invoice.external_id}`,
    currency: invoice.currency,
    entries: buildRecognizedEntries(await selectInvoiceBalances(scope, tx, invoice.id)),
    posted_at: work.clock.now(),
  });
}
