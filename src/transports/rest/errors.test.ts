import assert from 'node:assert/strict';
import { test, after } from 'node:test';
import { DatabaseUnavailableError } from '#core/sql.ts';
import { createFullDiskError } from '#testing/full-disk.ts';
import { toFailure, addRetryAfter } from './errors.ts';
import Fastify from 'fastify';
import { fail, failureCodes, getFailureStatus } from '#core/failures.ts';

for (const code of ['ENOSPC', 'EDQUOT'] as const)
  test(`disk_full: a write fails with ${code} → 503 with Retry-After, and the log says what to do`, () => {
    const failure = toFailure(new Error('no room in /data', { cause: createFullDiskError(code) }));
    assert.deepEqual([failure.status, failure.code], [503, 'disk_full']);
    assert.equal(failure.headers['retry-after'], '60');
    assert.equal(failure.detail, 'no room in /data: make room on that disk, or raise the quota.');
  });

test('disk_full: the disk of the database is full → 503 with the wait of the database, and the log names it', () => {
  const cause = Object.assign(new Error('could not extend file'), { code: '53100' });
  const noWrites = 'its disk is full; free space on the disk of the database';
  const error = new DatabaseUnavailableError('full', { cause, noWrites, retryAfterSeconds: 10 });
  const failure = toFailure(error);
  assert.deepEqual([failure.status, failure.code], [503, 'disk_full']);
  assert.equal(failure.headers['retry-after'], '10');
  assert.equal(failure.detail, `The database takes no writes: ${noWrites}.`);
});

const app = Fastify();
addRetryAfter(app);
app.setErrorHandler((error, _request, reply) => {
  const failure = toFailure(error);
  return reply.code(failure.status).headers(failure.headers).send(failure.code);
});
for (const code of failureCodes)
  app.get(`/${code}`, () => {
    throw fail(code);
  });
app.get('/page', (_request, reply) => reply.code(503).type('text/html').send('<p>Later'));
app.get('/wait', () => {
  throw fail('rate_limited', { retry_after: 7 });
});
app.get('/own', () => {
  throw fail('overloaded', {}, { headers: { 'retry-after': '30' } });
});
after(() => app.close());

const readWaitS = async (path: string): Promise<unknown> =>
  (await app.inject({ url: path })).headers['retry-after'];

test('Retry-After: each failure of 429 and 503 → seconds; each other failure → none', async () => {
  const delays = new Set<number>();
  for (const code of failureCodes) {
    const status = getFailureStatus(code);
    const isTemporary = status === 429 || status === 503;
    assert.equal(await readWaitS(`/${code}`), isTemporary ? '2' : undefined, code);
    if (isTemporary) delays.add(status);
  }
  assert.deepEqual(delays, new Set([429, 503]));
});

test('Retry-After: a page of 503 → seconds; an address that is not served → none', async () => {
  assert.equal(await readWaitS('/page'), '2');
  assert.equal(await readWaitS('/nowhere'), undefined);
});

test('Retry-After: the failure knows its time → that time', async () => {
  assert.equal(await readWaitS('/wait'), '7');
  assert.equal(await readWaitS('/own'), '30');
});
