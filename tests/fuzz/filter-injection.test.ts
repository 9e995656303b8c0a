import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { testDatabase } from '#testing/database.ts';
import {
  compileList,
  createCursorSigner,
  FilterError,
  parseListQuery,
  type RawQuery,
} from '#core/filter/index.ts';
import { printFilter } from '#core/filter/print.ts';
import type { Literal } from '#core/filter/tree.ts';
import { sampleFields } from './filter-cases.ts';
import { assertStatement } from './filter-statement.ts';

const { database } = await testDatabase({ empty: true });
const cursors = createCursorSigner(Buffer.alloc(32, 9));

const payloads = [
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

function quoted(text: string): Literal {
  return { text, quoted: true, cast: null, position: 0 };
}

function queries(name: string, payload: string): RawQuery[] {
  const operand = { kind: 'field', name, position: 0 } as const;
  const path = { kind: 'at', of: operand, key: quoted(payload), position: 0 } as const;
  const value = quoted(payload);
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

async function answers(raw: RawQuery): Promise<'refused' | 'answered'> {
  let list;
  try {
    list = compileList(parseListQuery(sampleFields, raw, { cursors }));
  } catch (error) {
    if (error instanceof FilterError) return 'refused';
    throw error;
  }
  assertStatement(list, sampleFields);
  await database.read.query(
    `select s.id, ${list.keyColumn} as list_key, (select count(*) from samples s where ${list.where}) as total
     from samples s where ${list.pageWhere} order by ${list.orderBy} ${list.limitOffset}`,
    list.values,
  );
  return 'answered';
}

describe('hostile values in every field', () => {
  before(async () => {
    await database.read.query(`create table samples (
      id uuid primary key, name text, code text not null, status text not null, amount int8, score float8,
      flag boolean, created_at timestamptz not null, due date, meta jsonb)`);
    // Every payload is also stored, as text and inside JSON, for the casts to meet.
    for (const payload of payloads) {
      if (payload.includes('\u0000') || !payload.isWellFormed()) continue;
      await database.read.query(
        `insert into samples values (gen_random_uuid(), $1, $1, 'draft', 1, 1, true, now(), null, $2::jsonb)`,
        [payload, JSON.stringify({ [payload]: payload, ph: payload })],
      );
    }
  });

  for (const name of sampleFields.fields.keys()) {
    it(`filter_type: ${name} refuses or answers every one, and the statement never holds it`, async () => {
      let answered = 0;
      for (const payload of payloads) {
        for (const raw of queries(name, payload)) if ((await answers(raw)) === 'answered') answered += 1;
      }
      assert.ok(answered > 0);
    });
  }

  it('filter_type: every cast of every stored payload is a value or NULL, never an error', async () => {
    const operands = ['name', 'at(meta,ph)'];
    const casts = ['float', 'int', 'text', 'timestamp', 'date'];
    for (const operand of operands) {
      for (const cast of casts) {
        for (const outer of casts) {
          const sort = `desc(${outer}(${cast}(${operand})))`;
          const filter = `is_null(${outer}(${cast}(${operand})))`;
          await answers({ filter, sort });
        }
      }
    }
  });

  it('the table is still there', async () => {
    const rows = await database.read.query('select 1 from samples');
    assert.ok(rows.length > 40);
  });
});
