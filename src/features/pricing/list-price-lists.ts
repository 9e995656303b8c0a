import type { ReadContext } from '#core/context.ts';
import { parseListQuery } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listPriceLists as operation } from './list-contract.ts';
import { priceListFields } from './list-fields.ts';
import { listPriceListPage } from './store.ts';
import { LAB_LIST } from '#core/parse-list.ts';

/** `GET /lab/price-lists`. */
export function listPriceLists(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseListQuery(priceListFields, input.query, {
    cursors: context.cursors,
    cursorList: LAB_LIST,
  });
  return listPriceListPage(context.sql, query, context.clock.now());
}
