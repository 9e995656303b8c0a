import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { getAnyInvoice as operation } from './lab-contract.ts';
import { findInvoice } from './store.ts';
import { buildInvoiceInfo } from './wire.ts';
import { selectRefundsOfInvoice } from './refunds/store.ts';

/** `GET /lab/invoices/{invoice_id}`. */
export async function getAnyInvoice(input: Input<typeof operation>, context: ReadContext) {
  const invoice = await findInvoice(labScope, context.sql, input.params.invoice_id);
  if (invoice === undefined) throw fail('invoice_not_found');
  return buildInvoiceInfo(
    context.site,
    invoice,
    await selectRefundsOfInvoice(labScope, context.sql, invoice.id),
  );
}
