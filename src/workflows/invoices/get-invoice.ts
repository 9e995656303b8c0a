import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import type { getInvoice as operation } from '#domain/invoices/contract.ts';
import { findInvoice } from '#domain/invoices/store.ts';
import { invoiceInfo } from '#domain/invoices/wire.ts';
import { refundsOfInvoice } from '#domain/refunds/store.ts';

export async function getInvoice(input: Input<typeof operation>, context: ReadContext) {
  const scope = scopeOf(context.principal);
  const invoice = await findInvoice(scope, context.sql, input.params.invoice_id);
  if (invoice === undefined) throw fail('invoice_not_found');
  return invoiceInfo(context.site, invoice, await refundsOfInvoice(scope, context.sql, invoice.id));
}
