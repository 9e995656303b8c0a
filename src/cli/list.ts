/** `assayer list`: prints any list of the API, filtered, sorted and of any length. */
import { createApi, type Api } from './api.ts';
import type { CommandError } from './command-error.ts';
import { requireConnection } from './connection.ts';
import {
  fixColumns,
  getColumns,
  toText,
  type Item,
  type ItemColumn,
  listFields,
  writeCsvLine,
} from './list-columns.ts';
import { isListName, listNames, type ListName } from './list-names.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, parseOptions, createUsageError } from './options.ts';
import { findNearest } from '#core/nearest.ts';
import { parseFields, selectFields } from './select-fields.ts';
import { layTable } from './table.ts';
import { printNote, print, getTerminal, toPlainText } from './terminal.ts';

const PAGE_ITEMS = 100;
const USUAL_ITEMS = 50;

const HELP = `Usage: assayer list LIST [options], or assayer LIST list [options]

Lists ${listNames.join(', ')}.

  --filter FILTER  one condition, such as 'and(eq(status,done),gte(created_at,2026-01-01))'
  --sort SORT      such as '-created_at,name' or 'desc(float(at(parameters,ph)))'
  --search TEXT    items whose name contains the text
  --limit N        at most this many items, default ${USUAL_ITEMS}
  --all            every item, page by page
  --json           one JSON object per line
  --csv            every field, for spreadsheets and scripts
  --fields LIST    these fields alone, such as code,status; with --json, --csv or columns separated by tabs

A terminal gets a table, with times in your zone. A file or a pipe gets a title line and columns separated by tabs,
with times in UTC.

The language of --filter and --sort is explained in docs/guide/filtering.md.

${CONNECTION_HELP}

Examples:
  assayer list experiments --filter 'in(status,draft,quote_sent)' --sort -created_at
  assayer experiments list --all --json | jq -r .code
  assayer results list --filter 'lt(float(at(summary,kd_mean)),1e-8)' --csv > binders.csv`;

const guide = { name: 'list', help: HELP, operands: ['LIST'] };

interface Page {
  readonly items: readonly Item[];
  readonly total: number;
  readonly next?: string;
}

interface Wanted {
  readonly name: ListName;
  /** Filter, sort and search as query parameters of the API. */
  readonly query: Readonly<Record<string, string>>;
  readonly limit: number;
}

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, withDashedValues(args), {
    ...CONNECTION_OPTIONS,
    filter: { type: 'string' },
    sort: { type: 'string' },
    search: { type: 'string' },
    limit: { type: 'string' },
    all: { type: 'boolean' },
    json: { type: 'boolean' },
    csv: { type: 'boolean' },
    fields: { type: 'string' },
  });
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const [name = ''] = positionals;
  if (!isListName(name)) throw createUnknownListError(name);
  if (values.csv === true && values.json === true)
    throw createUsageError(guide, '--csv and --json exclude each other');
  if (values.all === true && values.limit !== undefined)
    throw createUsageError(guide, '--all and --limit exclude each other');
  const { filter, sort, search } = values;
  const query = Object.fromEntries(
    Object.entries({ filter, sort, search }).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value]],
    ),
  );
  const limit = values.all === true ? Infinity : countFrom(values.limit);
  const api = createApi(requireConnection(values));
  const write = await createWriter(name, values, limit);
  await copy(api, { name, query, limit }, write);
}

interface Form {
  readonly json?: boolean | undefined;
  readonly csv?: boolean | undefined;
  readonly fields?: string | undefined;
}

async function createWriter(name: ListName, form: Form, limit: number): Promise<Write> {
  const fields = parseFields(form.fields);
  if (form.json === true) return (items) => writeJson(items, fields);
  if (form.csv === true) return createCsvWriter(name, fields);
  if (fields !== undefined) return createTabWriter(fields.map(createFieldColumn));
  const columns = getColumns(name);
  return getTerminal().stdout.isTTY === true ? createTableWriter(columns, limit) : createTabWriter(columns);
}

/** For `--sort -created_at`: the value of a text option may begin with one dash. */
function withDashedValues(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const option = joined.at(-1) ?? '';
    const isValue = /^--(?:sort|filter|search)$/.test(option) && /^-[^-]/.test(arg);
    if (isValue) joined.splice(-1, 1, `${option}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

type Write = (items: readonly Item[], isFirst: boolean) => void;

/** Holds one page at a time, whatever the length of the list. */
async function copy(api: Api, request: Wanted, write: Write): Promise<void> {
  let shown = 0;
  let total = 0;
  for await (const page of readPages(api, request)) {
    write(page.items, shown === 0);
    shown += page.items.length;
    ({ total } = page);
  }
  const { name } = request;
  if (shown === 0) printNote(`No ${name} match.`);
  else if (shown < total && request.limit !== Infinity)
    printNote(
      `${shown.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} ${name}; --all lists every one.`,
    );
}

async function* readPages(api: Api, { name, query, limit }: Wanted): AsyncGenerator<Page> {
  let left = limit;
  let cursor: string | undefined;
  do {
    const place = { limit: String(Math.min(PAGE_ITEMS, left)), ...(cursor === undefined ? {} : { cursor }) };
    const page = await api.get<Page>(`/${name}?${new URLSearchParams({ ...query, ...place }).toString()}`);
    // The last page of a feed has a cursor too: it leads to what happens later.
    if (cursor !== undefined && page.items.length === 0) return;
    yield page;
    left -= page.items.length;
    cursor = page.next;
  } while (cursor !== undefined && left > 0);
}

function writeJson(items: readonly Item[], fields: readonly string[] | undefined): void {
  for (const item of items) print(JSON.stringify(selectFields(item, fields)));
}

/** One line for each item, its cells whole and separated by tabs, for `cut`, `awk` and `while read`. */
function createTabWriter(columns: readonly Pick<ItemColumn, 'title' | 'getCell'>[]): Write {
  return (items, isFirst) => {
    if (items.length === 0) return;
    const lines = items.map((item) => columns.map((column) => toPlainText(column.getCell(item))).join('\t'));
    print([...(isFirst ? [columns.map(({ title }) => title).join('\t')] : []), ...lines].join('\n'));
  };
}

function createFieldColumn(field: string): Pick<ItemColumn, 'title' | 'getCell'> {
  return { title: field, getCell: (item) => toText(selectFields(item, [field])[field]) };
}

async function createCsvWriter(name: ListName, chosenFields: readonly string[] | undefined): Promise<Write> {
  const fields = chosenFields ?? listFields(name);
  return (items, isFirst) => {
    const head = isFirst ? `${fields.join(',')}\r\n` : '';
    getTerminal().stdout.write(head + items.map((item) => writeCsvLine(fields, item)).join(''));
  };
}

function createTableWriter(columns: readonly ItemColumn[], limit: number): Write {
  // A table of several pages is laid out before its last page is known.
  const laid = limit > PAGE_ITEMS ? fixColumns(columns) : columns;
  return (items, isFirst) => {
    if (items.length === 0) return;
    const { lines, rows } = layTable(laid, items);
    print((isFirst ? lines : rows).join('\n'));
  };
}

function countFrom(text: string | undefined): number {
  if (text === undefined) return USUAL_ITEMS;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw createUsageError(guide, `--limit must be a whole number from 1; it is "${text}"`);
  return count;
}

function createUnknownListError(name: string): CommandError {
  const near = findNearest(name, listNames);
  const hint = near === undefined ? `there are ${listNames.join(', ')}` : `did you mean "${near}"?`;
  return createUsageError(guide, `"${name}" is not a list (${hint})`);
}
