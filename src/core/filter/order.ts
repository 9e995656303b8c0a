import type { FieldKind } from './fields.ts';
import {
  collectExpression,
  writeExpressionSql,
  writeOrderedSql,
  type ParameterValue,
  type Placeholders,
} from './sql.ts';
import type { SortKey } from './typecheck.ts';

/** The keys of the last row of a page, as text; null where the key was NULL. */
export type RowKeys = readonly (string | null)[];

interface KeySql {
  readonly sql: string;
  readonly type: FieldKind;
  readonly descending: boolean;
  readonly nullable: boolean;
}

export interface OrderSql {
  readonly orderBy: string;
  readonly columns: readonly OrderColumn[];
  /** One text per row that holds all its keys; the next cursor is made from it. */
  readonly keyColumn: string;
  readonly keys: readonly KeySql[];
}

/** Returns SQL for the text of a key: lossless, and independent of the session's DateStyle and time zone. */
function writeKeyText(key: KeySql): string {
  if (key.type === 'timestamp') return `to_jsonb(${key.sql} at time zone 'UTC') #>> '{}'`;
  if (key.type === 'date') return `to_jsonb(${key.sql}) #>> '{}'`;
  return `${key.sql}::text`;
}

const keyTypes: Readonly<Record<FieldKind, (place: string) => string>> = {
  text: (place) => `${place}::text`,
  enum: (place) => `${place}::text`,
  json: (place) => `${place}::text`,
  uuid: (place) => `${place}::uuid`,
  int: (place) => `${place}::int8`,
  float: (place) => `${place}::float8`,
  bool: (place) => `${place}::boolean`,
  timestamp: (place) => `(${place}::timestamp at time zone 'UTC')`,
  date: (place) => `${place}::date`,
};

export interface OrderColumn {
  /** The expression by which rows are compared, with its collation. */
  readonly sql: string;
  /** The direction, such as `desc nulls last`. */
  readonly direction: string;
}

function buildOrderColumn(key: KeySql): OrderColumn {
  const direction = key.descending ? 'desc' : 'asc';
  // A key that is never NULL keeps the plain form, which a plain index can serve.
  return {
    sql: writeOrderedSql(key.sql, key.type),
    direction: key.nullable ? `${direction} nulls last` : direction,
  };
}

export function buildOrderSql(sort: readonly SortKey[], places: Placeholders): OrderSql {
  const keys = sort.map(({ expression, descending }): KeySql => {
    const { nullable } = expression;
    const own = expression.kind === 'column' ? expression.field.order : undefined;
    const type = expression.type === 'enum' ? 'int' : expression.type;
    if (own !== undefined) return { sql: own, type, descending, nullable };
    return { sql: writeExpressionSql(expression, places), type: expression.type, descending, nullable };
  });
  const columns = keys.map((key) => buildOrderColumn(key));
  return {
    orderBy: columns.map(({ sql, direction }) => `${sql} ${direction}`).join(', '),
    columns,
    keyColumn: `json_build_array(${keys.map((key) => writeKeyText(key)).join(', ')})::text`,
    keys,
  };
}

export function collectSort(sort: readonly SortKey[], values: ParameterValue[]): string {
  return sort
    .map(({ expression, descending }) => `${descending ? '-' : '+'}${collectExpression(expression, values)}`)
    .join(',');
}

/** Selects rows after the given one when every key has the same direction and none is nullable: one index range. */
function writeRowComparison(keys: readonly KeySql[], places: Placeholders): string {
  const left = keys.map((key) => writeOrderedSql(key.sql, key.type)).join(', ');
  const right = keys.map((key) => keyTypes[key.type](places.take())).join(', ');
  const operator = keys.some((key) => key.descending) ? '<' : '>';
  return `((${left}) ${operator} (${right}))`;
}

/** Selects rows after the given one for any mix of directions; NULL comes after every value either way. */
function writeNestedComparison(keys: readonly KeySql[], row: RowKeys, places: Placeholders): string {
  const parameters = keys.map((key, index) => (row[index] === null ? '' : keyTypes[key.type](places.take())));
  let rest = 'false';
  for (let index = keys.length - 1; index >= 0; index -= 1) {
    const key = keys[index];
    if (key === undefined) continue;
    const parameter = parameters[index] ?? '';
    const ordered = writeOrderedSql(key.sql, key.type);
    if (parameter === '') {
      rest = `(${key.sql} is null and ${rest})`;
      continue;
    }
    const beyondCondition = `${ordered} ${key.descending ? '<' : '>'} ${parameter}`;
    const after = key.nullable ? `${beyondCondition} or ${key.sql} is null` : beyondCondition;
    rest = `(${after} or (${ordered} = ${parameter} and ${rest}))`;
  }
  const [first] = keys;
  if (first === undefined || first.nullable || (parameters[0] ?? '') === '') return rest;
  // The rest implies this bound; it lets the planner start reading an index at the cursor.
  const bound = `${writeOrderedSql(first.sql, first.type)} ${first.descending ? '<=' : '>='} ${parameters[0] ?? ''}`;
  return `(${bound} and ${rest})`;
}

export function writeKeysetSql(order: OrderSql, row: RowKeys, places: Placeholders): string {
  const { keys } = order;
  const [first] = keys;
  const uniform = keys.every((key) => !key.nullable && key.descending === first?.descending);
  return uniform ? writeRowComparison(keys, places) : writeNestedComparison(keys, row, places);
}
