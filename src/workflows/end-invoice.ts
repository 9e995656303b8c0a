/** An unpaid invoice leaves the books, whoever ends it. The caller holds its experiment, then the invoice. */
import type { Work } from '#core/context.ts';
import { cents } from '#core/money.ts';
import { organizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { closeInvoice, type InvoiceRow } from '#domain/invoices/store.ts';
import { reversedEntries, writtenOffEntries, type Entry, type PostingKind } from '#domain/ledger/rules.ts';
import { invoiceBalances, post } from '#domain/ledger/store.ts';
import { announce } from './advance-experiment.ts';
import type { HeldInvoice } from './hold-invoice.ts';

/** Nothing is owed any more, and nothing was earned. */
export async function voidInBooks(
  work: Work,
  tx: Transaction,
  { experiment, invoice }: HeldInvoice,
  reason: string,
): Promise<void> {
  const scope = organizationScope(invoice.organization_id);
  await closeInvoice(scope, tx, invoice.id, { to: 'void', reason, at: work.clock.now() });
  const balances = await invoiceBalances(scope, tx, invoice.id);
  await postFor(work, tx, invoice, {
    kind: 'invoice_voided',
    externalReference: `void:${invoice.external_id}`,
    entries: reversedEntries(balances),
  });
  await announceEnd(work, tx, { experiment, invoice }, 'Invoice voided');
}

/** It stays owed and is not expected any more; a payment that arrives all the same settles it. */
export async function giveUpInBooks(
  work: Work,
  tx: Transaction,
  { experiment, invoice }: HeldInvoice,
  reason: string,
): Promise<void> {
  const scope = organizationScope(invoice.organization_id);
  await closeInvoice(scope, tx, invoice.id, { to: 'uncollectible', reason, at: work.clock.now() });
  await postFor(work, tx, invoice, {
    kind: 'invoice_written_off',
    externalReference: `write-off:${invoice.external_id}`,
    entries: writtenOffEntries(cents(invoice.total_cents)),
  });
  await announceEnd(work, tx, { experiment, invoice }, 'Invoice closed as uncollectible');
}

async function postFor(
  work: Work,
  tx: Transaction,
  invoice: InvoiceRow,
  posting: {
    readonly kind: PostingKind;
    readonly externalReference: string;
    readonly entries: readonly Entry[];
  },
): Promise<void> {
  await post(organizationScope(invoice.organization_id), tx, {
    ...posting,
    id: work.ids.uuid(),
    invoiceId: invoice.id,
    rail: 'invoice',
    currency: invoice.currency,
    postedAt: work.clock.now(),
  });
}

async function announceEnd(
  work: Work,
  tx: Transaction,
  { experiment, invoice }: HeldInvoice,
  name: string,
): Promise<void> {
  const description = invoice.invoice_number ?? invoice.external_id;
  await announce(work, tx, experiment, { type: 'invoice', name, description });
}
