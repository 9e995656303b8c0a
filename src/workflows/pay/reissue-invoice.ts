/** Issues a void invoice again: for the same accepted quote, under a new number, to the current billing details. */
import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope, type OrganizationScope } from '#core/scope.ts';
import type { Parties } from '#features/billing/rules.ts';
import type { reissueInvoice as operation } from '#features/invoices/lab-contract.ts';
import { insertInvoice, type InvoiceRow } from '#features/invoices/store.ts';
import { buildInvoiceInfo } from '#features/invoices/wire.ts';
import { computeTotals, UNTAXED } from '#features/pricing/totals.ts';
import { findQuote } from '#features/quotes/store.ts';
import { readCurrentTerms } from '#features/billing/billing-profile.ts';
import { finalize } from './finalize-invoice.ts';
import { holdForStaff, type HeldInvoice } from '#features/invoices/hold-invoice.ts';

/**
 * `POST /lab/invoices/{invoice_id}/reissue`. Of concurrent requests one issues the invoice; the others find it
 * replaced.
 */
export async function reissueInvoice(input: Input<typeof operation>, context: WriteContext) {
  const { tx, site, ids, clock } = context;
  const heldInvoice = await holdForStaff(context, input.params.invoice_id);
  refuseUnlessVoid(heldInvoice);
  const { experiment, invoice } = heldInvoice;
  const scope = createOrganizationScope(invoice.organization_id);
  const { reason, purchase_order_number: order = invoice.purchase_order_number } = input.body;
  const { parties, ...sums } = await correctTerms(context, scope, invoice);
  const id = ids.createUuid();
  await insertInvoice(scope, tx, {
    ...sums,
    id,
    external_id: ids.createExternalInvoiceId(),
    experiment_id: experiment.id,
    quote_id: invoice.quote_id,
    payment_method: invoice.payment_method,
    currency: invoice.currency,
    line_items: invoice.line_items,
    purchase_order_number: order,
    created_at: clock.now(),
    replacement: { replacesId: invoice.id, parties },
  });
  const draft = { id, parties, quote_id: invoice.quote_id };
  const issued = await finalize(context, scope, experiment, draft, reason);
  return buildInvoiceInfo(site, issued, []);
}

function refuseUnlessVoid({ experiment, invoice }: HeldInvoice): void {
  const { status, replaced_by: next } = invoice;
  if (status !== 'void')
    throw fail('invoice_not_reissuable', {
      reason: status === 'paid' ? 'it is paid; refund it instead' : `it is ${status}; void it first`,
    });
  if (next !== null)
    throw fail('invoice_not_reissuable', { reason: `${next.invoice_number ?? next.id} replaces it already` });
  if (experiment.status === 'canceled')
    throw fail('invoice_not_reissuable', { reason: 'its order was canceled' });
}

/**
 * The price of the quote is fixed. So is its tax, unless the current buyer is taxed differently: then the current tax
 * applies.
 */
async function correctTerms({ tx, site }: WriteContext, scope: OrganizationScope, invoice: InvoiceRow) {
  const { parties, tax } = await readCurrentTerms(site, scope, tx);
  const quote = await findQuote(scope, tx, invoice.quote_id);
  const before = invoice.parties ?? quote?.parties ?? null;
  const isSame = before !== null && isTaxedAlike(before, parties);
  const applied = isSame ? (invoice.tax ?? UNTAXED) : tax;
  const { subtotal_cents, tax_cents, total_cents } = isSame
    ? invoice
    : computeTotals(invoice.line_items, tax);
  return { parties, tax: applied, subtotal_cents, tax_cents, total_cents };
}

function isTaxedAlike({ buyer: before }: Parties, { buyer: now }: Parties): boolean {
  return before.country === now.country && before.tax_id === now.tax_id;
}
