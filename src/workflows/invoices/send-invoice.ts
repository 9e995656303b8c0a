import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope, organizationScope } from '#core/scope.ts';
import { findInvoice } from '#domain/invoices/store.ts';
import { hostedUrl, notPayable } from '#domain/invoices/wire.ts';
import type { sendInvoice as operation } from '#domain/lab/contract.ts';
import { finalize } from './finalize-invoice.ts';
import { holdForStaff } from './hold-invoice.ts';

/** `POST /lab/invoices/{invoice_id}/send`. */
export async function sendInvoice(input: Input<typeof operation>, context: WriteContext) {
  const { experiment, invoice } = await holdForStaff(context, input.params.invoice_id);
  if (invoice.status === 'draft') {
    await finalize(context, organizationScope(invoice.organization_id), experiment, invoice);
  } else if (invoice.status !== 'open') {
    throw notPayable(context.site, invoice);
  }
  const sent = await findInvoice(labScope, context.tx, invoice.id);
  if (sent === undefined) throw fail('invoice_not_found');
  return { id: sent.id, status: sent.status, hosted_invoice_url: hostedUrl(context.site, sent) };
}
