/** `assayer keys rotate` while two processes serve one database: nothing stops working, and both take up the new key. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { startEmbedded } from '#adapters/postgres/embedded.ts';
import { createDatabase } from '#adapters/postgres/pool.ts';
import { startProcess, type ServiceProcess } from '#testing/process.ts';
import { assayer } from './cli-process.ts';

const LIMIT_MS = 30_000;
const directory = mkdtempSync(join(tmpdir(), 'assayer-keys-'));
// A database of its own: the one of the other tests does not write through, and a service refuses that.
const postgres = await startEmbedded({ dataDir: join(directory, 'postgres'), log: () => undefined });
const database = createDatabase({ connection: postgres.connection, max: 2 });
const processes: ServiceProcess[] = [];
after(async () => {
  for (const each of processes) await each.stop();
  await database.close();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
});

const { host, port, user, database: name } = postgres.connection;
const DATABASE_URL = `postgresql://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`;
for (const each of ['one', 'two'])
  processes.push(await startProcess(join(directory, each), { DATABASE_URL }));

const kidOf = (token: string): string =>
  decodeProtectedHeader(token.slice('asy_test_'.length, -6)).kid ?? 'none';

async function statusOf({ url }: ServiceProcess, token: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/whoami`, { headers: { authorization: `Bearer ${token}` } });
  await answer.text();
  return answer.status;
}

async function newToken(server: ServiceProcess): Promise<string> {
  const made = await assayer(['tokens', 'create', 'rotated', '--role', 'viewer'], { server });
  assert.equal(made.code, 0, made.err);
  return made.out.trim();
}

test('keys rotate: live tokens keep working, new ones carry the new key, in both processes', async () => {
  const [one, two] = processes;
  assert.ok(one !== undefined && two !== undefined);
  const old = [one.token, two.token, await newToken(one), await newToken(two)];
  const rotated = await assayer(['keys', 'rotate'], { env: { DATABASE_URL } });
  assert.equal(rotated.code, 0, rotated.err);
  const kid = /signed by the key (\S+)\.\n$/.exec(rotated.out)?.[1];
  assert.ok(kid !== undefined, rotated.out);
  assert.ok(old.every((token) => kidOf(token) !== kid));

  for (const server of [one, two]) {
    const deadline = performance.now() + LIMIT_MS;
    let fresh = await newToken(server);
    while (kidOf(fresh) !== kid) {
      assert.ok(performance.now() < deadline, 'the new key was not taken up');
      fresh = await newToken(server);
    }
    for (const each of [one, two]) {
      assert.equal(await statusOf(each, fresh), 200);
      for (const token of old) assert.equal(await statusOf(each, token), 200);
    }
  }
  const [entry] = await database.read.query(
    `select actor_kind, subject from audit_log where operation_id = 'rotate_signing_keys'`,
  );
  assert.deepEqual(entry, { actor_kind: 'operator', subject: kid });
});
