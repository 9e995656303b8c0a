/** A file of prices against the current catalog. */
import type { Sql } from '#core/sql.ts';
import { readPriceListCsv, type PriceListReading } from './list-csv.ts';
import { selectNumbers } from '../targets/catalog-store.ts';

/** Reads the file and finds every problem in it. */
export async function readPriceListFile(sql: Sql, content: string): Promise<PriceListReading> {
  const targets = await selectNumbers(sql);
  const listed = targets.filter((target) => target.is_for_everyone);
  return readPriceListCsv(content, {
    idByNumber: new Map(listed.map(({ id, catalog_number: number }) => [number, id] as const)),
    ids: new Set(targets.map(({ id }) => id)),
  });
}
