/** HEAD over every GET: the same status and headers, without a body. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bindings } from '#transports/operations.ts';
import { createBuilders, UNKNOWN_ID } from '#testing/builders.ts';
import { createFreshRequest, prepareRecords } from '#testing/requests.ts';
import { testService, type Ask } from '#testing/service.ts';

const service = await testService();
const { ask, service: app, token } = service;
const build = await createBuilders(service);
const records = await prepareRecords(service, build);

/** Differ in each answer: the id, the time, what is left of the limit, and the moment in a signed address. */
const MOVING = new Set(['x-request-id', 'date', 'ratelimit', 'location', 'connection', 'keep-alive']);

function listStanding(headers: Readonly<Record<string, unknown>>): (readonly [string, unknown])[] {
  return Object.entries(headers)
    .filter(([name]) => !MOVING.has(name))
    .toSorted(([a], [b]) => a.localeCompare(b));
}

async function assertSame(path: string, options: Ask): Promise<void> {
  const full = await ask('GET', path, options);
  const head = await ask('HEAD', path, options);
  assert.equal(head.status, full.status, path);
  assert.equal(head.text, '', path);
  assert.deepEqual(listStanding(head.headers), listStanding(full.headers), path);
}

for (const { operation } of bindings.filter((binding) => binding.operation.method === 'GET')) {
  test(`HEAD: ${operation.id} with a token, without one, and for nothing → as GET answers, without a body`, async () => {
    const { path } = await createFreshRequest(operation, build, records);
    await assertSame(path, {});
    await assertSame(path, { token: null });
    if (operation.params !== undefined)
      await assertSame(operation.path.replaceAll(/\{\w+\}/g, UNKNOWN_ID), {});
  });
}

test('HEAD: pages, documents and addresses without a route → as GET answers, without a body', async () => {
  for (const url of [
    '/',
    '/sign-in',
    '/docs',
    '/style.css',
    '/api/v1/openapi.json',
    '/nowhere',
    '/pay/unknown',
  ]) {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/html' };
    const full = await app.app.inject({ method: 'GET', url, headers });
    const head = await app.app.inject({ method: 'HEAD', url, headers });
    assert.deepEqual([head.statusCode, head.body], [full.statusCode, ''], url);
    assert.equal(head.headers['content-type'], full.headers['content-type'], url);
    assert.equal(head.headers['content-length'], full.headers['content-length'], url);
  }
});

test('method_not_allowed: DELETE of an address that is read → 405 allows GET and HEAD', async () => {
  const answer = await ask('DELETE', '/whoami');
  assert.equal(answer.status, 405);
  assert.equal(answer.headers.allow, 'GET, HEAD');
});
