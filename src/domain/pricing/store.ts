import { first, type Sql } from '#core/sql.ts';
import type { PriceList } from './rules.ts';

/** The price list in force at an instant. Price lists belong to the lab and are the same for all organizations. */
export async function priceListAt(sql: Sql, at: Date): Promise<PriceList | undefined> {
  const rows = await sql.query<PriceList>(
    `select version, prices from price_lists where effective_from <= $1 order by effective_from desc limit 1`,
    [at],
  );
  return first(rows);
}

/** Returns false when the version exists already; it is not changed. */
export async function insertPriceList(
  sql: Sql,
  list: PriceList & { readonly effectiveFrom: Date; readonly createdAt: Date },
): Promise<boolean> {
  const rows = await sql.query(
    `insert into price_lists (version, effective_from, prices, created_at) values ($1, $2, $3, $4)
     on conflict (version) do nothing returning version`,
    [list.version, list.effectiveFrom, JSON.stringify(list.prices), list.createdAt],
  );
  return rows.length > 0;
}
