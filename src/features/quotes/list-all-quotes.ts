import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listAllQuotes as operation } from './lab-contract.ts';
import { labQuoteFields } from './list-fields.ts';
import { listQuotePage } from './list-store.ts';
import { LAB_LIST, parseList } from '#core/parse-list.ts';

/** `GET /lab/quotes`: lists the quotes of every organization. */
export function listAllQuotes(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, labQuoteFields, input.query, [], LAB_LIST);
  return listQuotePage(labScope, context.sql, query, context.site.baseUrl);
}
