import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { findHostedUrl, createNotPayableFailure } from '#features/invoices/wire.ts';
import type { sendInvoice as operation } from '#features/invoices/lab-contract.ts';
import { finalize } from './finalize-invoice.ts';
import { holdForStaff } from '#features/invoices/hold-invoice.ts';

/** `POST /lab/invoices/{invoice_id}/send`. */
export async function sendInvoice(input: Input<typeof operation>, context: WriteContext) {
  const { experiment, invoice } = await holdForStaff(context, input.params.invoice_id);
  if (invoice.status !== 'draft' && invoice.status !== 'open')
    throw createNotPayableFailure(context.site, invoice);
  const scope = createOrganizationScope(invoice.organization_id);
  const openInvoice =
    invoice.status === 'open' ? invoice : await finalize(context, scope, experiment, invoice);
  return {
    id: openInvoice.id,
    status: openInvoice.status,
    hosted_invoice_url: findHostedUrl(context.site, openInvoice),
  };
}
