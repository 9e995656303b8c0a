import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { getPriceListFile as operation } from './draft-contract.ts';
import { writePriceListCsv } from './list-csv.ts';
import { findPriceList } from './store.ts';
import { selectNumbers } from '../targets/catalog-store.ts';
import { answerCsvFile } from '../targets/csv-answer.ts';

/** `GET /lab/price-lists/{price_list_id}/export`: a price list as a CSV file, which staff edit and import again. */
export async function getPriceListFile(input: Input<typeof operation>, { sql }: ReadContext) {
  const list = await findPriceList(sql, input.params.price_list_id);
  if (list === undefined) throw fail('price_list_not_found');
  const numbers = (await selectNumbers(sql)).filter((target) => target.is_for_everyone);
  const content = writePriceListCsv(
    list,
    new Map(numbers.map(({ id, catalog_number: number }) => [id, number] as const)),
  );
  const count = list.prices.length + list.volume_discounts.length + list.materials.length;
  return answerCsvFile(input.headers.accept, {
    name: `prices-${list.version ?? 'draft'}.csv`,
    content,
    count,
  });
}
