import { getFirst, type Sql } from '#core/sql.ts';
import { insertInto } from '#core/write-rows.ts';
import type { PriceList } from './rules.ts';

/**
 * Selects the price list in force at an instant. Price lists belong to the lab and are the same for all
 * organizations.
 */
export async function selectPriceListAt(sql: Sql, at: Date): Promise<PriceList | undefined> {
  const rows = await sql.query<PriceList>(
    `select version, prices from price_lists where effective_from <= $1 order by effective_from desc limit 1`,
    [at],
  );
  return getFirst(rows);
}

/** Returns false when the version exists already; it is not changed. */
export async function insertPriceList(
  sql: Sql,
  list: PriceList & { readonly effectiveFrom: Date; readonly createdAt: Date },
): Promise<boolean> {
  const rows = await sql.query(
    ...insertInto(
      'price_lists',
      {
        version: list.version,
        effective_from: list.effectiveFrom,
        prices: JSON.stringify(list.prices),
        created_at: list.createdAt,
      },
      'on conflict (version) do nothing returning version',
    ),
  );
  return rows.length > 0;
}
