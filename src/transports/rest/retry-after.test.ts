import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import Fastify from 'fastify';
import { fail, failureCodes, getFailureStatus } from '#core/failures.ts';
import { toFailure } from './errors.ts';
import { addRetryAfter } from './retry-after.ts';

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
