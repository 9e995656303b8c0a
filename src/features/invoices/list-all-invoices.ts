import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listAllInvoices as operation } from './lab-contract.ts';
import { labInvoiceFields } from './list-fields.ts';
import { listInvoicePage } from './list-store.ts';
import { LAB_LIST, parseList } from '#core/parse-list.ts';

/** `GET /lab/invoices`: lists the invoices of every organization. */
export function listAllInvoices(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  return listInvoicePage(
    labScope,
    context.sql,
    parseList(context, labInvoiceFields, input.query, [], LAB_LIST),
    context.site.baseUrl,
  );
}
