import type { ListQuery } from './list.ts';
import { looksInsideJson } from './typecheck.ts';
import { collectSort, writeKeysetSql, buildOrderSql, type RowKeys, type OrderColumn } from './order.ts';
import {
  collectFilter,
  writeContainsSql,
  writeFilter,
  Placeholders,
  escapeSubstring,
  type ParameterValue,
} from './sql.ts';

/** SQL that depends only on the shape of a query; every value is a parameter. */
interface CompiledShape {
  readonly where: string;
  readonly pageWhere: string;
  readonly orderBy: string;
  readonly keyColumn: string;
  readonly limitOffset: string;
  readonly writeWholeListCondition: (rowCount: string) => string;
  readonly begin: string;
  readonly orderColumns: readonly OrderColumn[];
}

export interface CompiledList extends CompiledShape {
  /** Whether the condition has to read every row of the scope. */
  readonly readsEveryRow: boolean;
  /** The condition of filter and search, for the total; `true` when there is neither. */
  readonly where: string;
  /** The values of `where`, for a statement that only counts. */
  readonly whereValues: readonly ParameterValue[];
  /** The values of `where` and `orderBy`, for a statement that reads the whole list. */
  readonly orderValues: readonly ParameterValue[];
  /** `where`, plus the start of the page when there is a cursor. */
  readonly pageWhere: string;
  /** Only the start of the page; `true` without a cursor. */
  readonly begin: string;
  /** The parts of `orderBy`, for a statement that computes each once. */
  readonly orderColumns: readonly OrderColumn[];
  /** The order without the words ORDER BY; it ends in the list's unique key. */
  readonly orderBy: string;
  /** Select this as `list_key`; the `next` cursor needs it. */
  readonly keyColumn: string;
  /** `limit $n offset $m`; requests one row beyond the page, to detect a next page. */
  readonly limitOffset: string;
  /** Returns the condition that a page of `rowCount` rows (an SQL expression) is the whole list. */
  readonly writeWholeListCondition: (rowCount: string) => string;
  /** Every value from `firstParameter` on, for a statement that uses all the parts. */
  readonly values: readonly ParameterValue[];
  readonly limit: number;
  readonly offset: number;
  /** Removes the extra row and makes the cursor. */
  buildPage<Row extends { readonly list_key: string }>(rows: readonly Row[]): ListPage<Row>;
}

export interface ListPage<Row> {
  readonly items: readonly Row[];
  /** Absent on the last page and for lists without cursors. */
  readonly next: string | undefined;
}

export interface CompileOptions {
  /** The number of the first free parameter `$n`: 2 when the scope is `$1`. */
  readonly firstParameter?: number;
}

const longestCached = 16_384;
const shapesPerList = 200;
const cache = new WeakMap<object, Map<string, CompiledShape>>();

function getCompiledShape(list: object, shape: string, build: () => CompiledShape): CompiledShape {
  const shapes = cache.get(list) ?? new Map<string, CompiledShape>();
  cache.set(list, shapes);
  const found = shapes.get(shape);
  const compiled = found ?? build();
  shapes.delete(shape);
  if (shape.length + compiled.pageWhere.length + compiled.orderBy.length <= longestCached) {
    shapes.set(shape, compiled);
  }
  if (shapes.size > shapesPerList) {
    const oldest = shapes.keys().next();
    if (oldest.done !== true) shapes.delete(oldest.value);
  }
  return compiled;
}

function writeShape(query: ListQuery, first: number): CompiledShape {
  const places = new Placeholders(first);
  const parts: string[] = [];
  if (query.filter !== null) parts.push(writeFilter(query.filter, places));
  if (query.search !== null) {
    const pattern = places.take();
    const matches = query.fields.searchable.map((field) =>
      writeContainsSql(`(${field.sql})`, `${pattern}::text`, field.capitals),
    );
    parts.push(`(${matches.join(' or ')})`);
  }
  const where = parts.length === 0 ? 'true' : parts.join(' and ');
  const order = buildOrderSql(query.sort, places);
  const begin = query.after === null ? '' : writeKeysetSql(order, query.after, places);
  const pageWhere = [...parts, ...(begin === '' ? [] : [begin])].join(' and ');
  const limit = `${places.take()}::int8`;
  const offset = `${places.take()}::int8`;
  return {
    where: `(${where})`,
    pageWhere: `(${pageWhere === '' ? 'true' : pageWhere})`,
    begin: begin === '' ? 'true' : begin,
    orderColumns: order.columns,
    orderBy: order.orderBy,
    keyColumn: order.keyColumn,
    limitOffset: `limit ${limit} offset ${offset}`,
    writeWholeListCondition: (rowCount) =>
      query.after === null ? `(${offset} = 0 and ${rowCount} < ${limit})` : 'false',
  };
}

function isPresent(key: string | null): key is string {
  return key !== null;
}

function parseRowKeys(listKey: string): RowKeys {
  const keys: unknown = JSON.parse(listKey);
  if (!Array.isArray(keys)) throw new Error('list_key is not the key column of the list');
  return keys.map((key: unknown) => (typeof key === 'string' ? key : null));
}

/** Compiles a checked query into the parts of a statement. */
export function compileList(query: ListQuery, options: CompileOptions = {}): CompiledList {
  const first = options.firstParameter ?? 1;
  const { limit, offset, after } = query;
  const whereValues: ParameterValue[] = [];
  const filterShape = query.filter === null ? '' : collectFilter(query.filter, whereValues);
  if (query.search !== null) whereValues.push(escapeSubstring(query.search));
  const values = [...whereValues];
  const sortShape = collectSort(query.sort, values);
  const orderValues = [...values];
  if (after !== null) values.push(...after.filter((key) => isPresent(key)));
  values.push(String(limit + 1), String(offset));

  const nulls = after === null ? '' : after.map((key) => (key === null ? '0' : '1')).join('');
  const shape = [first, filterShape, query.search === null ? '' : 'search', sortShape, nulls].join('|');
  const compiled = getCompiledShape(query.fields, shape, () => writeShape(query, first));

  return {
    ...compiled,
    readsEveryRow: query.search !== null || (query.filter !== null && looksInsideJson(query.filter)),
    whereValues,
    orderValues,
    values,
    limit,
    offset,
    buildPage(rows) {
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      const more = rows.length > limit && last !== undefined;
      const next = more ? query.cursors?.sign(query.context, parseRowKeys(last.list_key)) : undefined;
      return { items, next };
    },
  };
}
