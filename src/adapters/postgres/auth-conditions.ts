/** Converts the sign-in library's conditions to SQL. */
import type { CleanedWhere } from 'better-auth/adapters';
import { isUuid } from '#core/ids.ts';

const IDENTIFIER = /^[a-z][a-z0-9_]*$/;

export function checkName(identifier: string): string {
  if (!IDENTIFIER.test(identifier)) throw new Error(`${identifier} is not a name of our tables`);
  return identifier;
}

const OPERATORS: Readonly<Record<string, string>> = {
  eq: '=',
  ne: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
};

/** Conditions joined by AND all hold; of those joined by OR at least one. */
export function buildCondition(where: readonly CleanedWhere[]): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const writeJoinedBy = (connector: string): string[] =>
    where.filter((part) => part.connector === connector).map((part) => writeComparison(part, values));
  const required = writeJoinedBy('AND');
  const options = writeJoinedBy('OR');
  if (options.length > 0) required.push(`(${options.join(' or ')})`);
  return { text: required.length === 0 ? 'true' : required.join(' and '), values };
}

function writeComparison({ field, value, operator }: CleanedWhere, values: unknown[]): string {
  const column = checkName(field);
  if (value === null) return `${column} is ${operator === 'ne' ? 'not ' : ''}null`;
  if (operator === 'in' || operator === 'not_in') {
    const list = [value].flat().filter((item) => canEqual(field, item));
    return `${operator === 'in' ? '' : 'not '}${column} = any($${values.push(list)})`;
  }
  const sign = OPERATORS[operator];
  if (sign === undefined) throw new Error(`the comparison ${operator} is not supported`);
  if (!canEqual(field, value)) return operator === 'ne' ? 'true' : 'false';
  return `${column} ${sign} $${values.push(value)}`;
}

const UUID_COLUMNS = new Set(['id', 'user_id', 'session_id', 'active_organization_id']);

/** A text that is no UUID equals none; without this check the database would raise an error. */
function canEqual(field: string, value: unknown): boolean {
  return !UUID_COLUMNS.has(field) || (typeof value === 'string' && isUuid(value));
}
