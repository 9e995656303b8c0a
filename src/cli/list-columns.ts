/**
 * The columns of a list, chosen by its schema and its first rows. Nobody lists them by hand: members come in the order
 * of the contract, times last, then the id that the next command takes.
 */
import type { Operation } from '#core/operation.ts';
import { isRecord, toRecord, type UnknownRecord } from '#core/records.ts';
import { listForms } from './kit-flags.ts';
import type { Column } from './table.ts';
import { getTerminal, shortenText } from './terminal.ts';
import { formatLabel, formatMember, formatQuantity, hasUnit, isQuantity } from './values.ts';
import { toText } from './words.ts';

export interface ItemColumn extends Column<UnknownRecord> {
  /** Width in a table of several pages, whose first lines are printed before the last ones are known. */
  readonly fixedWidth: number;
}

/** What a list says about its items beside their schema. */
export interface ListPlace {
  /** The members that the commands about an item take; the first that an item has counts. */
  readonly operands?: readonly string[];
  /** Beginnings of members that the command itself has said, such as `experiment_`. */
  readonly said?: readonly string[];
}

const COLUMNS_MAX = 10;
/** A table of so few members has room for them all, its texts shortened if need be. */
const FEW = 4;
/** Columns that stay however narrow the terminal is. */
const FIRM = 3;
export const LONGEST = 36;
const DEPTH_MAX = 2;
const CODES_SHOWN = 3;
const UUID = /\b([\da-f]{8})-[\da-f-]{22}([\da-f]{5})\b/g;
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;
const OFFSET = / [+-]\d\d:\d\d$/;
const WIDTHS = { id: 36, number: 12, text: 24 } as const;
/** Addresses and proofs say little to people, and an amount names its currency; `--fields` and `--json` have them. */
const HIDDEN = /_(?:url|hash|path|uuid)$|^(?:id|hash|currency)$/;
const OTHER_ID = /_ids?$/;
const MACHINE_ID = /^(?:[a-z]+_)?[\da-f-]{32,36}$/;
/** What means nothing without the record that it is a part of. */
const GENERIC = new Set(['id', 'kind', 'name', 'status', 'type', 'value', 'version', 'reason']);
/** What names an item, and what names the thing that it is about. */
const NAMING = /^(?:code|name|title|email|url|version)$|_number$/;
const ABOUT = /_(?:code|name|email)$/;
const CODE = /^(?:\w+_)?code$/;
const STATE = /^(?:status|grade|outcome|actor)$|_by$/;
const HAPPENED = /^(?:created_at|timestamp)$/;
/** How little a column says about these rows; one of at most 0 stays below its row where it does not fit. */
const WEIGHTS = {
  naming: -4,
  happened: -3,
  state: -2,
  sharedName: -1,
  plain: 0,
  sharedTime: 5,
  sharedState: 10,
  long: 20,
  shared: 30,
  ofPart: 35,
  plainNumber: 40,
  sentence: 90,
  empty: 1_000,
} as const;

interface Member {
  readonly path: readonly string[];
  readonly name: string;
  /** `quantity`: with a unit of its own, as a result has; `state`: one of a few words. */
  readonly kind: 'quantity' | 'number' | 'state' | 'text';
}

export const isOnTerminal = (): boolean => getTerminal().stdout.isTTY === true;

/** The value at the end of a path of names or positions. */
export function readPath(record: UnknownRecord, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => Object(value ?? {})[name], record);
}

export const isList = ({ method, list, output }: Pick<Operation, 'method' | 'list' | 'output'>): boolean =>
  method === 'GET' && (list !== undefined || toRecord(output)['type'] === 'array');

/** Of the items of a list. */
export function getItemSchema({ output }: Pick<Operation, 'output'>): UnknownRecord {
  const { type, items, properties } = toRecord(output);
  return toRecord(type === 'array' ? items : toRecord(toRecord(properties)['items'])['items']);
}

/** Whether the items have values by names that the schema leaves open, as `quantities` of results. */
export const hasOpenNames = (item: unknown): boolean =>
  Object.values(toRecord(toRecord(item)['properties'])).some((member) => findNamed(member) !== undefined);

const findNamed = (member: unknown): unknown =>
  listForms(member).find(({ patternProperties }) => isRecord(patternProperties))?.['patternProperties'];

/** The paths of all plain values, such as `qc.pass` or, by the names in the rows, `quantities.kd.value`. */
export function listLeaves(
  schema: unknown,
  rows: readonly UnknownRecord[] = [],
  path: readonly string[] = [],
): string[] {
  const forms = listForms(schema).filter(({ type }) => type !== 'null');
  const named = Object.values(toRecord(findNamed(schema)))[0];
  const names = rows.flatMap((row) => Object.keys(toRecord(readPath(row, path))));
  const entries =
    named === undefined
      ? forms.flatMap(({ properties }) => Object.entries(toRecord(properties)))
      : names.map((name) => [name, named] as const);
  if (entries.length === 0 && path.length > 0) return forms.every(isPlain) ? [path.join('.')] : [];
  return [...new Map(entries)].flatMap(([name, member]) => listLeaves(member, rows, [...path, name]));
}

/** The members that are plain values, also those of parts. */
function listMembers(
  schema: unknown,
  rows: readonly UnknownRecord[],
  path: readonly string[] = [],
): Member[] {
  const entries = listForms(schema).flatMap(({ properties }) => Object.entries(toRecord(properties)));
  return entries.flatMap(([name, member]): Member[] => {
    const own = [...path, name];
    const forms = listForms(member).filter(({ type }) => type !== 'null');
    if (forms.some(({ patternProperties }) => isRecord(patternProperties))) return listQuantities(own, rows);
    if (forms.every(isActor)) return [{ path: own, name, kind: 'text' }];
    if (forms.every(({ properties }) => isRecord(properties)) && own.length < DEPTH_MAX)
      return listMembers(member, rows, own);
    if (!forms.every(isPlain) && (own.length > 1 || !forms.every(hasCodes))) return [];
    const isNumeric = forms.some(({ type }) => type === 'number' || type === 'integer');
    const isState = forms.some(({ enum: choices }) => choices !== undefined);
    return [{ path: own, name, kind: isNumeric ? 'number' : isState ? 'state' : 'text' }];
  });
}

const hasCodes = ({ items }: UnknownRecord): boolean =>
  Object.keys(toRecord(toRecord(items)['properties'])).some((name) => CODE.test(name));

/** Who did it: the name, and of a machine, which has none, the kind. */
function isActor({ properties }: UnknownRecord): boolean {
  return Object.keys(toRecord(properties)).join() === 'kind,name';
}

function isPlain({ type, items }: UnknownRecord): boolean {
  if (type !== 'array') return type !== 'object' && type !== undefined;
  return listForms(items).every(({ type: each }) => each === 'string' || each === 'number');
}

/** Of a record whose names are those of values, as a result has them: each name that a row has. */
function listQuantities(path: readonly string[], rows: readonly UnknownRecord[]): Member[] {
  const entries = rows.flatMap((row) => Object.entries(toRecord(readPath(row, path))));
  const names = new Set(entries.filter(([, value]) => isQuantity(value)).map(([name]) => name));
  return [...names].map((name) => ({ path: [...path, name], name, kind: 'quantity' }));
}

/** Every column for a pipe; on a terminal those that say most about the rows. */
export function chooseColumns(
  item: unknown,
  rows: readonly UnknownRecord[],
  { operands = [], said = [] }: ListPlace,
  isLong: boolean,
): ItemColumn[] {
  // A part of several forms has some members in each.
  const all = new Map(listMembers(item, rows).map((member) => [member.path.join('.'), member]));
  const members = [...all.values()];
  const operand = operands.find((name) => all.has(name));
  const isKey = ({ path }: Member): boolean => path.join('.') === operand;
  // What a part says of the whole thing stands there already.
  const isRepeated = ({ path: [, ...rest], name }: Member): boolean =>
    rest.length > 0 && all.has(name) && !GENERIC.has(name);
  const isShown = (member: Member): boolean => {
    const { path, name } = member;
    const [first = ''] = path;
    return (
      !HIDDEN.test(name) &&
      !(name === 'url' && all.has('name')) &&
      !isRepeated(member) &&
      !said.some((start) => first.startsWith(start)) &&
      !(OTHER_ID.test(name) && rows.every((row) => isMachineId(readPath(row, path))))
    );
  };
  const shown = members.filter(isShown);
  const happened =
    shown.find(({ name }) => HAPPENED.test(name)) ?? shown.find(({ name }) => name.endsWith('_at'));
  const hasQuantities = shown.some(({ kind }) => kind === 'quantity');
  const drafts = shown.map((member) => {
    const column = createColumn(member, members, rows, isLong);
    const texts = rows.map((row) => formatCell(member, row));
    const isTime = texts.some((text) => TIME.test(text));
    // When a value was measured says less than the value.
    const isHappened = isTime && member === happened && !hasQuantities;
    const weight = isHappened ? WEIGHTS.happened : computeWeight(member, texts, rows);
    return { column, isTime, isKey: isKey(member), weight };
  });
  const ordered = [...drafts.filter(({ isTime }) => !isTime), ...drafts.filter(({ isTime }) => isTime)];
  const telling = ordered.toSorted((a, b) => a.weight - b.weight);
  const kept = isOnTerminal() ? telling.slice(0, COLUMNS_MAX) : ordered;
  const columns = ordered
    .filter((draft) => kept.includes(draft) || draft.isKey)
    .map((draft): ItemColumn => {
      const rank = kept.indexOf(draft);
      if (rank < FIRM || draft.isKey || members.length <= FEW) return draft.column;
      return { ...draft.column, rank, isOptional: draft.weight > 0 };
    });
  const isOwnId = ({ path }: Member): boolean => path.join('.') === 'id' && !isOnTerminal();
  const keys = members.filter((member) => (isKey(member) || isOwnId(member)) && !isShown(member));
  return [...columns, ...keys.map(createKeyColumn)];
}

function isMachineId(value: unknown): boolean {
  return [value].flat().every((id) => id === null || id === undefined || MACHINE_ID.test(toText(id)));
}

function createKeyColumn({ path, name }: Member): ItemColumn {
  const title = formatLabel(name).toUpperCase();
  return { title, rank: COLUMNS_MAX, fixedWidth: WIDTHS.id, getCell: (row) => toText(readPath(row, path)) };
}

function createColumn(
  member: Member,
  members: readonly Member[],
  rows: readonly UnknownRecord[],
  isLong: boolean,
): ItemColumn {
  const { path, name, kind } = member;
  const isAmbiguous = path.length > 1 && members.filter((other) => other.name === name).length > 1;
  const label = GENERIC.has(name) || isAmbiguous ? path.join('.') : name;
  const title = formatLabel(label.replace(/^(?:is|n)_/, '')).toUpperCase();
  const isNumeric = kind === 'number' || kind === 'quantity';
  const unit = findSharedUnit(member, rows, isLong);
  return {
    title,
    ...(unit === undefined ? {} : { unit }),
    ...(isNumeric ? { align: 'right' as const } : {}),
    fixedWidth: Math.max(title.length, isNumeric ? WIDTHS.number : WIDTHS.text),
    getCell: (row) => {
      const text = formatCell(member, row, unit);
      // An address in part leads nowhere.
      return isOnTerminal() && members.length > FEW && name !== 'url' ? shortenText(text, LONGEST) : text;
    },
  };
}

/** `unit`: what the title says of every cell. */
function formatCell({ path, name }: Member, row: UnknownRecord, unit?: string): string {
  const value = readPath(row, path);
  if (isQuantity(value)) return formatQuantity(value, { unit: unit === undefined });
  if (isRecord(value)) return toText(value['name'] ?? value['kind']);
  if (Array.isArray(value) && value.some(isRecord)) return formatCodes(value, row['total']);
  const text = formatMember(name, value, row);
  if (unit !== undefined) return text.replace(OFFSET, '');
  // Both ends of an id tell whether two rows are about one thing; what the next command takes stays whole.
  return isOnTerminal() ? text.replaceAll(UUID, '$1…$2') : text;
}

/** The codes of the first things of a list, and how many more there are; of long lists `total` counts all. */
function formatCodes(things: readonly unknown[], total: unknown): string {
  const codes = things.slice(0, CODES_SHOWN).map((thing) => {
    const [, code] = Object.entries(toRecord(thing)).find(([name]) => CODE.test(name)) ?? [];
    return toText(code);
  });
  const more = (typeof total === 'number' ? total : things.length) - codes.length;
  return `${codes.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The unit of all values of a column, or the offset of all times; a concentration has its unit by its size. */
function findSharedUnit(member: Member, rows: readonly UnknownRecord[], isLong: boolean): string | undefined {
  const units = rows.flatMap((row) => {
    const value = readPath(row, member.path);
    if (isQuantity(value)) return [toText(value['unit'])];
    const text = formatCell(member, row);
    return text === '' ? [] : [isLong || !TIME.test(text) ? '' : (OFFSET.exec(text)?.[0].trim() ?? '')];
  });
  const [unit = '', ...others] = new Set(units);
  return unit === '' || unit === 'M' || others.length > 0 ? undefined : unit;
}

function computeWeight(
  { path, name, kind }: Member,
  texts: readonly string[],
  rows: readonly UnknownRecord[],
) {
  if (texts.every((text) => text === '')) return WEIGHTS.empty;
  if (isSentenceOfOthers(texts, rows)) return WEIGHTS.sentence;
  if (kind === 'quantity') return WEIGHTS.state;
  if (kind !== 'number' && texts.every((text) => text !== '')) {
    if (STATE.test(name)) return WEIGHTS.state;
    const isName = NAMING.test(name);
    if (isName || ABOUT.test(name))
      return isShared(texts) ? WEIGHTS.sharedName : isName ? WEIGHTS.naming : WEIGHTS.state;
  }
  if (texts.some((text) => text.length > LONGEST)) return WEIGHTS.long;
  if (kind === 'number' && path.length > 1) return WEIGHTS.ofPart;
  const isSwitch = texts.every((text) => /^(?:yes|no|)$/.test(text));
  if (isSwitch || (kind === 'number' && !hasUnit(name))) return WEIGHTS.plainNumber;
  if (name.endsWith('_kind') && name.replace('_kind', '') in (rows[0] ?? {})) return WEIGHTS.ofPart;
  if (!isShared(texts)) return WEIGHTS.plain;
  if (TIME.test(texts[0] ?? '')) return WEIGHTS.sharedTime;
  return kind === 'state' ? WEIGHTS.sharedState : WEIGHTS.shared;
}

const isShared = ([first, ...others]: readonly unknown[]): boolean =>
  others.length > 0 && others.every((other) => other === first);

/** Whether each text has the whole words of another member, as the title of a result has the name of its sequence. */
function isSentenceOfOthers(texts: readonly string[], rows: readonly UnknownRecord[]): boolean {
  return Object.keys(rows.length > 1 ? (rows[0] ?? {}) : {}).some((name) => {
    const parts = rows.map((row) => toText(row[name]));
    const isWithin = (part: string, index: number): boolean =>
      part !== '' && texts[index] !== part && ` ${texts[index]} `.includes(` ${part} `);
    return !isShared(parts) && parts.every(isWithin);
  });
}
