import { findErrorCode } from '#core/records.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailableError, getExactlyOne, getFirst } from '#core/sql.ts';
import { testDatabase } from '#testing/database.ts';
import { requireDurability } from './durability.ts';
import { createDatabase } from './pool.ts';

const { database, connection } = await testDatabase({
  empty: true,
  delay: () => Promise.resolve(),
  drawRandom: () => 0,
});
await database.read.query('create table counter (id int primary key, n int not null)');

/** Passes when a test says so; longer than a busy machine needs to open a connection. */
const CONNECT_LIMIT_MS = 60_000;

/** A promise and the function that settles it. */
function createGate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}

async function count(id: number): Promise<number | undefined> {
  const rows = await database.read.query<{ n: number }>('select n from counter where id = $1', [id]);
  return getFirst(rows)?.n;
}

test('values: int8, timestamptz, date, numeric, json and arrays → the promised JavaScript types', async () => {
  const rows = await database.read.query<Record<string, unknown>>(
    `select 9007199254740991::int8 as i, timestamptz '2026-02-03 04:05:06.789999+02' as t, date '2026-02-03' as d,
            1.10::numeric as m, '{"a":[1]}'::jsonb as j, array[1,null,3]::int8[] as ia,
            array[timestamptz '2026-01-01 00:00:00+00'] as ta, null::timestamptz as missing`,
  );
  assert.deepEqual(getExactlyOne(rows), {
    i: 9_007_199_254_740_991,
    t: '2026-02-03T02:05:06.789Z',
    d: '2026-02-03',
    m: '1.10',
    j: { a: [1] },
    ia: [1, null, 3],
    ta: ['2026-01-01T00:00:00.000Z'],
    missing: null,
  });
});

test('values: an integer beyond 2^53 → an error, never another number', async () => {
  await assert.rejects(database.read.query('select 9007199254740992::int8'), /cannot hold exactly/);
  assert.equal(await database.isHealthy(), true);
});

test('statements: the same text three times → prepared once under one name', async () => {
  await database.runTransaction(async (tx) => {
    for (const value of [1, 2, 3]) await tx.query('select $1::int + 41 as once', [value]);
    const prepared = await tx.query<{ name: string }>(
      `select name from pg_prepared_statements where statement like 'select $1::int + 41 as once%'`,
    );
    assert.equal(prepared.length, 1);
    assert.match(getExactlyOne(prepared).name, /^s_[\w-]{22}$/);
  });
});

test('statements: a table gets a column → the next read has it', async () => {
  await database.read.query('create table shape (a int)');
  await database.read.query('insert into shape values (1)');
  assert.deepEqual(await database.read.query('select * from shape'), [{ a: 1 }]);
  await database.read.query('alter table shape add b int');
  assert.deepEqual(await database.read.query('select * from shape'), [{ a: 1, b: null }]);
});

test('transaction: hooks → run after the commit only', async () => {
  const events: string[] = [];
  await database.runTransaction(async (tx) => {
    tx.runAfterCommit(() => events.push('hook'));
    tx.runAfterCommit(() => {
      throw new Error('ignored');
    });
    await tx.query('insert into counter values (1, 1)');
    events.push('body');
  });
  assert.deepEqual(events, ['body', 'hook']);
  assert.equal(await count(1), 1);
});

test('transaction: the body throws → rolled back, no hook runs, the error passes through', async () => {
  const problem = new Error('no');
  let hooks = 0;
  const attempt = database.runTransaction(async (tx) => {
    tx.runAfterCommit(() => {
      hooks += 1;
    });
    await tx.query('insert into counter values (2, 1)');
    throw problem;
  });
  await assert.rejects(attempt, (error) => error === problem);
  assert.equal(hooks, 0);
  assert.equal(await count(2), undefined);
});

test('transaction: the body swallows a failed statement → no commit', async () => {
  const attempt = database.runTransaction(async (tx) => {
    await tx.query('insert into counter values (3, 1)');
    await tx.query('select 1 / $1::int', [0]).catch(() => undefined);
  });
  await assert.rejects(attempt, /division by zero/);
  assert.equal(await count(3), undefined);
});

test('transaction: a statement after its end → refused', async () => {
  const late = await database.runTransaction((tx) => Promise.resolve(tx));
  await assert.rejects(late.query('select 1'), /has ended/);
});

test('transaction: a system error in the body → not taken for a database outage', async () => {
  const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' });
  await assert.rejects(
    database.runTransaction(() => Promise.reject(missing)),
    (error) => error === missing,
  );
});

test('transaction: a serialization failure → retried, and both writers succeed', async () => {
  await database.read.query('insert into counter values (10, 0)');
  const bothRead = createGate();
  let readers = 0;
  let runs = 0;
  const increment = () =>
    database.runTransaction(
      async (tx) => {
        runs += 1;
        const { n } = getExactlyOne(await tx.query<{ n: number }>('select n from counter where id = 10'));
        readers += 1;
        if (readers === 2) bothRead.open();
        await bothRead.opened;
        await tx.query('update counter set n = $1 where id = 10', [n + 1]);
      },
      { isolation: 'repeatable read' },
    );
  await Promise.all([increment(), increment()]);
  assert.equal(await count(10), 2);
  assert.equal(runs, 3);
});

test('transaction: a deadlock → retried', async () => {
  await database.read.query('insert into counter values (20, 0), (21, 0)');
  const bothLocked = createGate();
  let locked = 0;
  const move = (from: number, to: number) =>
    database.runTransaction(async (tx) => {
      await tx.query('update counter set n = n + 1 where id = $1', [from]);
      locked += 1;
      if (locked === 2) bothLocked.open();
      await bothLocked.opened;
      await tx.query('update counter set n = n + 1 where id = $1', [to]);
    });
  await Promise.all([move(20, 21), move(21, 20)]);
  assert.deepEqual([await count(20), await count(21)], [2, 2]);
});

test('transaction: five retries fail → DatabaseUnavailableError', async () => {
  let runs = 0;
  const attempt = database.runTransaction(async (tx) => {
    runs += 1;
    await tx.query(`do $$ begin raise exception 'lost' using errcode = '40001'; end $$`);
  });
  await assert.rejects(attempt, (error) => {
    assert.ok(error instanceof DatabaseUnavailableError);
    assert.equal(findErrorCode(error.cause), '40001');
    return true;
  });
  assert.equal(runs, 6);
});

test('transaction: a write in a read-only transaction → refused', async () => {
  const attempt = database.runTransaction((tx) => tx.query('delete from counter'), { readOnly: true });
  await assert.rejects(attempt, /read-only transaction/);
});

test('unavailable: the pool is full → refused at once beyond its queue, and after the limit within it', async (t) => {
  const small = createDatabase({ connection, max: 1, maxWaiting: 1, connectTimeoutMs: CONNECT_LIMIT_MS });
  t.after(() => small.close());
  const release = createGate();
  const held = createGate();
  const holder = small.runTransaction(async () => {
    held.open();
    await release.opened;
  });
  await held.opened;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const queued = small.read.query('select 1');
  const expectBusy = (sentence: RegExp) => (error: unknown) =>
    error instanceof DatabaseUnavailableError && error.isBusy && sentence.test(error.message);
  await assert.rejects(small.read.query('select 1'), expectBusy(/Too many requests are waiting/));
  t.mock.timers.tick(CONNECT_LIMIT_MS);
  await assert.rejects(queued, expectBusy(/Every connection to the database is in use/));
  t.mock.timers.reset();
  release.open();
  await holder;
  assert.deepEqual(await small.read.query('select 1 as one'), [{ one: 1 }]);
});

test('waitUntilAnswering: a full pool frees in time → answered; too late → the last refusal', async (t) => {
  const small = createDatabase({
    connection,
    max: 1,
    connectTimeoutMs: CONNECT_LIMIT_MS,
    delay: () => Promise.resolve(),
  });
  t.after(() => small.close());
  const [release, held] = [createGate(), createGate()];
  const holder = small.runTransaction(async () => {
    held.open();
    await release.opened;
  });
  await held.opened;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const expectRefusal = async (asking: Promise<unknown>): Promise<void> => {
    t.mock.timers.tick(CONNECT_LIMIT_MS);
    await assert.rejects(asking, DatabaseUnavailableError);
  };
  await expectRefusal(small.waitUntilAnswering(0));
  const waiting = small.waitUntilAnswering(600_000);
  await expectRefusal(small.read.query('select 1'));
  t.mock.timers.reset();
  release.open();
  await holder;
  await waiting;
});

test('unavailable: no server at the address → DatabaseUnavailableError with a time to wait', async (t) => {
  const nowhere = createDatabase({ connection: { ...connection, host: '/nonexistent' } });
  t.after(() => nowhere.close());
  await assert.rejects(nowhere.read.query('select 1'), DatabaseUnavailableError);
  await assert.rejects(
    nowhere.runTransaction((tx) => tx.query('select 1')),
    (error) => error instanceof DatabaseUnavailableError && error.retryAfterSeconds > 0,
  );
  assert.equal(await nowhere.isHealthy(), false);
});

test('unavailable: a connection is terminated → its statement fails and the pool recovers', async () => {
  const attempt = database.runTransaction((tx) => tx.query('select pg_terminate_backend(pg_backend_pid())'));
  await assert.rejects(attempt, DatabaseUnavailableError);
  assert.equal(await database.isHealthy(), true);
});

test('unavailable: an idle connection is terminated → the process lives', async () => {
  await Promise.all([database.read.query('select 1'), database.read.query('select 2')]);
  await database.runTransaction((tx) =>
    tx.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    ),
  );
  assert.equal(await database.isHealthy(), true);
});

test('unavailable: a slow statement on a server that answers → not interrupted', async () => {
  const [row] = await database.read.query<{ done: number }>('select 1 as done from pg_sleep(1.8)');
  assert.equal(row?.done, 1);
});

test('durability: a server that may lose commits → refused with a sentence', async () => {
  // The test server trades durability for speed.
  await assert.rejects(requireDurability(database.read), /runs with fsync off/);
});

test('limits: a read, then a transaction on one connection → each has its own limit', async () => {
  const limited = createDatabase({ connection, max: 1, readTimeoutMs: 150, statementTimeoutMs: 5_000 });
  const readLimit = async (sql: typeof limited.read) =>
    getFirst(await sql.query<{ ms: string }>(`select current_setting('statement_timeout') as ms`))?.ms;
  try {
    await assert.rejects(
      limited.read.query('select pg_sleep(3)'),
      (error) => findErrorCode(error) === '57014',
    );
    assert.equal(await readLimit(limited.read), '150ms');
    await limited.runTransaction(async (tx) => {
      assert.equal(await readLimit(tx), '5s');
      await tx.query('select pg_sleep(0.3)');
    });
    assert.equal(await readLimit(limited.read), '150ms');
  } finally {
    await limited.close();
  }
});

test('database_unavailable: the server turns read-only → reads answer, a write says so, and writes recover by themselves', async () => {
  const { database: own, connection } = await testDatabase();
  await own.read.query('create table kept (id int)');
  const set = (value: string) =>
    own.read.query(
      `begin; set transaction read write; alter database ${connection.database} set default_transaction_read_only = ${value}; commit`,
    );
  await set('on');
  // Connections that stand keep their setting; a failed write gives its connection up.
  const second = createDatabase({ connection, max: 2 });
  try {
    assert.deepEqual(await second.read.query('select 1 as one'), [{ one: 1 }]);
    const write = () => second.runTransaction((tx) => tx.query('insert into kept values (1)'));
    await assert.rejects(
      write(),
      (error) =>
        error instanceof DatabaseUnavailableError &&
        !error.isBusy &&
        /read-only/.test(error.noWrites ?? '') &&
        error.retryAfterSeconds === 10,
    );
    await set('off');
    await write();
    assert.deepEqual(await second.read.query('select id from kept'), [{ id: 1 }]);
  } finally {
    await second.close();
  }
});

test('isDiskFull: a statement that the disk is too full for → for a minute; a statement refused for another cause → not', async () => {
  const { connection } = await testDatabase();
  let now_ms = 0;
  const own = createDatabase({ connection, max: 1, now: () => now_ms });
  const refuse = (code: string) =>
    own.runTransaction((tx) => tx.query(`do $$ begin raise exception using errcode = '${code}'; end $$`));
  try {
    await assert.rejects(refuse('22023'));
    assert.equal(own.isDiskFull(), false);
    await assert.rejects(
      refuse('53100'),
      (error) => error instanceof DatabaseUnavailableError && /disk is full/.test(error.noWrites ?? ''),
    );
    now_ms = 59_999;
    assert.equal(own.isDiskFull(), true);
    now_ms = 60_000;
    assert.equal(own.isDiskFull(), false);
  } finally {
    await own.close();
  }
});

test('transaction: a write in a transaction that only reads → the fault of the caller, not an outage', async () => {
  await assert.rejects(
    database.runTransaction((tx) => tx.query('insert into counter values (77, 0)'), { readOnly: true }),
    (error) => error instanceof Error && !(error instanceof DatabaseUnavailableError),
  );
});
