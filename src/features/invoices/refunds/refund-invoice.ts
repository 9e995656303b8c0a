import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { refundInvoice as operation } from './contract.ts';
import { selectCreditedCents } from './store.ts';
import { holdForStaff } from '../hold-invoice.ts';
import { creditInvoice } from './credit-invoice.ts';

/** `POST /lab/invoices/{invoice_id}/refunds`: credits a paid invoice and starts the refund. */
export async function refundInvoice(input: Input<typeof operation>, context: WriteContext) {
  const { experiment, invoice } = await holdForStaff(context, input.params.invoice_id);
  if (invoice.status !== 'paid') throw fail('invoice_not_refundable', { status: invoice.status });
  const { amount_cents: requestedCents, reason } = input.body;
  const creditedCents = await selectCreditedCents(labScope, context.tx, invoice.id);
  return creditInvoice(
    context,
    { experiment, invoice },
    { requestedCents, reason, creditedCents, requestedBy: context.principal.userEmail },
  );
}
