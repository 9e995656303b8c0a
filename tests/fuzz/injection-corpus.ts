/** Hostile values, and every place of a list query where one can stand. */
import type { RawQuery } from '#core/filter/index.ts';
import { printFilter } from '#core/filter/print.ts';
import type { Literal } from '#core/filter/tree.ts';

export const payloads = [
  "' or 1=1 --",
  "'; drop table samples; --",
  '") or true or ("',
  "\\'; select pg_sleep(10); --",
  '$1',
  '$1::text); --',
  '$$; select 1; $$',
  '/* comment */',
  '1) or (1=1',
  '1; select pg_sleep(10)',
  "E'\\x27'",
  'U&"d\\0061t"',
  'null',
  'true',
  'NaN',
  'Infinity',
  '-Infinity',
  '1e999',
  '1e-999',
  '9223372036854775808',
  '99999999999999999999999999999999999999',
  '0x10',
  '1_000',
  '2026-02-31',
  '2026-13-01',
  '0000-00-00',
  'infinity',
  'now',
  'today',
  'epoch',
  '10000-01-01',
  '{ph,buffer}',
  '{"a":1}',
  '$.ph ? (@ > 1)',
  '#>> array[1]',
  '%',
  '_',
  '%%%%%%%%%%\\',
  '\\',
  "''",
  '""',
  '\u0000',
  '\ud800',
  '\u202e',
  '\u2028',
  '\u02bc or 1=1',
  '＇ or 1=1',
  '😀'.repeat(50),
  'a'.repeat(4_000),
  '__proto__',
  'constructor',
  'status::text',
  's.id',
  'pg_catalog.pg_user',
];

function createQuoted(text: string): Literal {
  return { text, quoted: true, cast: null, position: 0 };
}

/** One query for each place. */
export function listQueries(name: string, payload: string): RawQuery[] {
  const operand = { kind: 'field', name, position: 0 } as const;
  const path = { kind: 'at', of: operand, key: createQuoted(payload), position: 0 } as const;
  const value = createQuoted(payload);
  return [
    ...(['eq', 'neq', 'gt', 'lte'] as const).map((operator) => ({
      filter: printFilter({ kind: 'compare', operator, operand, value }),
    })),
    { filter: printFilter({ kind: 'contains', operand, value }) },
    { filter: printFilter({ kind: 'in', operand, values: [value, value] }) },
    { filter: printFilter({ kind: 'between', operand, low: value, high: value }) },
    { filter: printFilter({ kind: 'compare', operator: 'eq', operand: path, value }) },
    { filter: printFilter({ kind: 'is_null', operand: path }) },
    { filter: printFilter({ kind: 'is_null', operand: { kind: 'field', name: payload, position: 0 } }) },
    { filter: payload },
    { filter: `eq(${name},${payload})` },
    { filter: `gt(float(at(${name},${payload})),1)` },
    { [name]: payload },
    { [`geq(${name})`]: payload },
    { [`equ(at(${name},'${payload}'))`]: payload },
    { [payload]: name },
    { sort: payload },
    { sort: `desc(at(${name},'${payload}'))` },
    { sort: `${name}:${payload}` },
    { search: payload },
    { limit: payload },
    { offset: payload },
    { cursor: payload },
  ];
}
