import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from '#testing/properties.ts';
import type { Sql } from '#core/sql.ts';
import { testDatabase } from '#testing/database.ts';
import {
  compileList,
  createCursorSigner,
  parseListQuery,
  type CompiledList,
  type RawQuery,
} from '#core/filter/index.ts';
import { parseFilter } from '#core/filter/parse.ts';
import { parseSort } from '#core/filter/parse-sort.ts';
import { printFilter, printSort } from '#core/filter/print.ts';
import { comparisons, filters, kinds, rows, sampleFields, sorts } from './filter-cases.ts';
import { compareRows, evaluate, isMatch, type Row } from './filter-reference.ts';

const cases = Number(process.env['ASSAYER_FILTER_CASES'] ?? 2_000);
const cursors = createCursorSigner(Buffer.alloc(32, 7));
const { database } = await testDatabase({ empty: true });

interface Found {
  readonly id: string;
  readonly total: number;
  readonly list_key: string;
}

interface Case {
  readonly filter: string | undefined;
  readonly sort: string | undefined;
  readonly search: string | undefined;
  readonly comparison: (typeof comparisons)[number] | undefined;
  readonly limit: number;
  readonly offset: number;
}

const anyCase: fc.Arbitrary<Case> = fc.record({
  filter: fc.option(
    filters.map((filter) => printFilter(filter)),
    { nil: undefined, freq: 8 },
  ),
  sort: fc.option(
    sorts.map((sort) => printSort(sort)),
    { nil: undefined, freq: 6 },
  ),
  search: fc.option(fc.constantFrom('a', 'A', '%', '_', '\\', '50% o', "o'b", '日', 'zzz'), {
    nil: undefined,
    freq: 1,
  }),
  comparison: fc.option(fc.constantFrom(...comparisons), { nil: undefined, freq: 1 }),
  limit: fc.integer({ min: 1, max: 100 }),
  offset: fc.integer({ min: 0, max: 40 }),
});

function formatInstant(row: Row): string {
  const micros = row['created_at'];
  if (typeof micros !== 'bigint') throw new Error('a row without created_at');
  const part = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const second = new Date(Number((micros - part) / 1000n)).toISOString().slice(0, 19);
  return `${second}.${String(part).padStart(6, '0')}Z`;
}

function formatJson(row: Row): string | null {
  const { meta } = row;
  return typeof meta === 'object' && meta !== null ? JSON.stringify(meta.json) : null;
}

async function createSamples(): Promise<void> {
  await database.read.query(`create table samples (
    id uuid primary key, name text, code text not null, status text not null, amount int8, score float8,
    flag boolean, created_at timestamptz not null, due date, meta jsonb)`);
  for (const row of rows) {
    const { id, name, code, status, amount, score, flag, due } = row;
    const amountText = typeof amount === 'bigint' ? String(amount) : null;
    await database.read.query(
      'insert into samples values ($1, $2, $3, $4, $5, $6, $7, $8::timestamptz, $9::date, $10::jsonb)',
      [id, name, code, status, amountText, score, flag, formatInstant(row), due, formatJson(row)],
    );
  }
}

async function run(list: CompiledList, sql: Sql = database.read): Promise<Found[]> {
  return sql.query<Found>(
    `select s.id, ${list.keyColumn} as list_key,
            (select count(*) from samples s where $1::int8 = 1 and ${list.where}) as total
     from samples s where $1::int8 = 1 and ${list.pageWhere}
     order by ${list.orderBy} ${list.limitOffset}`,
    ['1', ...list.values],
  );
}

function buildRawQuery(one: Case, more: RawQuery): RawQuery {
  const { filter, sort, search, comparison, limit } = one;
  const compared = comparison === undefined ? {} : { [comparison[0]]: comparison[1] };
  return { filter, sort, search, limit, ...compared, ...more };
}

function compile(query: RawQuery): CompiledList {
  return compileList(parseListQuery(sampleFields, query, { cursors }), { firstParameter: 2 });
}

function computeExpected(one: Case): unknown[] {
  const { search } = one;
  const conditions = [one.filter, one.comparison?.[2]]
    .filter((text) => text !== undefined)
    .map((text) => parseFilter(text));
  return rows
    .filter((row) => conditions.every((filter) => evaluate(kinds, row, filter) === true))
    .filter((row) => search === undefined || isMatch(row, ['name', 'code'], search))
    .toSorted(compareRows(kinds, parseSort(one.sort ?? '-created_at'), 'id'))
    .map((row) => row['id']);
}

async function walk(one: Case, sql: Sql = database.read): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const list = compile(buildRawQuery(one, { cursor }));
    const { items, next } = list.buildPage(await run(list, sql));
    ids.push(...items.map((item) => item.id));
    cursor = next;
    assert.ok(ids.length <= rows.length, 'a walk by cursor goes on for ever');
  } while (cursor !== undefined);
  return ids;
}

describe('filter, sort and paging against PostgreSQL', () => {
  before(createSamples);

  it(`filter: ${cases} random queries → PostgreSQL agrees with the reference evaluator`, async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async (one) => {
        const want = computeExpected(one);
        const list = compile(buildRawQuery(one, { offset: one.offset }));
        const found = await run(list);
        const ids = list.buildPage(found).items.map((item) => item.id);
        assert.deepEqual(ids, want.slice(one.offset, one.offset + one.limit));
        if (found[0] !== undefined) assert.equal(found[0].total, want.length);
      }),
      { numRuns: cases },
    );
  });

  it('cursor: random queries, every page in turn → no row is repeated or missing', async () => {
    const walked = anyCase.map((one) => ({ ...one, limit: Math.max(4, one.limit) }));
    await fc.assert(
      fc.asyncProperty(walked, async (one) => {
        assert.deepEqual(await walk(one), computeExpected(one));
      }),
      { numRuns: Math.ceil(cases / 5) },
    );
  });

  it('filter: the session changes date style and time zone → the result stays the same', async () => {
    await database.runTransaction(async (tx) => {
      await tx.query("set local timezone to 'America/St_Johns'");
      await tx.query("set local datestyle to 'SQL, DMY'");
      await fc.assert(
        fc.asyncProperty(anyCase, async (one) => {
          assert.deepEqual(await walk({ ...one, limit: Math.max(20, one.limit) }, tx), computeExpected(one));
        }),
        { numRuns: Math.ceil(cases / 10) },
      );
    });
  });
});
