/**
 * The columns of a list, chosen by its schema and its first rows. Nobody lists them by hand: members come in the order
 * of the contract, times last, then the id that the next command takes.
 */
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
  /** The member that the commands about an item take. */
  readonly operand?: string | undefined;
  /** Beginnings of members that the command itself has said, such as `experiment_`. */
  readonly said?: readonly string[];
}

const COLUMNS_MAX = 9;
/** Columns that stay however narrow the terminal is. */
const FIRM = 3;
export const LONGEST = 36;
const DEPTH_MAX = 2;
const UUID = /\b([\da-f]{8})-[\da-f-]{22}([\da-f]{5})\b/g;
const OFFSET = / [+-]\d\d:\d\d$/;
const WIDTHS = { id: 36, number: 12, text: 24 } as const;
/**
 * Ids of other things, addresses and proofs say little to people, and an amount names its currency; `--fields` and
 * `--json` have them.
 */
const HIDDEN = /_(?:url|hash|path|uuid)$|^(?:id|url|hash|currency)$/;
const OTHER_ID = /_ids?$/;
const MACHINE_ID = /^(?:[a-z]+_)?[\da-f-]{32,36}$/;
/** What means nothing without the record that it is a part of. */
const GENERIC = new Set(['id', 'kind', 'name', 'status', 'type', 'value', 'version', 'reason']);

interface Member {
  readonly path: readonly string[];
  readonly name: string;
  readonly isNumeric: boolean;
  /** Whether its numbers have a unit, so that they mean something alone. */
  readonly hasUnit: boolean;
  readonly isQuantity: boolean;
  /** Whether it is one of a few words, such as a status. */
  readonly isState: boolean;
}

export const isOnTerminal = (): boolean => getTerminal().stdout.isTTY === true;

/** The value at the end of a path of names or positions. */
export function readPath(record: UnknownRecord, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => Object(value ?? {})[name], record);
}

/** The members that are plain values, also those of parts, such as `assessment.grade`. */
function listMembers(
  schema: unknown,
  rows: readonly UnknownRecord[],
  path: readonly string[] = [],
): Member[] {
  const forms = listForms(schema).filter(({ type }) => type !== 'null');
  return forms
    .flatMap(({ properties }) => Object.entries(toRecord(properties)))
    .flatMap(([name, member]): Member[] => {
      const own = [...path, name];
      const types = listForms(member).filter(({ type }) => type !== 'null');
      if (types.some(({ patternProperties }) => isRecord(patternProperties)))
        return listQuantities(own, rows);
      if (types.every(({ properties }) => isRecord(properties)) && own.length < DEPTH_MAX)
        return listMembers(member, rows, own);
      const isPlain = ({ type, items }: UnknownRecord): boolean =>
        type === 'array'
          ? listForms(items).every(({ type: each }) => each === 'string' || each === 'number')
          : type !== 'object' && type !== undefined;
      const isNumeric = types.some(({ type }) => type === 'number' || type === 'integer');
      const isState = types.some(({ enum: choices }) => choices !== undefined);
      const draft = { path: own, name, isNumeric, isState, hasUnit: hasUnit(name), isQuantity: false };
      return types.every(isPlain) ? [draft] : [];
    });
}

/** The names of all values in parts of a known form, such as `assessment.grade`; a part of another form is one value. */
export function listLeaves(schema: unknown, path: readonly string[] = []): string[] {
  const { properties } = toRecord(schema);
  return Object.entries(toRecord(properties)).flatMap(([name, member]) => {
    const own = [...path, name];
    const isPart = isRecord(toRecord(member)['properties']) && own.length < DEPTH_MAX;
    return isPart ? listLeaves(member, own) : [own.join('.')];
  });
}

/** Of a record whose names are those of values, as a result has them: each name that a row has. */
function listQuantities(path: readonly string[], rows: readonly UnknownRecord[]): Member[] {
  const entries = rows.flatMap((row) => Object.entries(toRecord(readPath(row, path))));
  const names = new Set(entries.filter(([, value]) => isQuantity(value)).map(([name]) => name));
  const kind = { isNumeric: true, isState: false, hasUnit: true, isQuantity: true };
  return [...names].map((name) => ({ ...kind, path: [...path, name], name }));
}

/** Every column for a pipe; on a terminal those that say most about the rows. */
export function chooseColumns(
  item: unknown,
  rows: readonly UnknownRecord[],
  { operand, said = [] }: ListPlace,
  isLong: boolean,
): ItemColumn[] {
  // A part of several forms has some members in each.
  const all = new Map(listMembers(item, rows).map((member) => [member.path.join('.'), member]));
  const members = [...all.values()];
  const isKey = ({ path }: Member): boolean => path.join('.') === operand;
  const isShown = ({ path: [first = ''], path, name }: Member): boolean =>
    !HIDDEN.test(name) &&
    !said.some((start) => first.startsWith(start)) &&
    !(OTHER_ID.test(name) && rows.every((row) => isMachineId(readPath(row, path))));
  const drafts = members.filter(isShown).map((member) => draftColumn(member, members, rows, isLong));
  const ordered = [...drafts.filter(({ isTime }) => !isTime), ...drafts.filter(({ isTime }) => isTime)];
  const kept = isOnTerminal()
    ? ordered.toSorted((a, b) => a.weight - b.weight).slice(0, COLUMNS_MAX)
    : ordered;
  const columns = ordered
    .filter((draft) => kept.includes(draft) || isKey(draft.member))
    .map((draft): ItemColumn => {
      const rank = kept.indexOf(draft);
      if (rank < FIRM || isKey(draft.member)) return draft.column;
      return { ...draft.column, rank, isOptional: draft.weight > 0 };
    });
  const keys = members.filter((member) => isKey(member) && !isShown(member));
  return [...columns, ...keys.map(createKeyColumn)];
}

function isMachineId(value: unknown): boolean {
  return [value].flat().every((id) => id === null || id === undefined || MACHINE_ID.test(toText(id)));
}

function createKeyColumn({ path, name }: Member): ItemColumn {
  const title = formatLabel(name).toUpperCase();
  return { title, rank: COLUMNS_MAX, fixedWidth: WIDTHS.id, getCell: (row) => toText(readPath(row, path)) };
}

function draftColumn(
  member: Member,
  members: readonly Member[],
  rows: readonly UnknownRecord[],
  isLong: boolean,
) {
  const { path, isNumeric } = member;
  const unit = findSharedUnit(member, rows);
  const getText = (row: UnknownRecord): string => formatCell(member, row, unit === undefined);
  const texts = rows.map(getText);
  const offset = isLong || !isOnTerminal() ? undefined : findSharedOffset(texts);
  const label = GENERIC.has(member.name) || isAmbiguous(member, members) ? path.join('.') : member.name;
  const title = formatLabel(label.replace(/^(?:is|n)_/, '')).toUpperCase();
  const column: ItemColumn = {
    title,
    ...(unit === undefined && offset === undefined ? {} : { unit: unit ?? offset?.trim() ?? '' }),
    ...(isNumeric ? { align: 'right' as const } : {}),
    fixedWidth: Math.max(title.length, isNumeric ? WIDTHS.number : WIDTHS.text),
    getCell: (row) => {
      const text = getText(row);
      if (!isOnTerminal()) return text;
      return shortenText(offset === undefined ? text : text.replace(OFFSET, ''), LONGEST);
    },
  };
  const isTime = texts.some((text) => text !== '') && texts.every((text) => text === '' || isTimeText(text));
  return { member, column, isTime, weight: computeWeight(member, texts, rows) };
}

const isTimeText = (text: string): boolean => /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text);

function isAmbiguous({ path, name }: Member, members: readonly Member[]): boolean {
  return path.length > 1 && members.some((other) => other.name === name && other.path.join() !== path.join());
}

function formatCell({ path, name }: Member, row: UnknownRecord, withUnit: boolean): string {
  const value = readPath(row, path);
  if (isQuantity(value)) return formatQuantity(value, { unit: withUnit });
  const text = formatMember(name, value, row);
  // Both ends of an id tell whether two rows are about one thing; what the next command takes stays whole.
  return isOnTerminal() ? text.replaceAll(UUID, '$1…$2') : text;
}

/** The unit of all values of a column; a concentration has one by its size. */
function findSharedUnit({ path }: Member, rows: readonly UnknownRecord[]): string | undefined {
  const values = rows.map((row) => readPath(row, path)).filter(isQuantity);
  const [unit, ...others] = new Set(values.map((quantity) => toText(quantity['unit'])));
  return unit === undefined || unit === '' || unit === 'M' || others.length > 0 ? undefined : unit;
}

function findSharedOffset(texts: readonly string[]): string | undefined {
  const times = texts.filter((text) => text !== '');
  if (!times.every(isTimeText)) return undefined;
  const [offset, ...others] = new Set(times.map((text) => OFFSET.exec(text)?.[0]));
  return others.length === 0 ? offset : undefined;
}

/** How little a column says about these rows; one of 0 never gives way to the width. */
const WEIGHTS = {
  constantTime: 5,
  constantState: 10,
  long: 20,
  constant: 30,
  ofPart: 35,
  plainNumber: 40,
  sentence: 90,
  empty: 1_000,
} as const;

function computeWeight(member: Member, texts: readonly string[], rows: readonly UnknownRecord[]): number {
  if (texts.every((text) => text === '')) return WEIGHTS.empty;
  if (isSentenceOfOthers(texts, rows)) return WEIGHTS.sentence;
  if (texts.some((text) => text.length > LONGEST)) return WEIGHTS.long;
  const { isNumeric, isState, path } = member;
  const isSwitch = texts.every((text) => /^(?:yes|no|)$/.test(text));
  if (isNumeric && !member.isQuantity && path.length > 1) return WEIGHTS.ofPart;
  if ((isNumeric && !member.hasUnit) || isSwitch) return WEIGHTS.plainNumber;
  if (!isConstant(texts)) return 0;
  if (isTimeText(texts[0] ?? '')) return WEIGHTS.constantTime;
  return isState ? WEIGHTS.constantState : WEIGHTS.constant;
}

const isConstant = ([first, ...others]: readonly unknown[]): boolean =>
  others.length > 0 && others.every((other) => other === first);

/** Whether each text has the whole words of another member, as the title of a result has the name of its sequence. */
function isSentenceOfOthers(texts: readonly string[], rows: readonly UnknownRecord[]): boolean {
  const [first = {}, ...others] = rows;
  if (others.length === 0) return false;
  return Object.keys(first).some((name) => {
    const parts = rows.map((row) => toText(row[name]));
    const isWithin = (part: string, index: number): boolean =>
      part !== '' && texts[index] !== part && ` ${texts[index]} `.includes(` ${part} `);
    return !isConstant(parts) && parts.every(isWithin);
  });
}
