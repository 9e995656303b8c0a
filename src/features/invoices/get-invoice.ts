import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { getInvoice as operation } from './contract.ts';
import { findInvoice } from './store.ts';
import { buildInvoiceInfo } from './wire.ts';
import { selectRefundsOfInvoice } from './refunds/store.ts';

/** `GET /invoices/{invoice_id}`: one invoice with its credit notes, by id or external id. */
export async function getInvoice(input: Input<typeof operation>, context: ReadContext) {
  const scope = getScope(context.principal);
  const invoice = await findInvoice(scope, context.sql, input.params.invoice_id);
  if (invoice === undefined) throw fail('invoice_not_found');
  return buildInvoiceInfo(
    context.site,
    invoice,
    await selectRefundsOfInvoice(scope, context.sql, invoice.id),
  );
}
