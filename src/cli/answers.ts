/** Answers for people and for programs: a list as table, lines or CSV; a record as rows of label and value. */
import { writeCsvField } from '#core/csv.ts';
import { takesIdempotencyKey, type Operation } from '#core/operation.ts';
import { isRecord, toRecord, type UnknownRecord } from '#core/records.ts';
import { formatCount } from '#core/words.ts';
import type { Api, ListAnswer } from './api.ts';
import { sendOnce } from './attempt.ts';
import { createShapeError, fillPath, formatQuery } from './requests.ts';
import { CommandError, RefusedError } from './command-error.ts';
import { listForms, type Request } from './kit-flags.ts';
import type { Given } from './kit-request.ts';
import { refuseExisting, saveDocument } from './files.ts';
import { parseFields, requireFields, selectFields } from './select-fields.ts';
import {
  chooseColumns,
  getItemSchema,
  hasOpenNames,
  isList,
  isOnTerminal,
  listLeaves,
  LONGEST,
  readPath,
  type ItemColumn,
  type ListPlace,
} from './list-columns.ts';
import { findListPlace, nameCommand } from './siblings.ts';
import { layTable } from './table.ts';
import {
  getPalette,
  getTableWidth,
  getTerminal,
  print,
  printNote,
  shortenText,
  toPlainLines,
  toPlainText,
} from './terminal.ts';
import { describeUpdate, readEvents, type Update } from './update-stream.ts';
import { ENTRIES_MAX, formatLabel, formatMember, isQuantity } from './values.ts';
import { watchList } from './watch-list.ts';
import { formatTime, toText } from './words.ts';

export interface Form {
  readonly json?: boolean | undefined;
  readonly csv?: boolean | undefined;
  /** Names of members, in the order wanted. */
  readonly fields?: readonly string[] | undefined;
  /** Of the command, such as `quotes list`. */
  readonly words?: string;
}

export interface ListForm extends Form {
  /** The number of items as it was typed. */
  readonly limit?: string | undefined;
  readonly all?: boolean | undefined;
  readonly watch?: boolean | undefined;
}

const PAGE_ITEMS = 100;
export const USUAL_ITEMS = 50;

type Write = (items: readonly UnknownRecord[], isFirst: boolean) => void;

/** `isLong`: a list of several pages, which is laid out before its last page is known. */
function createListWriter(
  item: unknown,
  { json, csv, fields }: Form,
  { isLong = false, ...place }: ListPlace & { readonly isLong?: boolean },
): Write {
  if (json === true)
    return (items) => items.forEach((each) => print(JSON.stringify(selectFields(each, fields))));
  if (csv === true) return createCsvWriter(item, fields);
  let columns: readonly ItemColumn[] = [];
  const choose = (items: readonly UnknownRecord[]) =>
    fields?.map(createFieldColumn) ?? chooseColumns(item, items, place, isLong);
  if (fields === undefined && isOnTerminal())
    return (entries, isFirst) => {
      const items = entries.map(nameCommand);
      if (isFirst) columns = isLong ? choose(items).map(fixColumn) : choose(items);
      printTable(columns, items, isFirst);
    };
  // One line for each item, its cells whole and separated by tabs, for cut, awk and read.
  return (items, isFirst) => {
    if (isFirst) columns = choose(items);
    const lines = items.map((each) => columns.map((column) => toPlainText(column.getCell(each))).join('\t'));
    if (items.length > 0)
      print([...(isFirst ? [columns.map(writeTitle).join('\t')] : []), ...lines].join('\n'));
  };
}

const writeTitle = ({ title, unit }: ItemColumn): string => (unit === undefined ? title : `${title} ${unit}`);

function createFieldColumn(field: string): ItemColumn {
  return { title: field, fixedWidth: 0, getCell: (item) => toText(selectFields(item, [field])[field]) };
}

/** What is a list or a record of its own is in no cell, unless `given` names it. */
function createCsvWriter(item: unknown, given: readonly string[] | undefined): Write {
  let fields = given ?? [];
  const writeCell = (value: unknown): string => {
    if (typeof value === 'number') return String(value);
    const isPlainList = Array.isArray(value) && !value.some(isRecord);
    return writeCsvField(isPlainList ? value.map(toText).join('; ') : toText(value));
  };
  return (items, isFirst) => {
    if (isFirst) fields = given ?? listLeaves(item, items);
    const rows = items.map((item) => fields.map((field) => writeCell(readPath(item, field.split('.')))));
    for (const row of isFirst ? [fields.map(writeCsvField), ...rows] : rows)
      getTerminal().stdout.write(`${row.join(',')}\r\n`);
  };
}

/** The same column at a width that does not depend on the rows. */
function fixColumn(column: ItemColumn): ItemColumn {
  const { fixedWidth: width, align, title } = column;
  const fill = (text: string): string => (align === 'right' ? text.padStart(width) : text.padEnd(width));
  return { ...column, title: fill(title), getCell: (item) => fill(shortenText(column.getCell(item), width)) };
}

function printTable(
  columns: readonly ItemColumn[],
  items: readonly UnknownRecord[],
  withTitles: boolean,
): void {
  const { lines, rows } = layTable(columns, items);
  if (items.length > 0) print((withTitles ? lines : rows).join('\n'));
}

function readLimit({ limit, all, csv, json, watch }: ListForm): number {
  if (watch === true && (all === true || csv === true || Number(limit) > PAGE_ITEMS))
    throw new CommandError(`--watch shows at most ${PAGE_ITEMS} items, and goes without --all and --csv.`, 2);
  if (all === true && limit !== undefined) throw new CommandError('--all and --limit exclude each other.', 2);
  if (csv === true && json === true) throw new CommandError('--csv and --json exclude each other.', 2);
  // A spreadsheet that lacks rows without a word is wrong.
  if (all === true || (csv === true && limit === undefined)) return Infinity;
  if (limit === undefined) return USUAL_ITEMS;
  if (/^[1-9]\d{0,8}$/.test(limit)) return Number(limit);
  throw new CommandError(`--limit must be a whole number from 1 to 999,999,999; it is "${limit}".`, 2);
}

/** Holds one page at a time, whatever the length of the list. */
async function copyList(api: Api, address: string, operation: Operation, form: ListForm): Promise<void> {
  const limit = readLimit(form);
  const item = getItemSchema(operation);
  const start = `${address}${address.includes('?') ? '&' : '?'}`;
  const isWhole = operation.list === undefined;
  const readPage = (place: string) =>
    isWhole ? readWhole(api, address, limit) : api.readPage<UnknownRecord>(start + place);
  if (form.watch === true) return watchItems(operation, () => readPage(`limit=${limit}`), form);
  const write = createListWriter(item, form, { ...findListPlace(operation), isLong: limit > PAGE_ITEMS });
  // The columns of a spreadsheet may depend on its last row.
  const isHeld = form.csv === true && form.fields === undefined && hasOpenNames(item);
  const held: UnknownRecord[] = [];
  const cursors = new Set<string | undefined>();
  let [shown, total, next]: [number, number, string | undefined] = [0, 0, undefined];
  do {
    const place = new URLSearchParams({
      limit: String(Math.min(PAGE_ITEMS, limit - shown)),
      ...(next === undefined ? {} : { cursor: next }),
    });
    const page = await readPage(place.toString());
    if (isHeld) held.push(...page.items.map((row) => pickCells(item, row)));
    else write(page.items, shown === 0);
    shown += page.items.length;
    ({ total, next } = page);
    // The last page of a feed has a cursor too: it leads to what happens later.
    if (page.items.length === 0) break;
    if (cursors.has(next)) throw createShapeError(api.connection, 'a list with an end: a page came twice');
    cursors.add(next);
  } while (next !== undefined && shown < limit);
  if (isHeld) write(held, true);
  if (shown === 0) printNote(address.includes('?') ? 'Nothing matches.' : describeNone(form));
  else if (shown < total && limit !== Infinity)
    printNote(`${shown.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}; --all lists every one.`);
}

/** The members of which a spreadsheet has cells. */
function pickCells(item: unknown, row: UnknownRecord): UnknownRecord {
  const names = new Set(listLeaves(item, [row]).map((path) => path.split('.', 1)[0]));
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name)));
}

/** A list that is answered whole, as a page. */
async function readWhole(api: Api, address: string, limit: number): Promise<ListAnswer<UnknownRecord>> {
  const items = await api.get<unknown>(address);
  if (!Array.isArray(items) || !items.every(isRecord))
    throw createShapeError(api.connection, 'a list of this API');
  return { items: items.slice(0, limit), total: items.length };
}

/** Whether items have a state, which moves while somebody looks. */
export const isMoving = (operation: Operation): boolean =>
  isList(operation) && 'status' in toRecord(getItemSchema(operation)['properties']);

async function watchItems(
  operation: Operation,
  readPage: () => Promise<{ readonly items: readonly UnknownRecord[] }>,
  { json = false, fields }: ListForm,
): Promise<void> {
  const place = findListPlace(operation);
  const choose = (items: readonly UnknownRecord[]) =>
    fields?.map(createFieldColumn) ?? chooseColumns(getItemSchema(operation), items, place, false);
  let columns: readonly ItemColumn[] | undefined;
  await watchList<UnknownRecord>({
    read: async () => (await readPage()).items,
    isLines: json,
    getKey: (item) => toText(item['id'] ?? Object.entries(item).filter(([name]) => name.endsWith('_id'))),
    layOut: (items) => layTable(choose(items), items).lines,
    formatLine: (item, change) => {
      if (json) return JSON.stringify({ change, item: selectFields(item, fields) });
      columns ??= choose([item]);
      return [change, ...columns.map((column) => toPlainText(column.getCell(item)))].join('\t');
    },
  });
}

function describeNone({ words = '' }: Form): string {
  const [noun = '', verb = ''] = words.split(' ').slice(-2);
  const kind = (verb === 'list' ? noun : verb).replaceAll('-', ' ');
  return `There ${kind.endsWith('s') ? 'are' : 'is'} no ${kind} yet.`;
}

/** Plain values first, then a table for each list of records. */
function printRecord({ output: schema, path }: Operation, value: unknown, form: Form): void {
  const { json, fields } = form;
  const { operands = ['id'] } = findListPlace({ path });
  const selected = fields === undefined ? value : selectFields(toRecord(value), fields);
  if (json === true) return print(JSON.stringify(selected, null, 2));
  // One value on each line, so that a script takes a single one as it is, also of several lines.
  const texts = Object.values(toRecord(selected)).map(toText);
  if (fields?.length === 1) return print(toPlainLines((texts[0] ?? '').replace(/\r?\n$/, '')));
  if (fields !== undefined) return print(texts.map(toPlainText).join('\n'));
  const rows = listRows(schema, toRecord(value));
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  const room = isOnTerminal() ? Math.max(LONGEST, getTableWidth() - width - 2) : Infinity;
  for (const [label, text] of rows) {
    // What the record itself says in a line is whole: a token, an address.
    const isWhole = !text.includes('\n') && (!label.includes(': ') || /^https?:/.test(text));
    print(`${label.padEnd(width)}  ${shortenText(toPlainText(text), isWhole ? Infinity : room)}`);
  }
  const tables = printTables(schema, toRecord(value), operands);
  if (rows.length + tables === 0) printNote('Nothing is there yet.');
}

/** A table for each list of records, at whatever depth it stands; returns how many. */
function printTables(
  schema: unknown,
  record: UnknownRecord,
  operands: readonly string[],
  prefix = '',
): number {
  let count = 0;
  for (const [name, value] of Object.entries(record)) {
    const label = `${prefix}${formatLabel(name)}`;
    const own = getMember(schema, name);
    if (isRecord(value)) count += printTables(own, value, operands, `${label}: `);
    if (!Array.isArray(value) || !value.some(isRecord)) continue;
    const { items } = listForms(own).find(({ items: entry }) => entry !== undefined) ?? {};
    const entries = value.slice(0, ENTRIES_MAX).map(toRecord);
    const columns = chooseColumns(items, entries, { operands }, false);
    if (!entries.some((entry) => columns.some((column) => column.getCell(entry) !== ''))) continue;
    print(`\n${getPalette(getTerminal().stdout).bold(label)}`);
    createListWriter(items, {}, { operands })(entries, true);
    if (value.length > ENTRIES_MAX) print(`… and ${value.length - ENTRIES_MAX} more; --json has all`);
    count++;
  }
  return count;
}

/** The schema of a member, in whatever form the record has. */
function getMember(schema: unknown, name: string): UnknownRecord {
  return { anyOf: listForms(schema).flatMap(({ properties }) => toRecord(properties)[name] ?? []) };
}

/** A map of many entries, such as the sequences of an order, is counted. */
function listRows(schema: unknown, record: UnknownRecord, prefix = ''): [string, string][] {
  return Object.entries(record).flatMap(([name, value]): [string, string][] => {
    const label = `${prefix}${formatLabel(name)}`;
    if (isRecord(value) && !isQuantity(value)) {
      const count = Object.keys(value).length;
      const own = getMember(schema, name);
      const isMap = listForms(own).every(({ properties }) => properties === undefined);
      if (isMap && count > ENTRIES_MAX) return [[label, `${count} entries; --json has them`]];
      return listRows(own, value, `${label}: `);
    }
    if (Array.isArray(value) && (value.length === 0 || value.some(isRecord))) return [];
    return value === null || value === '' ? [] : [[label, formatMember(name, value, record)]];
  });
}

/** Saves a document, in the form that the name of the file asks for, such as .csv or .parquet. */
async function saveAnswer(
  api: Api,
  address: string,
  media: readonly string[],
  { output, force }: { readonly output?: string; readonly force?: boolean },
): Promise<void> {
  if (output === undefined && isOnTerminal())
    throw new CommandError('--output is missing: a document is no text for a terminal; name a file.', 2);
  refuseExisting(output ?? '-', force === true);
  const [usual = '*/*', ...others] = media.filter((type) => type !== 'application/json');
  const named = others.find((type) => output?.endsWith(`.${type.replace(/^.*[/.]/, '')}`));
  await saveDocument(output ?? '-', await api.open(address, named ?? usual), force === true);
}

/** Prints each event on a line: for people when and what, elsewhere its data. */
async function copyStream(api: Api, address: string, { json, fields }: Form): Promise<void> {
  const pieces = await api.stream(address, { accept: 'text/event-stream' }, new AbortController().signal);
  if (isOnTerminal()) printNote('Waiting for updates; Ctrl+C ends.');
  for await (const { data } of readEvents(pieces)) {
    if (data === null) continue;
    const update: Update = JSON.parse(data);
    requireFields({ type: 'object', properties: update }, fields);
    if (fields !== undefined) print(JSON.stringify(selectFields(update, fields)));
    else print(isOnTerminal() && json !== true ? writeUpdate(update) : data);
  }
}

function writeUpdate(update: Update & { readonly organization_name?: string }): string {
  const { timestamp, organization_name: owner = '', experiment_code: code } = update;
  const parts = [formatTime(timestamp), owner, code, ...describeUpdate(update)].filter((part) => part !== '');
  return toPlainText(parts.join('  '));
}

const OTHER_FORMS = new Set(['application/json', 'text/event-stream']);

/** Whether the answer is a document unless JSON is wanted; a list in several forms is a list. */
export function isDocument({ media = [], list, success }: Operation): boolean {
  return success === 307 || (list === undefined && media.some((type) => !OTHER_FORMS.has(type)));
}

async function answer(api: Api, operation: Operation, request: Request, given: Given): Promise<void> {
  const { media = [], method, output, path } = operation;
  const address = `${fillPath(path, request.params)}${formatQuery(request.query ?? {})}`;
  const form = { ...given, fields: parseFields(given.fields) };
  if (media.includes('text/event-stream')) return copyStream(api, address, form);
  // Before anything is sent: a change that ends with a complaint about its answer is made twice.
  requireFields(isList(operation) ? getItemSchema(operation) : output, form.fields);
  const hasJson = !isDocument(operation) || media.includes('application/json');
  if (!(given.json === true && hasJson) && (given.output !== undefined || isDocument(operation)))
    return saveAnswer(api, address, media, given);
  if (isList(operation)) return copyList(api, address, operation, form);
  const { properties } = toRecord(output);
  const body = request.content ?? request.body;
  const ask = { method, path: address, body, key: given.idempotencyKey };
  const answered = (await (takesIdempotencyKey(operation) ? sendOnce(api, ask) : api.get(address))) ?? {};
  if (operation.success === 204 && given.json !== true) printNote('Done.');
  else if (properties !== undefined && !isRecord(answered))
    throw createShapeError(api.connection, 'an answer of this API');
  else printRecord(operation, form.json === true ? answered : addChanged(answered, body), form);
  if (operation.effect === 'read') refuseProblems(answered);
}

/** Of an answer that says no more than that something changed: the members that were given. */
function addChanged(answered: unknown, body: unknown): unknown {
  const { updated } = toRecord(answered);
  return updated === true ? { ...toRecord(answered), changed: Object.keys(toRecord(body)) } : answered;
}

/** A check that finds errors ends with 1, for scripts. */
function refuseProblems(answered: unknown): void {
  const { problems } = toRecord(answered);
  const errors = Array.isArray(problems)
    ? problems.filter((problem) => (toRecord(problem)['severity'] ?? 'error') === 'error')
    : [];
  if (errors.length > 0) throw new CommandError(`${formatCount(errors.length, 'problem')} found.`);
}

/** Sends each file; one that is refused does not stop the others. */
export async function answerEach(
  api: Api,
  operation: Operation,
  requests: readonly Request[],
  given: Given,
): Promise<void> {
  const refused: string[] = [];
  for (const request of requests)
    try {
      await answer(api, operation, request, given);
    } catch (error) {
      if (requests.length === 1 || !(error instanceof RefusedError)) throw error;
      refused.push(error.message);
    }
  if (refused.length === 0) return;
  const count = `${formatCount(refused.length, 'file')} of ${requests.length} refused.`;
  throw new CommandError([...refused, count].join('\n'));
}
