import type { Expression } from './expressions.ts';
import type { FieldKind } from './fields.ts';
import type { CheckedFilter, CheckedTest } from './typecheck.ts';
import type { Comparison } from './tree.ts';

/** A value as the driver takes it: text, or a list of texts for one array parameter. */
export type ParameterValue = string | readonly string[];

/** Hands out `$n` in the order in which values are collected. */
export class Placeholders {
  #next: number;

  constructor(first: number) {
    this.#next = first;
  }

  take(): string {
    const name = `$${this.#next}`;
    this.#next += 1;
    return name;
  }

  get next(): number {
    return this.#next;
  }
}

const sqlTypes: Readonly<Record<FieldKind, string>> = {
  text: 'text',
  uuid: 'uuid',
  int: 'int8',
  float: 'float8',
  bool: 'boolean',
  timestamp: 'timestamptz',
  date: 'date',
  enum: 'text',
  json: 'text',
};

const operators: Readonly<Record<Comparison, string>> = {
  eq: '=',
  neq: '<>',
  gt: '>',
  lt: '<',
  gte: '>=',
  lte: '<=',
};

// The pattern that stored text must match before a cast, so that a cast never fails; other text is NULL. At most 100
// characters and a two-digit exponent keep a number far inside the range of float8.
const numberPattern = '^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]{1,2})?$';
const wholeLimit = '9000000000000000000';
const datePattern =
  '(?!0000)(' +
  '[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))' +
  '|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)';
const timePattern = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?';
const zonePattern = '([Zz]|[+-](0[0-9]|1[0-4])(:?[0-5][0-9])?)';
const instantPattern = `^${datePattern}([Tt ]${timePattern}${zonePattern}?)?$`;
const zonedPattern = `:.*${zonePattern}$`;

function writeNumberGuard(text: string): string {
  return `length(${text}) <= 100 and ${text} ~ '${numberPattern}'`;
}

function castText(text: string, to: FieldKind): string {
  switch (to) {
    case 'float':
      return `case when ${writeNumberGuard(text)} then (${text})::float8 end`;
    case 'int': {
      const whole = `case when abs((${text})::numeric) < ${wholeLimit} then trunc((${text})::numeric)::int8 end`;
      return `case when ${writeNumberGuard(text)} then ${whole} end`;
    }
    case 'timestamp': {
      const plain = `((${text})::timestamp at time zone 'UTC')`;
      const zoned = `case when ${text} ~ '${zonedPattern}' then (${text})::timestamptz else ${plain} end`;
      return `case when length(${text}) <= 40 and ${text} ~ '${instantPattern}' then ${zoned} end`;
    }
    case 'date':
      return `((${castText(text, 'timestamp')}) at time zone 'UTC')::date`;
    default:
      return text;
  }
}

function castValue(sql: string, from: FieldKind, to: FieldKind): string {
  if (from === to) return sql;
  if (from === 'text' || from === 'json') return castText(sql, to);
  switch (to) {
    case 'float':
      return `(${sql})::float8`;
    case 'int':
      return `case when abs((${sql})::float8) < ${wholeLimit} then trunc((${sql})::float8)::int8 end`;
    case 'timestamp':
      return `((${sql})::timestamp at time zone 'UTC')`;
    case 'date':
      return `((${sql}) at time zone 'UTC')::date`;
    default:
      break;
  }
  // to_char is used because a cast would depend on the session's settings.
  if (from === 'timestamp') {
    return `to_char((${sql}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
  }
  if (from === 'date') return `to_char(${sql}, 'YYYY-MM-DD')`;
  return `(${sql})::text`;
}

/** Returns the SQL of the expression, in parentheses unless it is a plain name. */
export function writeExpressionSql(expression: Expression, places: Placeholders): string {
  if (expression.kind === 'column') return `(${expression.field.sql})`;
  if (expression.kind === 'path') {
    const { field, path } = expression;
    const [member = ''] = path;
    return `((${field.members.get(member) ?? field.sql}) #>> ${places.take()}::text[])`;
  }
  return `(${castValue(writeExpressionSql(expression.of, places), expression.of.type, expression.type)})`;
}

export function collectExpression(expression: Expression, values: ParameterValue[]): string {
  if (expression.kind === 'column') return expression.field.name;
  if (expression.kind === 'path') {
    const { field, path } = expression;
    values.push(path);
    const [member = ''] = path;
    // A member with an expression of its own makes another statement.
    return field.members.has(member) ? `${field.name}.${member}#` : `${field.name}#`;
  }
  return `${expression.type}(${collectExpression(expression.of, values)})`;
}

/** Orders text by code point, whatever the collation of the database, so that pages and indexes agree. */
export function writeOrderedSql(sql: string, type: FieldKind): string {
  return type === 'text' || type === 'enum' ? `${sql} collate "C"` : sql;
}

/** Escapes % _ and \, so that every character of the pattern is literal. */
export function escapeSubstring(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/**
 * Returns the condition that a text contains a substring in any case; `pattern` is a placeholder for one of
 * `escapeSubstring`.
 */
export function writeContainsSql(text: string, pattern: string, capitals: boolean): string {
  // The subquery capitalizes the pattern once per statement instead of once per row.
  return capitals ? `${text} like (select upper(${pattern}))` : `${text} ilike ${pattern}`;
}

function writeTest(test: CheckedTest, places: Placeholders): string {
  const left = writeExpressionSql(test.left, places);
  const { type } = test.left;
  const takeParameter = (): string => `${places.take()}::${sqlTypes[type]}`;
  switch (test.kind) {
    case 'is_null':
      return `(${left} is null)`;
    case 'is_not_null':
      return `(${left} is not null)`;
    case 'contains':
      return `(${writeContainsSql(left, takeParameter(), test.left.kind === 'column' && test.left.field.capitals)})`;
    case 'in':
      return `(${left} = any(${takeParameter()}[]))`;
    case 'between': {
      const ordered = writeOrderedSql(left, type);
      return `(${ordered} >= ${takeParameter()} and ${ordered} <= ${takeParameter()})`;
    }
    default: {
      const equality = test.operator === 'eq' || test.operator === 'neq';
      return `(${equality ? left : writeOrderedSql(left, type)} ${operators[test.operator]} ${takeParameter()})`;
    }
  }
}

/** Writes the condition; placeholders follow the order of `collectFilter`. */
export function writeFilter(filter: CheckedFilter, places: Placeholders): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `(${filter.of.map((part) => writeFilter(part, places)).join(` ${filter.kind} `)})`;
    case 'not':
      return `(not ${writeFilter(filter.of, places)})`;
    default:
      return writeTest(filter, places);
  }
}

function collectTest(test: CheckedTest, values: ParameterValue[]): string {
  const left = collectExpression(test.left, values);
  switch (test.kind) {
    case 'is_null':
    case 'is_not_null':
      return `${test.kind}(${left})`;
    case 'contains':
      values.push(escapeSubstring(test.value));
      return `contains(${left})`;
    case 'in':
      values.push(test.values);
      return `in(${left})`;
    case 'between':
      values.push(test.low, test.high);
      return `between(${left})`;
    default:
      values.push(test.value);
      return `${test.operator}(${left})`;
  }
}

/** Collects the values and returns the shape: the filter without its values. */
export function collectFilter(filter: CheckedFilter, values: ParameterValue[]): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `${filter.kind}(${filter.of.map((part) => collectFilter(part, values)).join(',')})`;
    case 'not':
      return `not(${collectFilter(filter.of, values)})`;
    default:
      return collectTest(filter, values);
  }
}
