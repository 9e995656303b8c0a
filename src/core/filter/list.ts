import type { CursorContext, CursorSigner } from './cursor.ts';
import { FilterError } from './errors.ts';
import type { Place } from './expressions.ts';
import type { ListFields } from './fields.ts';
import { limits } from './limits.ts';
import { convert } from './literals.ts';
import type { RowKeys } from './order.ts';
import { readParameters, type RawQuery } from './parameters.ts';
import { parseSort } from './parse-sort.ts';
import { printFilter, printSort } from './print.ts';
import { checkText } from './scanner.ts';
import { checkFilter, checkSort, type CheckedFilter, type SortKey } from './typecheck.ts';

export interface ListQueryOptions {
  /** Query parameters that the operation reads itself, such as `selfservice_only`. */
  readonly reserved?: Iterable<string>;
  /** Enables `cursor` and `next`; without it the list pages by offset only. */
  readonly cursors?: CursorSigner;
  /** What tells this list from others, such as its organization and experiment: a cursor of another list is invalid. */
  readonly cursorList?: string;
}

/** A list query whose parts have all been checked. */
export interface ListQuery {
  readonly fields: ListFields;
  readonly filter: CheckedFilter | null;
  readonly sort: readonly SortKey[];
  readonly search: string | null;
  readonly limit: number;
  readonly offset: number;
  /** The keys of the row to continue after. */
  readonly after: RowKeys | null;
  readonly context: CursorContext;
  readonly cursors: CursorSigner | undefined;
}

interface Range {
  readonly path: string;
  readonly low: number;
  readonly high: number;
  readonly code: 'limit_out_of_range' | 'offset_out_of_range';
  readonly advice: string;
}

const limitRange: Range = {
  path: 'limit',
  low: 1,
  high: limits.pageSize,
  code: 'limit_out_of_range',
  advice: '',
};

const offsetRange: Range = {
  path: 'offset',
  low: 0,
  high: limits.offset,
  code: 'offset_out_of_range',
  advice: ' Pages further on are read by following "next".',
};

function parseWholeNumber(text: string | undefined, fallback: number, range: Range): number {
  if (text === undefined) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value >= range.low && value <= range.high) return value;
  const message = `must be a whole number from ${range.low} to ${range.high}.${range.advice}`;
  throw new FilterError({ code: range.code, path: range.path, message });
}

function parseSearch(text: string | undefined): string | null {
  if (text === undefined || text === '') return null;
  checkText(text, 'search', 'search_invalid');
  return text;
}

const specialFloats = new Set(['NaN', 'Infinity', '-Infinity']);

function isKeyText(type: SortKey['expression']['type'], text: string): boolean {
  if (type === 'timestamp' || type === 'date') return /^-?[0-9A-Za-z:. +-]{1,40}$/.test(text);
  if (type === 'float' && specialFloats.has(text)) return true;
  return convert(type, text) !== undefined;
}

/** A signed cursor can be older than the list's declaration, so its keys are checked against the order. */
function checkCursorKeys(sort: readonly SortKey[], keys: RowKeys): RowKeys | null {
  // A cursor of a feed may say where to begin by itself, before the first row.
  if (keys.length === 0) return null;
  const fits =
    keys.length === sort.length &&
    sort.every(({ expression }, index) => {
      const key = keys[index];
      return typeof key === 'string' ? isKeyText(expression.type, key) : expression.nullable;
    });
  if (fits) return keys;
  const message = 'is from an earlier version of this list; start again without a cursor.';
  throw new FilterError({ code: 'cursor_invalid', path: 'cursor', message });
}

/** Parses the raw query parameters of a request into a checked query; throws a FilterError. */
export function parseListQuery(
  fields: ListFields,
  query: RawQuery,
  options: ListQueryOptions = {},
): ListQuery {
  const { cursors } = options;
  const names = { list: fields, reserved: new Set(options.reserved), cursor: cursors !== undefined };
  const parameters = readParameters(names, query);

  const limit = parseWholeNumber(parameters.limit, limits.defaultPageSize, limitRange);
  const offset = parseWholeNumber(parameters.offset, 0, offsetRange);

  const conditions = parameters.filters.map(({ path, filter }) =>
    checkFilter({ list: fields, use: 'filter', path }, filter),
  );
  const [only] = conditions;
  const filter = conditions.length > 1 ? ({ kind: 'and', of: conditions } as const) : (only ?? null);

  const columns = parameters.sort === undefined ? fields.defaultSort : parseSort(parameters.sort);
  const place: Place = { list: fields, use: 'sort', path: 'sort' };
  const sort = checkSort(place, columns);
  const search = parseSearch(parameters.search);

  const printed = parameters.filters.map((part) => printFilter(part.filter));
  const context: CursorContext = {
    sort: JSON.stringify([fields.name, printSort(columns)]),
    filter: JSON.stringify([options.cursorList ?? '', search, ...printed]),
  };
  if (parameters.cursor !== undefined && offset > 0) {
    const message = 'cannot be combined with cursor; the cursor already says where to go on.';
    throw new FilterError({ code: 'offset_out_of_range', path: 'offset', message });
  }
  const opened =
    parameters.cursor === undefined || cursors === undefined
      ? null
      : checkCursorKeys(sort, cursors.open(context, parameters.cursor));
  return { fields, filter, sort, search, limit, offset, after: opened, context, cursors };
}
