import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { testDatabase } from '#testing/database.ts';
import { compileList, createCursorSigner, listFields, parseListQuery } from '#core/filter/index.ts';

const { database } = await testDatabase({ empty: true });
const cursors = createCursorSigner(Buffer.alloc(32, 5));
const standing = 10_000;
/** Bounds what one writer adds, so that a walk on a slow machine reaches the end of the rows. */
const maxRounds = 3_000;

const fields = listFields({
  name: 'walkers',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    id: { kind: 'int', sql: 'w.id' },
    name: { kind: 'text', sql: 'w.name', nullable: true },
    created_at: { kind: 'timestamp', sql: 'w.created_at' },
  },
});

interface Found {
  readonly id: number;
  readonly list_key: string;
}

async function walk(sort: string): Promise<number[]> {
  const ids: number[] = [];
  let cursor: string | undefined;
  do {
    const list = compileList(parseListQuery(fields, { sort, cursor, limit: 100 }, { cursors }));
    const rows = await database.read.query<Found>(
      `select w.id, ${list.keyColumn} as list_key from walkers w
       where ${list.pageWhere} order by ${list.orderBy} ${list.limitOffset}`,
      list.values,
    );
    const { items, next } = list.buildPage(rows);
    ids.push(...items.map((item) => item.id));
    cursor = next;
  } while (cursor !== undefined);
  return ids;
}

/** Adds and removes rows of its own, between and beside the standing ones, until the walk ends. */
async function disturb(signal: AbortSignal, first: number): Promise<void> {
  for (let round = 0; round < maxRounds && !signal.aborted; round += 1) {
    const id = first + round;
    await database.read.query(
      `insert into walkers select $1::int8, 'name ' || ($1::int8 % 1000), now() - ($1::int8 % 10000) * interval '1 s'`,
      [id],
    );
    if (round % 2 === 0) await database.read.query('delete from walkers where id = $1', [id]);
    await setTimeout(1);
  }
}

describe('cursor beside writers', () => {
  before(async () => {
    await database.read.query(
      'create table walkers (id int8 primary key, name text, created_at timestamptz not null)',
    );
    await database.read.query(
      `insert into walkers
       select i, case when i % 10 = 0 then null else 'name ' || i % 1000 end, now() - i / 3 * interval '1 s'
       from generate_series(1, $1::int8) i`,
      [standing],
    );
  });

  for (const sort of ['-created_at', 'name', '-name,created_at']) {
    it(`cursor: two writers during a walk sorted by ${sort} → no row twice and no standing row missing`, async () => {
      const stop = new AbortController();
      const writers = [disturb(stop.signal, 1_000_000), disturb(stop.signal, 2_000_000)];
      const ids = await walk(sort);
      stop.abort();
      await Promise.all(writers);
      await database.read.query('delete from walkers where id > $1', [standing]);
      assert.equal(new Set(ids).size, ids.length);
      assert.equal(ids.filter((id) => id <= standing).length, standing);
    });
  }
});
