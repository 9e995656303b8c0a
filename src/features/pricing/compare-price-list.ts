import { isDeepStrictEqual } from 'node:util';
import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { Sql } from '#core/sql.ts';
import { selectOffered } from './assay-types/store.ts';
import type { comparePriceList as operation, PriceComparison } from './list-contract.ts';
import {
  comparePriceLists,
  listUnpriced,
  nameEntry,
  type MaterialPrice,
  type PriceListContent,
} from './price-list.ts';
import { findPriceList, selectPriceListAt } from './store.ts';
import { selectTargetPrices } from '../targets/store.ts';

/** `GET /lab/price-lists/{price_list_id}/comparison`. */
export async function comparePriceList(
  input: Input<typeof operation>,
  { sql, clock }: ReadContext,
): Promise<PriceComparison> {
  const list = await findPriceList(sql, input.params.price_list_id);
  if (list === undefined) throw fail('price_list_not_found');
  return describeChanges(sql, list, clock.now());
}

/** Says what differs from the list in effect, and what is offered without a price. */
export async function describeChanges(
  sql: Sql,
  list: Pick<PriceListContent, 'prices' | 'volume_discounts' | 'materials'>,
  at: Date,
): Promise<PriceComparison> {
  const present = await selectPriceListAt(sql, at, null);
  const unpriced = listUnpriced(list, await selectOffered(sql));
  return {
    base: present === undefined ? null : { id: present.id, version: present.version },
    ...comparePriceLists(present ?? { prices: [], volume_discounts: [] }, list),
    materials: await compareMaterials(sql, list.materials),
    warnings: unpriced.map(
      (entry) =>
        `${nameEntry(entry)} is offered, and this list has no price for it; add one or stop offering it.`,
    ),
  };
}

async function compareMaterials(sql: Sql, materials: readonly MaterialPrice[]) {
  if (materials.length === 0) return [];
  const rows = await selectTargetPrices(
    sql,
    materials.map(({ target_id }) => target_id),
  );
  const present = new Map(rows.map((row) => [row.id, row] as const));
  return materials.flatMap(({ target_id, pricing: after }) => {
    const row = present.get(target_id);
    if (row === undefined || isDeepStrictEqual(row.pricing, after)) return [];
    return [{ target_id, name: row.name, before: row.pricing, after }];
  });
}
