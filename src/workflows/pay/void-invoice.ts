import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { voidInvoice as operation } from '#features/invoices/lab-contract.ts';
import { closeInvoice, showInvoice } from './close-invoice.ts';
import { holdForStaff } from '#features/invoices/hold-invoice.ts';

/** `POST /lab/invoices/{invoice_id}/void`. */
export async function voidInvoice(input: Input<typeof operation>, context: WriteContext) {
  const { experiment, invoice } = await holdForStaff(context, input.params.invoice_id);
  if (invoice.status === 'paid' || invoice.status === 'void')
    throw fail('invoice_not_closable', { status: invoice.status, action: 'voided' });
  await closeInvoice(context, { experiment, invoice }, { to: 'void', reason: input.body.reason });
  return showInvoice(context, invoice.id);
}
