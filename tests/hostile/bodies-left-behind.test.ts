/** A client that leaves while its body is being worked on: the body counts until the work is done. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { openRaw, formatRequest } from '#testing/raw-http.ts';
import { testService } from '#testing/service.ts';

const service = await testService({ MAX_BODY_BYTES: '1000000', MAX_BODIES_BYTES_PER_TOKEN: '1000000' });
const { ask, token } = service;
const { app, database } = service.service;
const address = await app.listen({ host: '127.0.0.1', port: 0 });
const port = Number(new URL(address).port);

const body = {
  name: 'left behind',
  description: 'x'.repeat(600_000),
  experiment_spec: { experiment_type: 'expression', sequences: { one: 'ACDEFGHIKLMNPQRSTVWY' } },
};

/** Waits at most a minute. */
async function waitUntil(isSo: () => Promise<boolean>, story: string): Promise<void> {
  for (let round = 0; round < 6_000; round++) {
    if (await isSo()) return;
    await wait(10);
  }
  assert.fail(story);
}

/** The server has databases of other tests, whose waits are not meant. */
async function isSomebodyWaiting(): Promise<boolean> {
  const rows = await database.read.query(
    `select 1 from pg_locks
     where not granted and relation = 'experiments'::regclass
       and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows.length > 0;
}

test('bodies_in_flight: the client leaves while its request waits for the database → its bytes count until the end', async () => {
  const text = JSON.stringify(body);
  const headers = [
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  await database.runTransaction(async (tx) => {
    await tx.query('lock table experiments in access exclusive mode');
    const { socket, closed } = openRaw(port);
    socket.write(formatRequest('POST /api/v1/experiments', headers, text));
    await waitUntil(isSomebodyWaiting, 'the request did not come to the database');
    socket.destroy();
    await closed;
    expectStatus(await ask('GET', '//api/v1/info/health', { token: null }), 200);
    expectFailure(await ask('POST', '/experiments/validate', { body }), 429, 'bodies_in_flight');
  });
  await waitUntil(async () => {
    const answer = await ask('POST', '/experiments/validate', { body });
    return answer.status !== 429;
  }, 'the bytes were never given back');
});
