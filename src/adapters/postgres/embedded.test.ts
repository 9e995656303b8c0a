import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailableError } from '#core/sql.ts';
import { requireDurability } from './durability.ts';
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts';
import {
  listClusterProcesses,
  killLeftovers,
  getOwnIdentity,
  readProcessStartTime,
} from './embedded/processes.ts';
import { createDatabase, type PostgresDatabase } from './pool.ts';
import { listWatchers } from '#testing/database-watchers.ts';

const LIMIT_MS = 20_000;
const ORDINARY_ID = 1000;
const asRoot = process.geteuid?.() === 0;
const needsRoot = asRoot ? false : 'needs root';
const needsProc = process.platform === 'linux' ? false : 'needs /proc';

const HOST_PROGRAM = `
  const { startEmbedded } = await import(${JSON.stringify(new URL('./embedded.ts', import.meta.url).href)});
  const server = await startEmbedded({ dataDir: process.argv[1], log: () => undefined });
  console.log(JSON.stringify({ connection: server.connection, pid: server.pid }));
  process.on('SIGTERM', () => server.stop().then(() => process.exit(0)));
  setInterval(() => undefined, 1_000);
`;

const cleanups = new WeakMap<TestContext, (() => unknown)[]>();

/** Runs the function after the test; the last registered runs first, so that a directory outlives its server. */
function addCleanup(t: TestContext, fn: () => unknown): void {
  const known = cleanups.get(t);
  if (known !== undefined) {
    known.push(fn);
    return;
  }
  const list = [fn];
  cleanups.set(t, list);
  t.after(async () => {
    for (const undo of list.toReversed()) await undo();
  });
}

/** A directory that is removed after the test, together with any server still running in it. */
function createScratch(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-embedded-'));
  chmodSync(directory, 0o755);
  addCleanup(t, () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const shared = mkdtempSync(join(tmpdir(), 'assayer-embedded-'));
chmodSync(shared, 0o755);
after(() => rmSync(shared, { recursive: true, force: true }));
/** The data directory of all tests that do not need one of their own: it holds what the starts before have left. */
const SHARED = join(shared, 'data');

/** Writes one row into the table `kept`, whatever was in it. */
async function keep({ read }: Pick<PostgresDatabase, 'read'>, n: number): Promise<void> {
  await read.query('drop table if exists kept');
  await read.query('create table kept (n int)');
  await read.query('insert into kept values ($1)', [n]);
}

async function start(t: TestContext, dataDir: string, log: (line: string) => void = () => undefined) {
  const server = await startEmbedded({ dataDir, log });
  addCleanup(t, () => server.stop());
  return server;
}

function open(t: TestContext, server: Pick<EmbeddedPostgres, 'connection'>) {
  const database = createDatabase({ connection: server.connection, statementTimeoutMs: 5_000 });
  addCleanup(t, () => database.close());
  return database;
}

/** Polls until the condition holds, and fails when it does not within the limit. */
async function waitUntil(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `waited too long for ${what}`);
    await delay(10);
  }
}

interface Hosted {
  readonly child: ChildProcess;
  readonly connection: EmbeddedPostgres['connection'];
  readonly pid: number;
}

/** Runs the supervisor in a process of its own, optionally under another user id. */
async function startHost(t: TestContext, dataDir: string, uid?: number): Promise<Hosted> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', HOST_PROGRAM, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  addCleanup(t, () => child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, ...parseReady(JSON.parse(line)) };
  }
  throw new Error('The hosting process ended before the server was ready.');
}

function parseReady(value: unknown): Omit<Hosted, 'child'> {
  assert.ok(typeof value === 'object' && value !== null && 'pid' in value && 'connection' in value);
  const { pid, connection } = value;
  assert.ok(typeof pid === 'number' && typeof connection === 'object' && connection !== null);
  assert.ok('host' in connection && typeof connection.host === 'string');
  return { pid, connection: { host: connection.host, port: 5432, user: 'assayer', database: 'assayer' } };
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

test('embedded PostgreSQL: start, stop and start again → the data are kept', async (t) => {
  const first = await start(t, SHARED);
  const before = createDatabase({ connection: first.connection });
  await requireDurability(before.read);
  const [settings] = await before.read.query(
    `select current_setting('listen_addresses') as listen, current_setting('ssl') as ssl, current_setting('full_page_writes') as pages,
            current_setting('server_encoding') as encoding, (select datlocale from pg_database where datname = current_database()) as locale`,
  );
  assert.deepEqual(settings, { listen: '', ssl: 'off', pages: 'on', encoding: 'UTF8', locale: 'C.UTF-8' });
  assert.equal(statSync(first.connection.host).mode & 0o777, 0o700);
  await keep(before, 7);
  await before.close();
  const pid = first.pid;
  await first.stop();
  await first.stop();
  assert.equal(pid === undefined ? undefined : readProcessStartTime(pid), undefined);
  assert.equal(existsSync(join(SHARED, 'service.lock')), false);
  assert.equal(existsSync(first.connection.host), false);
  const second = await start(t, SHARED);
  assert.deepEqual(await open(t, second).read.query('select n from kept'), [{ n: 7 }]);
});

test('embedded PostgreSQL: a second service on the same data directory → refused with a sentence', async (t) => {
  const server = await start(t, SHARED);
  await assert.rejects(start(t, SHARED), {
    name: 'EmbeddedPostgresError',
    message: new RegExp(
      `^Another service \\(process ${process.pid}\\) is already using the data directory .*; stop it first`,
    ),
  });
  assert.equal(await open(t, server).isHealthy(), true);
});

test('embedded PostgreSQL: the first service said that it is stopping → the second waits for it', async (t) => {
  const first = await start(t, SHARED);
  await keep(open(t, first), 7);
  first.announceStop();
  const lines: string[] = [];
  const second = start(t, SHARED, (line) => lines.push(line));
  await waitUntil('the second to wait', () => lines.length > 0);
  assert.match(
    lines.join('\n'),
    new RegExp(`^Waiting for the service that is stopping \\(process ${process.pid}\\)`),
  );
  await first.stop();
  assert.deepEqual(await open(t, await second).read.query('select n from kept'), [{ n: 7 }]);
});

test('embedded PostgreSQL: the server is killed → restarted, and the pool recovers', async (t) => {
  const server = await start(t, SHARED);
  const database = open(t, server);
  await keep(database, 1);
  const exits: unknown[] = [];
  server.onExit((exit) => exits.push(exit));
  for (let round = 1; round <= 2; round += 1) {
    const pid = server.pid;
    assert.ok(pid !== undefined);
    const inFlight = assert.rejects(database.read.query('select pg_sleep(4)'), DatabaseUnavailableError);
    await waitUntil('the statement to run', async () => (await countRunning(database)) > 0);
    process.kill(pid, 'SIGKILL');
    await waitUntil('another server', () => server.pid !== undefined && server.pid !== pid);
    await inFlight;
    await waitUntil('an answer', () => database.isHealthy());
    assert.deepEqual(await database.read.query('select n from kept'), [{ n: 1 }]);
    assert.deepEqual(exits.length, round);
  }
  assert.deepEqual(exits[0], { code: null, signal: 'SIGKILL' });
});

async function countRunning(database: ReturnType<typeof createDatabase>): Promise<number> {
  const rows = await database.read.query(
    "select 1 from pg_stat_activity where query = 'select pg_sleep(4)' and state = 'active'",
  );
  return rows.length;
}

test(
  'embedded PostgreSQL: the server is frozen → reported within seconds, and it answers again afterwards',
  { skip: needsProc },
  async (t) => {
    const server = await start(t, SHARED);
    const database = open(t, server);
    assert.equal(await database.isHealthy(), true);
    const frozen = listClusterProcesses(join(server.dataDir, 'cluster'));
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    try {
      await assert.rejects(database.read.query('select 1'), DatabaseUnavailableError);
    } finally {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
    }
    await waitUntil('an answer', () => database.isHealthy());
  },
);

test(
  'embedded PostgreSQL: the service and its watcher are killed → the next start takes over its server and the data',
  { skip: needsProc },
  async (t) => {
    const hosted = await startHost(t, SHARED);
    const writer = createDatabase({ connection: hosted.connection });
    await keep(writer, 42);
    for (const watcher of listWatchers(SHARED)) process.kill(watcher, 'SIGKILL');
    await kill(hosted.child, 'SIGKILL');
    assert.notEqual(readProcessStartTime(hosted.pid), undefined);
    const lines: string[] = [];
    const server = await start(t, SHARED, (line) => lines.push(line));
    assert.match(lines.join('\n'), /that an earlier run had left/);
    assert.equal(readProcessStartTime(hosted.pid), undefined);
    assert.deepEqual(await open(t, server).read.query('select n from kept'), [{ n: 42 }]);
    await writer.close();
  },
);

test('embedded PostgreSQL: service and server are killed together → the next start works', async (t) => {
  const hosted = await startHost(t, SHARED);
  for (const watcher of listWatchers(SHARED)) process.kill(watcher, 'SIGKILL');
  await kill(hosted.child, 'SIGKILL');
  process.kill(hosted.pid, 'SIGKILL');
  await waitUntil('the server to end', () => readProcessStartTime(hosted.pid) === undefined);
  assert.equal(await open(t, await start(t, SHARED)).isHealthy(), true);
});

test('lock: it names a reused pid → stale', async (t) => {
  mkdirSync(SHARED, { recursive: true });
  const living = getOwnIdentity();
  const record = { ...living, startTime: '1', nonce: 'earlier' };
  writeFileSync(join(SHARED, 'service.lock'), JSON.stringify(record));
  const server = await start(t, SHARED);
  const lock: unknown = JSON.parse(readFileSync(join(SHARED, 'service.lock'), 'utf8'));
  assert.partialDeepStrictEqual(lock, living);
  await server.stop();
  // PostgreSQL's own pid file, naming an unrelated process.
  writeFileSync(join(SHARED, 'cluster', 'postmaster.pid'), `${process.ppid}\n${SHARED}/cluster\n1\n`);
  writeFileSync(join(SHARED, 'service.lock'), 'not a lock');
  assert.equal(await open(t, await start(t, SHARED)).isHealthy(), true);
});

test('copy: of a data directory while its service runs → starts beside it, and each has its own data', async (t) => {
  const first = open(t, await start(t, SHARED));
  await keep(first, 1);
  const copy = join(createScratch(t), 'copy é');
  execFileSync('cp', ['-a', SHARED, copy]);
  const second = open(t, await start(t, copy));
  await second.read.query('insert into kept values (2)');
  const list = async ({ read }: typeof first) =>
    (await read.query<{ n: number }>('select n from kept order by n')).map(({ n }) => n);
  assert.deepEqual(await list(second), [1, 2]);
  assert.deepEqual(await list(first), [1]);
  await assert.rejects(start(t, copy), /already using/);
});

test('lock: of another machine → valid while it is renewed, stale afterwards', async (t) => {
  mkdirSync(SHARED, { recursive: true });
  const path = join(SHARED, 'service.lock');
  const foreign = JSON.stringify({ pid: 1, startTime: '1', realm: 'elsewhere/boot/pid', nonce: 'foreign' });
  writeFileSync(path, foreign);
  const beat = setInterval(() => writeFileSync(path, foreign), 200);
  try {
    await assert.rejects(start(t, SHARED), /process 1 on elsewhere\) is already using/);
  } finally {
    clearInterval(beat);
  }
  assert.equal(await open(t, await start(t, SHARED)).isHealthy(), true);
});

test(
  'account: root starts the service → PostgreSQL runs as an unprivileged user',
  { skip: needsRoot },
  async (t) => {
    const server = await start(t, SHARED);
    assert.equal(statSync(join(server.dataDir, 'cluster')).uid, 65_534);
    assert.equal(statSync(`/proc/${server.pid}`).uid, 65_534);
  },
);

test(
  'account: root keeps the data where the unprivileged user cannot go → it works',
  { skip: needsRoot },
  async (t) => {
    const closed = join(createScratch(t), 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const dataDir = join(closed, 'data');
    const first = await start(t, dataDir);
    await keep(open(t, first), 1);
    await first.stop();
    assert.deepEqual(await open(t, await start(t, dataDir)).read.query('select n from kept'), [{ n: 1 }]);
  },
);

test(
  'account: an ordinary user starts it, later root → root continues as that user',
  { skip: needsRoot },
  async (t) => {
    const home = join(createScratch(t), 'home');
    mkdirSync(home);
    chownSync(home, ORDINARY_ID, ORDINARY_ID);
    const dataDir = join(home, 'data');
    const hosted = await startHost(t, dataDir, ORDINARY_ID);
    assert.equal(statSync(join(dataDir, 'cluster')).uid, ORDINARY_ID);
    assert.equal(await open(t, hosted).isHealthy(), true);
    await kill(hosted.child, 'SIGTERM');
    const server = await start(t, dataDir);
    assert.equal(statSync(`/proc/${server.pid}`).uid, ORDINARY_ID);
  },
);

test('paths: a very long data directory → works with a short socket path', async (t) => {
  const dataDir = join(createScratch(t), 'a'.repeat(200), 'b'.repeat(200), 'c'.repeat(200), 'data');
  const server = await start(t, dataDir);
  assert.ok(Buffer.byteLength(`${server.connection.host}/.s.PGSQL.5432.lock`) < 100);
  assert.equal(await open(t, server).isHealthy(), true);
});

test('paths: a data directory longer than PostgreSQL allows → refused with a sentence', async (t) => {
  const dataDir = join(createScratch(t), ...Array.from({ length: 5 }, () => 'd'.repeat(200)));
  await assert.rejects(start(t, dataDir), /path is longer than 900 bytes; choose a shorter one/);
  rmSync(dataDir, { recursive: true, force: true });
});

test('cluster: of another major version → refused with a sentence', async (t) => {
  const dataDir = join(createScratch(t), 'data');
  mkdirSync(join(dataDir, 'cluster'), { recursive: true });
  writeFileSync(join(dataDir, 'cluster', 'PG_VERSION'), '17\n');
  if (asRoot) chownSync(join(dataDir, 'cluster'), 65_534, 65_534);
  await assert.rejects(
    start(t, dataDir),
    /was created by PostgreSQL 17 and this service brings PostgreSQL 18/,
  );
  assert.equal(existsSync(join(dataDir, 'service.lock')), false);
});

test('cluster: a server that cannot start → the error shows its log', async (t) => {
  const server = await start(t, SHARED);
  await server.stop();
  const [needed, away] = [join(SHARED, 'cluster', 'global'), join(SHARED, 'global')];
  renameSync(needed, away);
  addCleanup(t, () => renameSync(away, needed));
  await assert.rejects(start(t, SHARED), /ended while starting\. Its log says:/);
});

test(
  'processes: a directory copied from a running cluster → claims no process',
  { skip: needsProc },
  async (t) => {
    const server = await start(t, SHARED);
    const copy = createScratch(t);
    cpSync(join(SHARED, 'cluster', 'postmaster.pid'), join(copy, 'postmaster.pid'));
    assert.deepEqual(listClusterProcesses(copy), []);
    assert.equal(await killLeftovers(copy, 100), 0);
    assert.equal(await open(t, server).isHealthy(), true);
  },
);
