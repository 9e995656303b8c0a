import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Sql } from '#core/sql.ts';
import { testDatabase } from '#testing/database.ts';
import { migrate, requireMigrated } from './migrate.ts';

const FIRST = 'create table thing (id int primary key);';
const SECOND = 'insert into thing values (1);\ninsert into thing values (2);';

/** An empty database and a directory with the given migrations. */
async function createFixture(files: Record<string, string>) {
  const { connection, database } = await testDatabase({ empty: true });
  const directory = mkdtempSync(join(tmpdir(), 'assayer-migrations-'));
  const write = (name: string, sql: string) => writeFileSync(join(directory, name), sql);
  for (const [name, sql] of Object.entries(files)) write(name, sql);
  return {
    directory,
    write,
    run: () => migrate({ connection, directory }),
    check: () => requireMigrated({ connection, directory }),
    sql: database.read,
  };
}

function removeAfter(t: TestContext, directory: string): void {
  t.after(() => rmSync(directory, { recursive: true, force: true }));
}

async function countThings(sql: Sql): Promise<number | undefined> {
  const rows = await sql.query<{ n: number }>('select count(*) as n from thing');
  return rows[0]?.n;
}

test('migrate: new files → applied once each, in order', async (t) => {
  const { directory, write, run, sql } = await createFixture({ '0001_first.sql': FIRST });
  removeAfter(t, directory);
  assert.deepEqual(await run(), ['0001_first.sql']);
  write('0002_second.sql', SECOND);
  assert.deepEqual(await run(), ['0002_second.sql']);
  assert.deepEqual(await run(), []);
  assert.equal(await countThings(sql), 2);
});

test('requireMigrated: the same, an older and a newer schema → accepted, refused, refused, and nothing is applied', async (t) => {
  const { directory, write, run, check, sql } = await createFixture({ '0001_first.sql': FIRST });
  removeAfter(t, directory);
  await run();
  await check();
  write('0002_second.sql', SECOND);
  await assert.rejects(check(), /older schema than this command: 1 of 2 migrations/);
  assert.equal(await countThings(sql), 0);
  await run();
  rmSync(join(directory, '0002_second.sql'));
  await assert.rejects(check(), /0002_second\.sql.*newer than the code/);
});

test('migrate: an empty directory → no error', async (t) => {
  const { directory, run } = await createFixture({});
  removeAfter(t, directory);
  assert.deepEqual(await run(), []);
});

test('migrate: four processes start at once → every file is applied exactly once', async (t) => {
  const { directory, run, sql } = await createFixture({ '0001_first.sql': FIRST, '0002_second.sql': SECOND });
  removeAfter(t, directory);
  const applied = await Promise.all([run(), run(), run(), run()]);
  assert.deepEqual(applied.flat().sort(), ['0001_first.sql', '0002_second.sql']);
  assert.equal(await countThings(sql), 2);
});

test('migrate: an applied file was changed → refused', async (t) => {
  const { directory, write, run } = await createFixture({ '0001_first.sql': FIRST });
  removeAfter(t, directory);
  await run();
  write('0001_first.sql', FIRST.replaceAll('\n', '\r\n'));
  assert.deepEqual(await run(), []);
  write('0001_first.sql', `${FIRST} -- edited`);
  await assert.rejects(run(), /0001_first\.sql was applied in another form/);
});

test('migrate: an applied file was renamed → refused', async (t) => {
  const { directory, run } = await createFixture({ '0001_first.sql': FIRST });
  removeAfter(t, directory);
  await run();
  renameSync(join(directory, '0001_first.sql'), join(directory, '0001_other.sql'));
  await assert.rejects(run(), /was applied in another form than 0001_other\.sql/);
});

test('migrate: the database is newer than the code → refused', async (t) => {
  const { directory, run } = await createFixture({ '0001_first.sql': FIRST, '0002_second.sql': SECOND });
  removeAfter(t, directory);
  await run();
  rmSync(join(directory, '0002_second.sql'));
  await assert.rejects(run(), /0002_second\.sql.*newer than the code/);
});

test('migrate: a file fails → nothing remains, and the error names its line', async (t) => {
  const { directory, write, run, sql } = await createFixture({
    '0001_first.sql': FIRST,
    '0002_second.sql': `${SECOND}\ninsert into missing values (1);`,
  });
  removeAfter(t, directory);
  await assert.rejects(run(), /0002_second\.sql failed at line 3: relation "missing" does not exist/);
  assert.equal(await countThings(sql), 0);
  write('0002_second.sql', SECOND);
  assert.deepEqual(await run(), ['0002_second.sql']);
});

test('migrate: gaps, wrong names, or files with transactions of their own → refused', async (t) => {
  const { directory, write, run } = await createFixture({ '0002_second.sql': SECOND });
  removeAfter(t, directory);
  await assert.rejects(run(), /0002_second\.sql should be number 0001/);
  write('0001-First.sql', FIRST);
  await assert.rejects(run(), /0001-First\.sql is not named NNNN_name\.sql/);
  rmSync(join(directory, '0001-First.sql'));
  write('0001_first.sql', `${FIRST}\ncommit;\n`);
  await assert.rejects(run(), /0001_first\.sql controls transactions itself/);
  write('0001_first.sql', `${FIRST}\ndo $$ begin\n  perform 1;\nend;\n$$;\n`);
  assert.deepEqual(await run(), ['0001_first.sql', '0002_second.sql']);
});
