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
import { sampleFields } from './filter-cases.ts';
import { assertStatement } from './filter-statement.ts';
import { payloads, listQueries } from './injection-corpus.ts';

const { database } = await testDatabase({ empty: true });
const cursors = createCursorSigner(Buffer.alloc(32, 9));

async function answerQuery(raw: RawQuery): Promise<'refused' | 'answered'> {
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
    it(`filter_type: hostile values in ${name} → refused or answered, and the statement never holds them`, async () => {
      let answered = 0;
      for (const payload of payloads) {
        for (const raw of listQueries(name, payload))
          if ((await answerQuery(raw)) === 'answered') answered += 1;
      }
      assert.ok(answered > 0);
    });
  }

  it('filter_type: every cast of every stored payload → a value or NULL, never an error', async () => {
    const operands = ['name', 'at(meta,ph)'];
    const casts = ['float', 'int', 'text', 'timestamp', 'date'];
    for (const operand of operands) {
      for (const cast of casts) {
        for (const outer of casts) {
          const sort = `desc(${outer}(${cast}(${operand})))`;
          const filter = `is_null(${outer}(${cast}(${operand})))`;
          await answerQuery({ filter, sort });
        }
      }
    }
  });

  it('filter injection: after all hostile values → the table still exists with its rows', async () => {
    const rows = await database.read.query('select 1 from samples');
    assert.ok(rows.length > 40);
  });
});
