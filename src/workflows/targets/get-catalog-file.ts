import type { ReadContext } from '#core/context.ts';
import { Answer, type Input } from '#core/operation.ts';
import type { getCatalogFile as operation } from '#domain/targets/catalog-contract.ts';
import { writeCatalogCsv } from '#domain/targets/catalog-csv.ts';
import { selectEntries } from '#domain/targets/catalog-store.ts';
import { readEntry } from '#domain/targets/entry.ts';
import { isCsvWanted } from './csv-answer.ts';

/** `GET /lab/targets/export`. */
export async function getCatalogFile(input: Input<typeof operation>, { sql }: ReadContext) {
  const rows = await selectEntries(sql);
  const content = writeCatalogCsv(rows.map(readEntry));
  if (!isCsvWanted(input.headers.accept)) return { content, count: rows.length };
  return new Answer(200, content, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="targets.csv"',
  });
}
