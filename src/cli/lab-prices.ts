/** `assayer lab prices`: the versions of the price list, their export and import as CSV, and their publication. */
import { formatCount } from '#core/words.ts';
import type { Static } from '#core/schema.ts';
import type {
  getPriceListFile,
  importPriceList,
  validatePriceListImport,
} from '#features/pricing/draft-contract.ts';
import type {
  comparePriceList,
  getPriceList,
  listPriceLists,
  publishPriceList,
} from '#features/pricing/list-contract.ts';
import { createApi, type Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { askOnTerminal } from './confirm.ts';
import { requireConnection } from './connection.ts';
import { LIST_HELP, LIST_OPTIONS, printList, printTable } from './lab-list.ts';
import {
  CONNECTION_HELP,
  createUsageError,
  getFirstOperand,
  parseOptions,
  refuseUnknownVerb,
} from './options.ts';
import { readTextFile } from './files.ts';
import type { Column } from './table.ts';
import { getTerminal, print, shortenText, toPlainText } from './terminal.ts';

type List = Static<(typeof getPriceList)['output']>;
type Item = Static<(typeof listPriceLists)['output']>['items'][number];
type Price = List['prices'][number];
type Checked = Static<(typeof validatePriceListImport)['output']>;

const HELP = `Usage: assayer lab prices list [--filter FILTER] [--sort SORT] [--search TEXT] [--json]
       assayer lab prices show LIST [--json]
       assayer lab prices export LIST
       assayer lab prices import FILE [--check] [--effective-from DAY] [--note TEXT] [--json]
       assayer lab prices publish LIST [--yes] [--json]

The price lists of the lab. LIST is the id of a list, its version such as v2_2026-07-01, or current.

list      versions and drafts
show      the prices of a list, and for a draft what it changes
export    prints a list as CSV
import    makes a draft of a CSV file: all of it, or nothing; - reads standard input
publish   the draft gets its version, takes effect on its day and never changes again;
          at a terminal it asks first

  --check               only say what the file would change, and every problem by its line
  --effective-from DAY  when the draft takes effect, such as 2026-07-01; by default with its publication
  --note TEXT           note of the lab
  --yes                 publish: do not ask
${LIST_HELP}

${CONNECTION_HELP}

Examples:
  assayer lab prices export current > prices.csv
  assayer lab prices import prices.csv --check
  assayer lab prices import prices.csv --effective-from 2026-07-01`;

const guide = { name: 'lab prices', help: HELP, operands: ['VERB'] };
const WIDTH = 32;
const NOTHING = 'No price list matches.';

const OPTIONS = {
  ...LIST_OPTIONS,
  check: { type: 'boolean' },
  'effective-from': { type: 'string' },
  note: { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
} as const;

const formatCents = (cents: number): string => (cents / 100).toFixed(2);

const columns: readonly Column<Item>[] = [
  { title: 'VERSION', getCell: ({ version }) => version ?? 'draft' },
  { title: 'STATE', getCell: describeState },
  { title: 'EFFECTIVE FROM', getCell: ({ effective_from: from }) => from.slice(0, 10) },
  { title: 'PRICES', align: 'right', rank: 3, getCell: ({ prices }) => String(prices.length) },
  { title: 'NOTE', rank: 4, getCell: ({ note }) => shortenText(note, WIDTH) },
  { title: 'ID', rank: 2, getCell: ({ id }) => id },
];

function describeState({ status, in_effect: isInEffect }: Pick<Item, 'status' | 'in_effect'>): string {
  return isInEffect ? 'in effect' : status;
}

const priceColumns: readonly Column<Price>[] = [
  { title: 'ASSAY', getCell: ({ experiment_type: type }) => type },
  { title: 'METHOD', getCell: ({ method }) => method ?? '' },
  {
    title: 'SEQUENCE',
    unit: '(USD)',
    align: 'right',
    getCell: ({ unit_price_cents: cents }) => formatCents(cents),
  },
  {
    title: 'FURTHER REPLICATE',
    unit: '(USD)',
    align: 'right',
    getCell: ({ replicate_price_cents: cents }) => formatCents(cents),
  },
];

type Values = NonNullable<ReturnType<typeof parseOptions<typeof OPTIONS>>>['values'];

const VERBS: Readonly<Record<string, string>> = {
  list: '',
  show: 'LIST',
  export: 'LIST',
  import: 'FILE',
  publish: 'LIST',
};

export async function run(args: readonly string[]): Promise<void> {
  const verb = getFirstOperand(args, OPTIONS);
  refuseUnknownVerb(guide, args, { verb, verbs: Object.keys(VERBS) });
  const operand = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  const operands = ['VERB', ...(operand === undefined || operand === '' ? [] : [operand])];
  const parsed = parseOptions({ ...guide, operands }, args, OPTIONS);
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const [, argument = ''] = positionals;
  if (verb === 'list') return printLists(values);
  const api = createApi(requireConnection(values));
  if (verb === 'show') return showList(api, argument, values);
  if (verb === 'export') return printListFile(api, argument);
  if (verb === 'import')
    return values.check === true ? checkFile(api, argument, values) : importFile(api, argument, values);
  await publishList(api, argument, values);
}

async function printLists(values: Values): Promise<void> {
  const sort = 'desc(effective_from)';
  await printList<Item>('/lab/price-lists', values, { columns, nothing: NOTHING, sort });
}

/** Finds the path of a list by its id, its version, or as the one in effect. */
async function findPath(api: Api, version: string): Promise<string> {
  if (/^[0-9a-f-]{36}$/i.test(version)) return `/lab/price-lists/${version}`;
  const { items } = await api.list<Item>('/lab/price-lists?filter=eq(status,published)');
  const priceList = items.find((item) => (version === 'current' ? item.in_effect : item.version === version));
  if (priceList !== undefined) return `/lab/price-lists/${priceList.id}`;
  const message =
    version === 'current'
      ? 'No price list is in effect: publish one.'
      : `No price list has the version ${version}: "assayer lab prices list" names them.`;
  throw new CommandError(message);
}

async function showList(api: Api, version: string, values: Values): Promise<void> {
  const path = await findPath(api, version);
  const list = await api.get<List>(path);
  if (values.json === true) return print(JSON.stringify(list, null, 2));
  print(
    `${list.version ?? 'draft'}: ${describeState(list)}, effective from ${list.effective_from.slice(0, 10)}`,
  );
  if (list.prices.length > 0) printTable(priceColumns, list.prices);
  for (const { experiment_type: type, sequences_min: from, basis_points: points } of list.volume_discounts)
    print(
      `${points / 100} % from ${formatCount(from, 'sequence')}${type === null || type === undefined ? '' : `, ${type}`}`,
    );
  if (list.materials.length > 0) print(`${formatCount(list.materials.length, 'antigen')} with a price`);
  if (list.status === 'draft')
    printChanges(await api.get<Static<(typeof comparePriceList)['output']>>(`${path}/comparison`));
}

async function printListFile(api: Api, version: string): Promise<void> {
  const path = await findPath(api, version);
  const { content } = await api.get<Static<(typeof getPriceListFile)['output']>>(`${path}/export`);
  getTerminal().stdout.write(content);
}

async function checkFile(api: Api, file: string, values: Values): Promise<void> {
  const content = await readTextFile(file);
  const checked = await api.post<Checked>('/lab/price-lists/import/validate', { content });
  const { problems, comparison } = checked;
  if (values.json === true) print(JSON.stringify(checked, null, 2));
  else {
    for (const { line, message } of problems) print(`line ${line}: ${toPlainText(message)}`);
    if (comparison !== null) printChanges(comparison);
  }
  if (problems.length > 0) throw new CommandError(`${formatCount(problems.length, 'problem')} in ${file}.`);
}

async function importFile(api: Api, file: string, values: Values): Promise<void> {
  const { 'effective-from': day, note } = values;
  if (day !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(day))
    throw createUsageError(guide, `--effective-from is a day such as 2026-07-01; it is "${day}"`);
  const list = await api.post<Static<(typeof importPriceList)['output']>>('/lab/price-lists/import', {
    content: await readTextFile(file),
    ...(day === undefined ? {} : { effective_from: `${day}T00:00:00Z` }),
    ...(note === undefined ? {} : { note }),
  });
  if (values.json === true) return print(JSON.stringify(list, null, 2));
  print(`Draft ${list.id}: ${formatCount(list.prices.length, 'price')}.`);
  print(`Publish it: assayer lab prices publish ${list.id}`);
}

async function publishList(api: Api, version: string, values: Values): Promise<void> {
  const path = await findPath(api, version);
  const question = `Publish the price list ${toPlainText(version)}? It never changes again.`;
  await askOnTerminal(question, values.yes === true);
  const list = await api.post<Static<(typeof publishPriceList)['output']>>(`${path}/publish`, {});
  if (values.json === true) return print(JSON.stringify(list, null, 2));
  print(`${list.version ?? ''}: ${describeState(list)}, effective from ${list.effective_from.slice(0, 10)}`);
}

type Comparison = NonNullable<Checked['comparison']>;

function printChanges({ prices, volume_discounts, materials, warnings }: Comparison): void {
  const format = (amounts: Comparison['prices'][number]['before']): string =>
    amounts === null
      ? 'none'
      : `${formatCents(amounts.unit_price_cents)} + ${formatCents(amounts.replicate_price_cents)}`;
  for (const { experiment_type: type, method, before, after } of prices)
    print(`${type}${method === null ? '' : ` by ${method}`}: ${format(before)} → ${format(after)} USD`);
  for (const { experiment_type: type, sequences_min: from, before, after } of volume_discounts)
    print(
      `discount from ${formatCount(from, 'sequence')}${type === null ? '' : `, ${type}`}: ${(before ?? 0) / 100} → ${(after ?? 0) / 100} %`,
    );
  for (const { name } of materials) print(`antigen ${toPlainText(name)}: another price`);
  if (prices.length + volume_discounts.length + materials.length === 0) print('Nothing changes.');
  for (const warning of warnings) print(`warning: ${warning}`);
}
