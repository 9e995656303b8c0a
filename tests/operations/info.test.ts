import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';

const { ask, service } = await createRecordedService();

test('health: no token → status ok', async () => {
  assert.deepEqual((await ask('GET', '/info/health', { token: null })).body, { status: 'ok' });
});

test('health_db: a write found the disk full → degraded, 200; no token → 401; the database is closed → 503, while health stays 200', async () => {
  const path = '/info/health-db';
  assert.deepEqual((await ask('GET', path)).body, { status: 'ok', db: 'connected' });
  const { database } = service;
  const text = `do $$ begin raise exception using errcode = '53100'; end $$`;
  await assert.rejects(database.runTransaction((tx) => tx.query(text)));
  assert.deepEqual((await ask('GET', path)).body, { status: 'degraded', db: 'disk_full' });
  await database.close();
  const gone = expectFailure(await ask('GET', path), 503, 'database_unavailable');
  assert.deepEqual([gone.body.status, gone.body.db], ['unavailable', 'unreachable']);
  assert.ok(Number(gone.headers['retry-after']) >= 1);
  const problem = await ask('GET', path, { headers: { accept: 'application/problem+json' } });
  assert.deepEqual([problem.body.status, problem.body.db], [503, 'unreachable']);
  expectFailure(await ask('GET', path, { token: null }), 401, 'unauthenticated');
  assert.equal((await ask('GET', '/whoami')).body.db, undefined);
  expectStatus(await ask('GET', '/info/health', { token: null }), 200);
});

proveCoverage('info');
