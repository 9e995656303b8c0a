/** A start that cannot work ends with one sentence that names the setting, leaves nothing behind, and keeps secrets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import pino from 'pino';
import type { ServerConnection } from '#adapters/postgres/connection.ts';
import { testDatabase } from '#testing/database.ts';
import {
  authenticationOk,
  createErrorResponse,
  fakePostgres,
  createOneValue,
  passwordWanted,
  readyForQuery,
} from '#testing/fake-postgres.ts';
import { startProcess } from '#testing/process.ts';
import { CommandError } from '#cli/command-error.ts';
import { requireDataDirectory, readSettingsWith } from '#cli/data-directory.ts';
import { requireListenAddress } from '#cli/start.ts';
import { openOrExplain } from '#cli/open-database.ts';
import { run as start } from '#cli/start.ts';
import { readSettings } from '#settings/settings.ts';
import { runAssayerProcess } from './cli-process.ts';

const PASSWORD = 'geheim-4711';
/** For a server that never answers; others may take as long as a busy machine needs. */
const SHORT_MS = 400;
const PATIENT_MS = 30_000;
const directory = mkdtempSync(join(tmpdir(), 'assayer-start-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const silent = pino({ level: 'silent' });

/** What was refused, as one sentence without a stack and without the password. */
async function getSentence(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof CommandError, String(error instanceof Error ? error.stack : error));
    assert.doesNotMatch(error.message, new RegExp(`${PASSWORD}|\n|    at |\\.\\.$`));
    assert.match(error.message, /\.$/);
    return error.message;
  }
  throw new Error('it was not refused');
}

const open = (url: string, connectTimeoutMs = PATIENT_MS): Promise<string> =>
  getSentence(() => openOrExplain(readSettings({ DATABASE_URL: url }), silent, { connectTimeoutMs }));
const listen = (host: string, port = 0): Promise<string> =>
  getSentence(() => requireListenAddress({ host, port }));
const formatUrlAt = (port: number, rest = ''): string =>
  `postgres://lab:${PASSWORD}@127.0.0.1:${port}/assayer${rest}`;

test('HOST: an address of another machine, or an unknown name → a sentence that names it', async () => {
  assert.match(await listen('192.0.2.7'), /^HOST 192\.0\.2\.7 is not an address of this machine/);
  for (const host of ['no-such-host.invalid', 'http://127.0.0.1', 'a b'])
    assert.match(await listen(host), /^HOST .* cannot be found by its name/);
  await requireListenAddress({ host: '127.0.0.1', port: 0 });
});

test('PORT: in use → a sentence that names it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address !== 'string');
  assert.match(await listen('127.0.0.1', address.port), new RegExp(`^Port ${address.port} on 127`));
  server.close();
  await once(server, 'close');
  await requireListenAddress({ host: '127.0.0.1', port: address.port });
});

test('DATA_DIR: a file, below a file, too long or not writable → a sentence', async () => {
  const file = join(directory, 'file');
  writeFileSync(file, '');
  const locked = join(directory, 'locked');
  mkdirSync(locked);
  chmodSync(locked, 0o555);
  chmodSync(directory, 0o755);
  const getRefusal = (path: string): Promise<string> => getSentence(() => requireDataDirectory(path));
  assert.match(await getRefusal(file), /^DATA_DIR .*file cannot be used: it is a file/);
  assert.match(
    await getRefusal(join(file, 'a', 'b')),
    /file is a file; name a directory that is not below one/,
  );
  if (process.platform === 'linux')
    assert.match(await getRefusal('/proc/assayer'), /no directory can be created/);
  assert.match(await getRefusal(join(directory, 'n'.repeat(300))), /the path is too long/);
  const isRoot = process.geteuid?.() === 0;
  // Root may write anywhere; the sentence is for the ordinary user that a service runs as.
  if (isRoot) process.seteuid?.(65_534);
  try {
    assert.match(await getRefusal(locked), /this user may not write there/);
    assert.match(await getRefusal(join(locked, 'below')), /this user may not write there/);
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
  requireDataDirectory(join(directory, 'new', 'below'));
});

const malformed: readonly [name: string, value: string][] = [
  ['PORT', '70000'],
  ['PORT', '-1'],
  ['PORT', 'http'],
  ['DATABASE_URL', `mysql://lab:${PASSWORD}@127.0.0.1/assayer`],
  ['DATABASE_URL', `lab:${PASSWORD}@127.0.0.1`],
  ['DATABASE_URL', `postgres://lab:${PASSWORD}@[::/assayer`],
  ['BASE_URL', 'ftp://lab.example'],
  ['BASE_URL', 'lab.example'],
  ['SMTP_URL', `http://lab:${PASSWORD}@mail.example`],
  ['STRIPE_SECRET_KEY', PASSWORD],
  ['TRUSTED_PROXIES', '10.0.0.0/99'],
  ['OIDC_ISSUER', 'provider'],
];

for (const [name, value] of malformed) {
  test(`${name}: malformed as ${value.replace(PASSWORD, '…')} → a sentence that names it`, async () => {
    assert.match(await getSentence(() => readSettingsWith({ [name]: value })), new RegExp(`^${name} `));
  });
}

test('DATABASE_URL: no server, an unknown host, or a missing socket or certificate → a sentence', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address !== 'string');
  server.close();
  await once(server, 'close');
  assert.match(
    await open(formatUrlAt(address.port)),
    /^DATABASE_URL: nothing accepts connections at 127\.0\.0\.1:/,
  );
  const unknown = await open(`postgres://lab:${PASSWORD}@no-such-host.invalid/assayer`);
  assert.match(unknown, /^DATABASE_URL: the host of no-such-host\.invalid:5432 cannot be found/);
  assert.match(await open('postgres:///assayer?host=/nonexistent'), /nothing accepts connections at/);
  const certificate = await open(formatUrlAt(1, '?sslmode=verify-full&sslrootcert=/nonexistent/root.pem'));
  assert.match(certificate, /^DATABASE_URL: .*\/nonexistent\/root\.pem'; correct the path/);
  assert.match(await open(formatUrlAt(1, '%zz')), /^DATABASE_URL: /);
});

test('DATABASE_URL: no PostgreSQL at the port → a sentence', async () => {
  const web = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
  await once(web, 'listening');
  const address = web.address();
  assert.ok(address !== null && typeof address !== 'string');
  assert.match(
    await open(formatUrlAt(address.port)),
    /^DATABASE_URL: what (?:answers|listens) at 127\.0\.0\.1/,
  );
  web.closeAllConnections();
  web.close();
  const closing = await fakePostgres((socket) => socket.destroy());
  assert.match(
    await open(formatUrlAt(closing.port)),
    /^DATABASE_URL: what answers at .* closed the connection/,
  );
});

test('DATABASE_URL: a server that never answers → a sentence after the time limit', async () => {
  const mute = await fakePostgres(() => undefined);
  assert.match(await open(formatUrlAt(mute.port), SHORT_MS), /did not answer as a PostgreSQL server in time/);
  let isGreeted = false;
  const half = await fakePostgres((socket) => {
    if (!isGreeted) socket.write(Buffer.concat([authenticationOk, readyForQuery]));
    isGreeted = true;
  });
  assert.match(await open(formatUrlAt(half.port), SHORT_MS), /did not answer as a PostgreSQL server in time/);
});

const refusals: readonly [code: string, said: string, pattern: RegExp][] = [
  ['28P01', 'password authentication failed for user "lab"', /rejects the user lab/],
  ['28000', 'no pg_hba.conf entry for host', /rejects the user lab/],
  ['3D000', 'database "assayer" does not exist', /there is no database assayer at/],
  ['57P03', 'the database system is starting up', /is starting or stopping/],
  ['53300', 'sorry, too many clients already', /has no connection left/],
];

for (const [code, said, pattern] of refusals) {
  test(`DATABASE_URL: the server refuses with ${code} → a sentence`, async () => {
    const server = await fakePostgres((socket) => socket.end(createErrorResponse(code, said)));
    const sentence = await open(formatUrlAt(server.port));
    assert.match(sentence, pattern);
    assert.match(sentence, /^DATABASE_URL: /);
  });
}

test('DATABASE_URL: a missing password → a sentence', async () => {
  const server = await fakePostgres((socket) => socket.write(passwordWanted));
  const sentence = await open(`postgres://lab@127.0.0.1:${server.port}/assayer`, SHORT_MS);
  assert.match(sentence, /wants a password of the user lab|did not answer/);
});

test('DATABASE_URL: a server that is too old → a sentence before any migration', async () => {
  let requests = 0;
  const server = await fakePostgres((socket, bytes) => {
    requests += 1;
    if (requests === 1) socket.write(Buffer.concat([authenticationOk, readyForQuery]));
    else if (bytes.includes('server_version_num'))
      socket.write(createOneValue('server_version_num', '140011'));
  });
  assert.match(await open(formatUrlAt(server.port)), /^DATABASE_URL: .* PostgreSQL 14, .* needs 15 or newer/);
});

const { connection } = await testDatabase({ empty: true });

function formatUrl(
  { host, port, user, database }: ServerConnection,
  change: Partial<ServerConnection> = {},
): string {
  const { user: as = user, database: name = database } = change;
  return `postgresql://${as}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`;
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ ...connection, database: 'postgres' });
  await client.connect();
  await client.query(statement);
  await client.end();
}

test('DATABASE_URL: an unknown database, no right to create tables, or a read-only server → a sentence', async () => {
  assert.match(await open(formatUrl(connection, { database: 'missing' })), /there is no database missing at/);
  const role = `${connection.database}_guest`;
  await administer(`create role ${role} login`);
  assert.match(await open(formatUrl(connection, { user: role })), /may not create tables in the database/);
  await administer(`drop role ${role}`);
  await administer(`alter database ${connection.database} set default_transaction_read_only = on`);
  assert.match(await open(formatUrl(connection)), /is read-only, such as a standby; name the primary/);
});

test('DATABASE_URL: a server that may lose commits → a sentence, and its connections are closed', async () => {
  const { connection: volatile } = await testDatabase();
  const variables = { DATABASE_URL: formatUrl(volatile), DATA_DIR: join(directory, 'volatile'), PORT: '0' };
  const before = { ...process.env };
  Object.assign(process.env, variables, { LOG_LEVEL: 'silent' });
  try {
    assert.match(
      await getSentence(() => start({ values: { 'ready-json': true }, positionals: [] })),
      /^DATABASE_URL: .*fsync off/,
    );
  } finally {
    process.env = before;
  }
});

test('exit code 1: start, migrate and operator commands of the binary fail → one line and no stack', async () => {
  const env = { DATABASE_URL: formatUrlAt(1), DATA_DIR: join(directory, 'unused'), PORT: '0' };
  const commands = [['start'], ['migrate'], ['audit', 'verify']];
  const answers = await Promise.all(commands.map((args) => runAssayerProcess(args, { env })));
  for (const { code, out, err } of answers) {
    assert.equal(code, 1, err);
    assert.equal(out, '');
    assert.match(err, /^DATABASE_URL: nothing accepts connections at 127\.0\.0\.1:1; .*\.\n$/);
  }
});

test('start: refused after the embedded database was up → it is stopped, and the next start works', async () => {
  const dataDir = join(directory, 'embedded');
  const inTheWay = join(dataDir, 'sandbox.json');
  mkdirSync(inTheWay, { recursive: true });
  const { code, err } = await runAssayerProcess(['start', '--port', '0', '--data-dir', dataDir], {
    env: { LOG_LEVEL: 'error', HOST: '127.0.0.1', DATABASE_URL: '' },
  });
  assert.equal(code, 1, err);
  assert.match(err, /^DATA_DIR: .*sandbox\.json cannot be written: it is a directory; remove it\.\n$/);
  assert.equal(existsSync(join(dataDir, 'postgres', 'service.lock')), false);
  assert.equal(existsSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid')), false);
  rmdirSync(inTheWay);
  const service = await startProcess(dataDir);
  assert.equal(await service.stop(), 0);
});
