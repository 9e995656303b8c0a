import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { validatePriceListImport as operation } from './draft-contract.ts';
import { describeChanges } from './compare-price-list.ts';
import { readPriceListFile } from './price-list-file.ts';

/** `POST /lab/price-lists/import/validate`. */
export async function validatePriceListImport(input: Input<typeof operation>, { sql, clock }: ReadContext) {
  const { problems, ...list } = await readPriceListFile(sql, input.body.content);
  return {
    n_prices: list.prices.length,
    n_volume_discounts: list.volume_discounts.length,
    n_materials: list.materials.length,
    comparison: problems.length > 0 ? null : await describeChanges(sql, list, clock.now()),
    problems: [...problems],
  };
}
