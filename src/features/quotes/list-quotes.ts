import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listQuotes as operation } from './contract.ts';
import { quoteFields } from './list-fields.ts';
import { listQuotePage } from './list-store.ts';
import { parseList } from '#core/parse-list.ts';

/** `GET /quotes`: lists the quotes of the caller's organization. */
export function listQuotes(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, quoteFields, input.query);
  return listQuotePage(getScope(context.principal), context.sql, query, context.site.baseUrl);
}
