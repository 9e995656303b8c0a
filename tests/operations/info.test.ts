import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectStatus } from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';

const { ask, service } = await createRecordedService();

test('health: no token → status ok', async () => {
  assert.deepEqual((await ask('GET', '/info/health', { token: null })).body, { status: 'ok' });
});

test('health_db: a write found the disk full → degraded, 200; the database is closed → 503, while health stays 200', async () => {
  assert.deepEqual((await ask('GET', '/info/health-db', { token: null })).body, {
    status: 'ok',
    db: 'connected',
  });
  const { database } = service;
  const text = `do $$ begin raise exception using errcode = '53100'; end $$`;
  await assert.rejects(database.runTransaction((tx) => tx.query(text)));
  assert.deepEqual((await ask('GET', '/info/health-db', { token: null })).body, {
    status: 'degraded',
    db: 'disk_full',
  });
  await service.database.close();
  const gone = expectStatus(await ask('GET', '/info/health-db', { token: null }), 503);
  assert.deepEqual(gone.body, { status: 'unavailable', db: 'unreachable' });
  expectStatus(await ask('GET', '/info/health', { token: null }), 200);
});

proveCoverage('info');
