/** The database turns read-only under a running service: reads go on, writes wait, and nobody restarts anything. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startOwnPostgres } from '#testing/own-postgres.ts';
import { createAsker, startProcess } from '#testing/process.ts';

const LIMIT_MS = 90_000;
/** Rounds of the worker that the log must survive without repeating itself. */
const ROUNDS = 30;

async function repeatUntil(condition: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await condition())) assert.ok(performance.now() < deadline, `not in time: ${what}`);
}

test('database_unavailable: the server turns read-only under a running service → reads answer, writes get 503, one line in the log, then all is whole again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-read-only-'));
  const postgres = await startOwnPostgres(directory);
  const dataDir = join(directory, 'data');
  const service = await startProcess(dataDir, { DATABASE_URL: postgres.url });
  const lines: string[] = [];
  service.child.stderr?.on('data', (chunk: Buffer) => lines.push(...chunk.toString('utf8').split('\n')));
  service.child.stdout?.on('data', (chunk: Buffer) => lines.push(...chunk.toString('utf8').split('\n')));
  after(async () => {
    await service.kill();
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const ask = createAsker(service);
  const write = () => ask('POST', '/tokens', { body: { name: 'beside', role: 'viewer', expires_in: '7d' } });
  const count = (text: RegExp) => lines.filter((line) => text.test(line)).length;
  const setReadOnly = async (value: 'on' | 'off') => {
    await postgres.database.read.query(`alter system set default_transaction_read_only = ${value}`);
    await postgres.database.read.query('select pg_reload_conf()');
  };
  assert.equal((await write()).status, 201);

  await setReadOnly('on');
  await repeatUntil(async () => (await write()).status === 503, 'a write is refused');
  const refused = await write();
  assert.equal(refused.status, 503);
  assert.ok(Number(refused.headers['retry-after']) >= 1);
  assert.match(refused.text, /cannot write/);
  await repeatUntil(async () => count(/takes no writes/) > 0, 'the log says so');
  for (let round = 0; round < ROUNDS; round += 1) {
    assert.equal((await ask('GET', '/whoami')).status, 200);
    assert.equal((await ask('GET', '/info/health')).status, 200);
    const { status, body } = await ask('GET', '/info/health-db');
    assert.deepEqual([status, body], [200, { status: 'degraded', db: 'read_only' }]);
  }
  assert.equal(count(/takes no writes/), 1);
  // Each refused request has its own line; beside them the worker says it once.
  assert.equal(count(/"level":50(?!.*"request_id")/), 1, lines.join('\n'));

  await setReadOnly('off');
  await repeatUntil(async () => (await write()).status === 201, 'a write is accepted again');
  assert.deepEqual((await ask('GET', '/info/health-db')).body, { status: 'ok', db: 'connected' });
});
