/**
 * Rows are written by column name: each value is paired with its column, and the compiler checks both against the
 * table.
 */
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

/**
 * A text and its values, for `sql.query(...)`. Rows of the same shape give the same text, which the database prepares
 * once.
 */
type Statement = [text: string, values: unknown[]];

/** `then` follows the statement, such as `returning id`. */
export function insertInto<Table extends keyof Tables>(
  table: Table,
  row: NewRow<Table>,
  then = '',
): Statement {
  const values: unknown[] = [];
  const places = Object.values(row).map((value) => placeOf(value, values));
  return [`insert into ${table} (${columnsOf(row)}) values (${places.join(', ')}) ${then}`, values];
}

/** Inserts the row only if the condition holds. */
export function insertWhere<Table extends keyof Tables>(
  table: Table,
  row: NewRow<Table>,
  condition: Expression,
  then = '',
): Statement {
  const values: unknown[] = [];
  const places = Object.values(row).map((value) => placeOf(value, values));
  const where = placeOf(condition, values);
  return [
    `insert into ${table} (${columnsOf(row)}) select ${places.join(', ')} where ${where} ${then}`,
    values,
  ];
}

/** `where` is the rest of the statement; its `$1`, `$2` … are `whereValues`. */
export function updateRows<Table extends keyof Tables>(
  table: Table,
  change: Columns<Table>,
  where: string,
  whereValues: readonly unknown[],
): Statement {
  const values = [...whereValues];
  const set = Object.entries(change).map(([column, value]) => `${column} = ${placeOf(value, values)}`);
  return [`update ${table} set ${set.join(', ')} ${where}`, values];
}

function columnsOf(row: object): string {
  return Object.keys(row).join(', ');
}

/** Appends the value to the values and returns its placeholder. */
function placeOf(value: unknown, values: unknown[]): string {
  const place = (single: unknown): string => `$${values.push(single)}`;
  if (!(value instanceof Expression)) return place(value);
  return value.parts.reduce((text, part, index) => `${text}${place(value.values[index - 1])}${part}`);
}
