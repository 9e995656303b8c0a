import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { getPriceList as operation } from './list-contract.ts';
import { requirePriceListJson } from './price-list-content.ts';

/** `GET /lab/price-lists/{price_list_id}`. */
export function getPriceList(input: Input<typeof operation>, { sql, clock }: ReadContext): Promise<RawJson> {
  return requirePriceListJson(sql, input.params.price_list_id, clock.now());
}
