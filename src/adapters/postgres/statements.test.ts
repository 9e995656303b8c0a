import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getExactlyOne } from '#core/sql.ts';
import { testDatabase } from '#testing/database.ts';
import { StatementNames } from './pool.ts';

const { database } = await testDatabase({ empty: true, max: 1 });

async function countPrepared(): Promise<number> {
  const rows = await database.read.query<{ n: number }>('select count(*) as n from pg_prepared_statements');
  return getExactlyOne(rows).n;
}

async function readConnectionPid(): Promise<number> {
  return getExactlyOne(await database.read.query<{ pid: number }>('select pg_backend_pid() as pid')).pid;
}

test('statement names: a text is used again → the same name, different from that of other texts', () => {
  const names = new StatementNames();
  const texts = Array.from({ length: 600 }, (_, index) => `select ${index}`);
  assert.deepEqual(new Set(texts.map((text) => names.getName(text))), new Set([undefined]));
  const assigned = texts.map((text) => names.getName(text));
  assert.equal(new Set(assigned).size, texts.length);
  assert.deepEqual(
    texts.map((text) => names.getName(text)),
    assigned,
  );
});

test('statement names: a text in use among 5,000 others → keeps its name', () => {
  const names = new StatementNames();
  names.getName('hot');
  const name = names.getName('hot');
  for (let index = 0; index < 5_000; index += 1) {
    assert.equal(names.getName(`cold ${index}`), undefined);
    if (index % 500 === 0) assert.equal(names.getName('hot'), name);
  }
  assert.equal(names.getName('cold 0'), undefined, 'forgotten, so it counts as asked once');
});

test('statement names: a very long text → none', () => {
  const names = new StatementNames();
  const text = `select ${'1 + '.repeat(4_000)}1`;
  assert.equal(names.getName(text), undefined);
  assert.equal(names.getName(text), undefined);
});

test('connections: a text that is asked once → not prepared', async () => {
  const before = await countPrepared();
  for (let index = 0; index < 50; index += 1) {
    assert.deepEqual(await database.read.query(`select $1::int + ${index} as once`, [1]), [
      { once: index + 1 },
    ]);
  }
  assert.ok((await countPrepared()) <= before + 1);
});

test('connections: too many prepared statements → replaced by a new connection', async () => {
  const first = await readConnectionPid();
  let most = 0;
  for (let index = 0; index < 1_300; index += 1) {
    for (const value of [1, 2]) {
      const rows = await database.read.query(`select $1::int * ${index} as twice`, [value]);
      assert.deepEqual(rows, [{ twice: value * index }]);
    }
    if (index % 50 === 49) most = Math.max(most, await countPrepared());
  }
  assert.ok(most > 100 && most <= 500, `${most} prepared statements`);
  assert.notEqual(await readConnectionPid(), first);
  // A name that the old connection had is prepared again by the new one.
  assert.deepEqual(await database.read.query('select $1::int * 7 as twice', [6]), [{ twice: 42 }]);
});
