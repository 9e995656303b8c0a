import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listInvoices as operation } from './contract.ts';
import { invoiceFields } from './list-fields.ts';
import { listInvoicePage } from './list-store.ts';
import { parseList } from '#core/parse-list.ts';

/** `GET /invoices`: lists the invoices of the caller's organization. */
export function listInvoices(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, invoiceFields, input.query);
  return listInvoicePage(getScope(context.principal), context.sql, query, context.site.baseUrl);
}
