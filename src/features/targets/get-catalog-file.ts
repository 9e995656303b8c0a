import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { getCatalogFile as operation } from './catalog-contract.ts';
import { writeCatalogCsv } from './catalog-csv.ts';
import { selectEntries } from './catalog-store.ts';
import { readEntry } from './entry.ts';
import { answerCsvFile } from './csv-answer.ts';

/** `GET /lab/targets/export`: the targets for everyone as a CSV file, which staff edit and import again. */
export async function getCatalogFile(input: Input<typeof operation>, { sql }: ReadContext) {
  const rows = await selectEntries(sql);
  const content = writeCatalogCsv(rows.map(readEntry));
  return answerCsvFile(input.headers.accept, { name: 'targets.csv', content, count: rows.length });
}
