/** All services on one database have one directory of raw files: another one is refused, and an operator can accept it. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { INSTALLATION_ID } from '#features/audit/rules.ts';
import { readSettings } from '#settings/settings.ts';
import { createBuilders } from '#testing/builders.ts';
import { testService } from '#testing/service.ts';
import { requireRawFileDirectory } from '#cli/start.ts';
import { runAssayer } from './cli-process.ts';

const directory = mkdtempSync(join(tmpdir(), 'assayer-raw-files-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const world = await testService();
const { service, dataDir, databaseUrl } = world;
const { read } = service.database;
before(async () => {
  const { createRecorded } = await createBuilders(world);
  await createRecorded();
});

/** A start of a service with this data directory, as far as raw files go; the sentence where it is refused. */
const start = (dataDirectory: string): Promise<string> =>
  requireRawFileDirectory(service, readSettings({ DATA_DIR: dataDirectory })).then(
    () => 'started',
    (error: unknown) => {
      assert.ok(error instanceof Error);
      return error.message;
    },
  );
const adopt = (dataDirectory: string) =>
  runAssayer(['raw-files', 'adopt', '--data-dir', dataDirectory], { env: { DATABASE_URL: databaseUrl } });
const removeClaim = () => read.query('delete from raw_file_directory');
const getMarkPath = (dataDirectory: string) => join(dataDirectory, 'blobs', 'directory-id');
const readMark = (dataDirectory: string) => readFileSync(getMarkPath(dataDirectory), 'utf8').trim();
const readKnown = async () => (await read.query<{ id: string }>('select id from raw_file_directory'))[0]?.id;
const place = (name: string) => join(directory, name);

test('raw file directory: a database that knows none beside a directory without its raw files → refused, and nothing is written', async () => {
  await removeClaim();
  assert.match(
    await start(place('empty')),
    /^DATA_DIR: .*empty\/blobs is not the directory of raw files of this database: it lacks the raw file .*restore blobs from the backup.*"assayer raw-files adopt"/,
  );
  assert.equal(existsSync(place('empty')), false);
  assert.equal(await readKnown(), undefined);
});

test('raw file directory: the first start → directory and database have one id, and later starts and copies pass', async () => {
  await removeClaim();
  assert.equal(await start(dataDir), 'started');
  const id = readMark(dataDir);
  assert.equal(await readKnown(), id);
  assert.equal(await start(dataDir), 'started');
  cpSync(dataDir, place('copy'), { recursive: true });
  assert.equal(await start(place('copy')), 'started');
  assert.equal(readMark(place('copy')), id);
});

test('raw file directory: no id, the id of another, or a damaged id → refused with the reason', async () => {
  await removeClaim();
  assert.equal(await start(dataDir), 'started');
  cpSync(dataDir, place('changed'), { recursive: true });
  for (const [mark, reason] of [
    ['01980000-0000-7000-8000-0000000000b1\n', /its file directory-id has another id/],
    ['', /its file directory-id is missing/],
    ['0198', /its file directory-id is missing/],
  ] as const) {
    writeFileSync(getMarkPath(place('changed')), mark);
    assert.match(await start(place('changed')), reason);
  }
  rmSync(getMarkPath(place('changed')));
  assert.match(await start(place('changed')), /its file directory-id is missing/);
});

test('raw file directory: twelve first starts at once on one directory → all pass, with one id and no file left over', async () => {
  cpSync(dataDir, place('shared'), { recursive: true });
  rmSync(getMarkPath(place('shared')), { force: true });
  await removeClaim();
  const starts = await Promise.all(Array.from({ length: 12 }, () => start(place('shared'))));
  assert.deepEqual(new Set(starts), new Set(['started']));
  assert.equal(readMark(place('shared')), await readKnown());
  const others = readdirSync(join(place('shared'), 'blobs')).filter((name) => name.includes('directory-id'));
  assert.deepEqual(others, ['directory-id']);
});

test('raw file directory: first starts at once on two directories → exactly one directory is taken', async () => {
  for (const name of ['left', 'right']) {
    cpSync(dataDir, place(name), { recursive: true });
    rmSync(getMarkPath(place(name)), { force: true });
  }
  await removeClaim();
  const names = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? 'left' : 'right'));
  const starts = await Promise.all(names.map(async (name) => [name, await start(place(name))] as const));
  const started = new Set(starts.filter(([, said]) => said === 'started').map(([name]) => name));
  assert.equal(started.size, 1);
  for (const [name, said] of starts)
    if (!started.has(name)) assert.match(said, /its file directory-id (?:has another id|is missing)/);
  assert.equal(starts.filter(([, said]) => said === 'started').length, 6);
});

test('raw file directory: two databases share a directory → both take its id', async () => {
  await removeClaim();
  assert.equal(await start(dataDir), 'started');
  const id = readMark(dataDir);
  const other = await testService();
  await requireRawFileDirectory(other.service, readSettings({ DATA_DIR: dataDir }));
  const rows = await other.service.database.read.query('select id from raw_file_directory');
  assert.deepEqual(rows, [{ id }]);
});

test('assayer raw-files adopt: the raw files are lost → it counts them, the next start passes, and the old directory is refused', async () => {
  await removeClaim();
  assert.equal(await start(dataDir), 'started');
  assert.match(await start(place('lost')), /its file directory-id is missing/);
  const adopted = await adopt(place('lost'));
  assert.equal(adopted.code, 0, adopted.err);
  assert.match(
    adopted.out,
    /lost\/blobs is now the directory of raw files of the database\. 1 of 1 raw files of the database are missing/,
  );
  assert.equal(await start(place('lost')), 'started');
  assert.match(await start(dataDir), /its file directory-id has another id/);
  const [entry] = await read.query(
    `select actor_kind, subject, details from audit_log
     where operation_id = 'adopt_raw_file_directory' and organization_id = $1`,
    [INSTALLATION_ID],
  );
  assert.deepEqual(entry, {
    actor_kind: 'operator',
    subject: readMark(place('lost')),
    details: { path: join(place('lost'), 'blobs') },
  });
});

test('assayer raw-files adopt: a copy without its id → no file is missing, and it passes', async () => {
  await removeClaim();
  assert.equal(await start(dataDir), 'started');
  cpSync(dataDir, place('unmarked'), { recursive: true });
  rmSync(getMarkPath(place('unmarked')));
  const adopted = await adopt(place('unmarked'));
  assert.match(adopted.out, /0 of 1 raw files of the database are missing/);
  assert.equal(await start(place('unmarked')), 'started');
});

test('assayer raw-files: another verb → exit code 2', async () => {
  assert.equal((await runAssayer(['raw-files', 'forget'])).code, 2);
});

test('DATA_DIR: its blobs is a file → a sentence', async () => {
  await removeClaim();
  const inTheWay = place('file');
  cpSync(dataDir, inTheWay, { recursive: true });
  rmSync(join(inTheWay, 'blobs'), { recursive: true });
  writeFileSync(join(inTheWay, 'blobs'), '');
  assert.match(await start(inTheWay), /it lacks the raw file/);
  await read.query('delete from raw_files');
  assert.match(await start(inTheWay), /^DATA_DIR: .*blobs cannot be written: it is a file/);
});
