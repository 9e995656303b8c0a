import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectStatus } from '#testing/builders.ts';
import { proveCoverage, recordedService } from '#testing/recorder.ts';

const { ask, service } = await recordedService();

test('health: the process answers without a token', async () => {
  assert.deepEqual((await ask('GET', '/info/health', { token: null })).body, { status: 'ok' });
});

test('health_db: the database answers; without it the answer is 503 and health stays 200', async () => {
  assert.deepEqual((await ask('GET', '/info/health-db', { token: null })).body, { status: 'ok', db: 'ok' });
  await service.database.close();
  const gone = expectStatus(await ask('GET', '/info/health-db', { token: null }), 503);
  assert.deepEqual(gone.body, { status: 'unavailable', db: 'unreachable' });
  expectStatus(await ask('GET', '/info/health', { token: null }), 200);
});

proveCoverage('info');
