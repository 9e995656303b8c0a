/** `assayer lab targets`: the catalog as the lab keeps it, and its export and import as CSV. */
import { formatCount } from '#core/words.ts';
import type { Static } from '#core/schema.ts';
import type {
  getCatalogFile,
  importTargets,
  listLabTargets,
  validateTargetImport,
} from '#features/targets/catalog-contract.ts';
import { createApi, type Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { requireConnection } from './connection.ts';
import { LIST_HELP, LIST_OPTIONS, printList } from './lab-list.ts';
import { CONNECTION_HELP, createUsageError, parseOptions } from './options.ts';
import { readTextFile } from './files.ts';
import type { Column } from './table.ts';
import { getTerminal, print, shortenText, toPlainText } from './terminal.ts';

type Item = Static<(typeof listLabTargets)['output']>['items'][number];
type Checked = Static<(typeof validateTargetImport)['output']>;
type Imported = Static<(typeof importTargets)['output']>;

const HELP = `Usage: assayer lab targets [--filter FILTER] [--sort SORT] [--search TEXT] [--json]
       assayer lab targets --export
       assayer lab targets --check FILE | --import FILE [--json]

The targets of the catalog with lots and stock, also retired ones.

  --export         prints the catalog as CSV
  --check FILE     what the import of a CSV file would change, and every problem by its line; - reads standard input
  --import FILE    imports it: all of it, or nothing
${LIST_HELP}

${CONNECTION_HELP}

Examples:
  assayer lab targets --filter 'eq(retired,false)'
  assayer lab targets --export > targets.csv
  assayer lab targets --check targets.csv`;

const guide = { name: 'lab targets', help: HELP, operands: [] };
const WIDTH = 32;

const columns: readonly Column<Item>[] = [
  { title: 'CATALOG', getCell: ({ catalog_number: number }) => number },
  { title: 'NAME', getCell: ({ name }) => shortenText(name, WIDTH) },
  { title: 'VENDOR', rank: 3, getCell: ({ vendor_name: vendor }) => shortenText(vendor, WIDTH) },
  { title: 'LOT', getCell: ({ lot }) => lot ?? '' },
  {
    title: 'STOCK',
    unit: '(µg)',
    align: 'right',
    getCell: ({ stock_ug: stock }) => (stock === null ? '' : String(stock)),
  },
  { title: 'RETIRED', rank: 2, getCell: ({ retired }) => (retired ? 'yes' : '') },
  { title: 'ID', rank: 4, getCell: ({ id }) => id },
];

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    ...LIST_OPTIONS,
    export: { type: 'boolean' },
    check: { type: 'string' },
    import: { type: 'string' },
  });
  if (parsed === undefined) return;
  const { values } = parsed;
  const { check, import: file } = values;
  const chosen = [values.export, check, file].filter((each) => each !== undefined && each !== false);
  if (chosen.length > 1) throw createUsageError(guide, '--export, --check and --import exclude one another');
  const asJson = values.json === true;
  if (values.export === true) return printExport(createApi(requireConnection(values)));
  if (check !== undefined) return checkFile(createApi(requireConnection(values)), check, asJson);
  if (file !== undefined) return importFile(createApi(requireConnection(values)), file, asJson);
  const nothing = 'No target matches.';
  await printList<Item>('/lab/targets', values, { columns, nothing, sort: 'asc(name)' });
}

async function printExport(api: Api): Promise<void> {
  const { content } = await api.get<Static<(typeof getCatalogFile)['output']>>('/lab/targets/export');
  getTerminal().stdout.write(content);
}

async function checkFile(api: Api, file: string, asJson: boolean): Promise<void> {
  const content = await readTextFile(file);
  const checked = await api.post<Checked>('/lab/targets/import/validate', { content });
  const { problems } = checked;
  if (asJson) print(JSON.stringify(checked, null, 2));
  else {
    print(describeCounts(checked));
    for (const { line, message } of problems) print(`line ${line}: ${toPlainText(message)}`);
  }
  if (problems.length > 0) throw new CommandError(`${formatCount(problems.length, 'problem')} in ${file}.`);
}

async function importFile(api: Api, file: string, asJson: boolean): Promise<void> {
  const imported = await api.post<Imported>('/lab/targets/import', { content: await readTextFile(file) });
  print(asJson ? JSON.stringify(imported, null, 2) : describeCounts(imported));
}

function describeCounts({
  added,
  changed,
  unchanged,
}: Pick<Imported, 'added' | 'changed' | 'unchanged'>): string {
  return `${added} added, ${changed} changed, ${unchanged} unchanged`;
}
