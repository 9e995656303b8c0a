/**
 * Rows are written by column name: each value is paired with its column, and the compiler checks both against the
 * table.
 */
import type { OrganizationScope } from './scope.ts';
import type { Tables } from './tables.ts';

/** SQL in place of a value, where the database computes the value from its own rows. */
class Expression {
  readonly parts: readonly string[];
  readonly values: readonly unknown[];

  constructor(parts: readonly string[], values: readonly unknown[]) {
    this.parts = parts;
    this.values = values;
  }
}

/** For example ``expression`coalesce((select path from tokens where id = ${tokenId}), '{}')` ``. */
export function expression(parts: TemplateStringsArray, ...values: readonly unknown[]): Expression {
  return new Expression(parts, values);
}

type NewRow<Table extends keyof Tables> = {
  readonly [Column in keyof Tables[Table]]: Tables[Table][Column] | Expression;
};

/** Columns of a table that several statements share. */
export type Columns<Table extends keyof Tables> = Partial<NewRow<Table>>;

/** Rejects a member that is no column of the table, also where the row takes it from a value that it spreads. */
type Only<Table extends keyof Tables, Row> = {
  readonly [Name in Exclude<keyof Row, keyof Tables[Table]>]: never;
};

/** The tables whose every row belongs to an organization. */
type OwnedTable = {
  [Table in keyof Tables]: Tables[Table] extends { readonly organization_id: string } ? Table : never;
}[keyof Tables];

/** Such a row without its organization, which its scope says. */
type OwnedRow<Table extends OwnedTable, Row> = Row & Only<Table, Row> & { readonly organization_id?: never };

/**
 * A text and its values, for `sql.query(...)`. Rows of the same shape give the same text, which the database prepares
 * once.
 */
type Statement = [text: string, values: unknown[]];

/** `then` is what follows, such as `returning id`; with values of its own it is an expression. */
export function insertInto<Table extends keyof Tables, Row extends NewRow<Table>>(
  table: Table,
  row: Row & Only<Table, Row>,
  then: string | Expression = '',
): Statement {
  return writeInsert(table, row, then);
}

/** Inserts a row of the organization of the scope. */
export function insertOwned<Table extends OwnedTable, Row extends Omit<NewRow<Table>, 'organization_id'>>(
  scope: OrganizationScope,
  table: Table,
  row: OwnedRow<Table, Row>,
  then: string | Expression = '',
): Statement {
  return writeInsert(table, { ...row, organization_id: scope.organizationId }, then);
}

function writeInsert(table: string, row: object, then: string | Expression): Statement {
  const values: unknown[] = [];
  const places = Object.values(row).map((value) => addPlaceholder(value, values));
  const end = typeof then === 'string' ? then : addPlaceholder(then, values);
  return [`insert into ${table} (${listColumns(row)}) values (${places.join(', ')}) ${end}`, values];
}

/** Inserts a row of the organization of the scope only if the condition holds. */
export function insertOwnedWhere<
  Table extends OwnedTable,
  Row extends Omit<NewRow<Table>, 'organization_id'>,
>(
  scope: OrganizationScope,
  table: Table,
  row: OwnedRow<Table, Row>,
  condition: Expression,
  then = '',
): Statement {
  const owned = { ...row, organization_id: scope.organizationId };
  const values: unknown[] = [];
  const places = Object.values(owned).map((value) => addPlaceholder(value, values));
  const where = addPlaceholder(condition, values);
  return [
    `insert into ${table} (${listColumns(owned)}) select ${places.join(', ')} where ${where} ${then}`,
    values,
  ];
}

/** `where` is the rest of the statement; its `$1`, `$2` … are `whereValues`. */
export function updateRows<Table extends keyof Tables, Change extends Columns<Table>>(
  table: Table,
  change: Change & Only<Table, Change>,
  where: string,
  whereValues: readonly unknown[],
): Statement {
  const values = [...whereValues];
  const set = Object.entries(change).map(([column, value]) => `${column} = ${addPlaceholder(value, values)}`);
  return [`update ${table} set ${set.join(', ')} ${where}`, values];
}

/** How the database reads the values that many rows have in one column. */
type ColumnType =
  'uuid' | 'text' | 'int' | 'bigint' | 'float8' | 'date' | 'timestamptz' | 'boolean' | 'jsonb';

class ManyValues<Value> {
  readonly type: ColumnType;
  readonly values: readonly Value[];

  constructor(type: ColumnType, values: readonly Value[]) {
    this.type = type;
    this.values = values;
  }
}

/** One value for each row, in the order of the rows. */
export function createManyValues<Value>(type: ColumnType, values: readonly Value[]): ManyValues<Value> {
  return new ManyValues(type, values);
}

/** Makes columns of many rows: each has one value for each item, in their order. */
export function createColumnMaker<Item>(items: readonly Item[]) {
  return <Value>(type: ColumnType, pick: (item: Item, index: number) => Value): ManyValues<Value> =>
    new ManyValues(type, items.map(pick));
}

type ManyRows<Table extends keyof Tables> = {
  readonly [Column in keyof Tables[Table]]:
    ManyValues<Tables[Table][Column]> | Tables[Table][Column] | Expression;
};

/** Inserts a row for each value of the columns that have `createManyValues`; the others are the same in all rows. Columns are sent as arrays, which is fastest. */
export function insertMany<Table extends keyof Tables>(
  table: Table,
  rows: ManyRows<Table>,
  then = '',
): Statement {
  return writeMany(table, rows, then);
}

/** Inserts many rows of the organization of the scope. */
export function insertManyOwned<Table extends OwnedTable>(
  scope: OrganizationScope,
  table: Table,
  rows: Omit<ManyRows<Table>, 'organization_id'>,
  then = '',
): Statement {
  return writeMany(table, { ...rows, organization_id: scope.organizationId }, then);
}

function writeMany(table: string, rows: object, then: string): Statement {
  const values: unknown[] = [];
  const arrays = writeArrays(rows, values);
  const places = Object.entries(rows).map(([column, value]) =>
    value instanceof ManyValues ? `each.${column}` : addPlaceholder(value, values),
  );
  return [
    `insert into ${table} (${listColumns(rows)}) select ${places.join(', ')} from ${arrays} ${then}`,
    values,
  ];
}

type ManyColumns<Table extends keyof Tables> = {
  readonly [Column in keyof Tables[Table]]?: ManyValues<Tables[Table][Column]>;
};

/** Changes the row of each key. `where` follows the comparison of the keys; `$1` and what follows in it are `whereValues`. */
export function updateMany<Table extends keyof Tables>(
  table: Table,
  { key, change }: { readonly key: ManyColumns<Table>; readonly change: ManyColumns<Table> },
  where: string,
  whereValues: readonly unknown[],
): Statement {
  const values = [...whereValues];
  const set = Object.keys(change).map((column) => `${column} = each.${column}`);
  const same = Object.keys(key).map((column) => `${table}.${column} = each.${column}`);
  const arrays = writeArrays({ ...key, ...change }, values);
  return [
    `update ${table} set ${set.join(', ')} from ${arrays} where ${same.join(' and ')} ${where}`,
    values,
  ];
}

/** `unnest($1::uuid[], …) as each (id, …)`; the arrays join the values. */
function writeArrays(rows: object, values: unknown[]): string {
  const arrays = Object.entries(rows).filter(([, value]) => value instanceof ManyValues);
  const names = arrays.map(([column]) => column);
  const places = arrays.map(([, { type, values: all }]) => `$${values.push(all)}::${type}[]`);
  return `unnest(${places.join(', ')}) as each (${names.join(', ')})`;
}

function listColumns(row: object): string {
  return Object.keys(row).join(', ');
}

/** Appends the value to the values and returns its placeholder. */
function addPlaceholder(value: unknown, values: unknown[]): string {
  const place = (single: unknown): string => `$${values.push(single)}`;
  if (!(value instanceof Expression)) return place(value);
  return value.parts.reduce((text, part, index) => `${text}${place(value.values[index - 1])}${part}`);
}
