import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bindings } from '#transports/operations.ts';
import { createBuilders, expectFailure, expectStatus } from '#testing/builders.ts';
import { createRecordedService } from '#testing/recorder.ts';
import { takeTurns } from '#testing/turns.ts';

const service = await createRecordedService();
const { ask } = service;
const { create, createWebhook } = await createBuilders(service);
const { id } = await create();
const webhookId = await createWebhook();

const lists = bindings.filter(({ operation }) => operation.method === 'GET' && operation.query !== undefined);
const fillPath = (path: string) => path.replace('{webhook_id}', webhookId).replaceAll(/\{\w+\}/g, id);
/** A stream that follows has no end. */
const END: Readonly<Record<string, string>> = {
  stream_updates: 'follow=false&',
  stream_all_updates: 'follow=false&',
};

const refused = [
  'limit=0',
  'limit=101',
  'limit=1000000000',
  'limit=-1',
  'limit=ten',
  'limit=1.5',
  'limit=1e400',
  'limit=',
  'limit=1&limit=2',
  'offset=-1',
  'offset=1e400',
  'offset=99999999999999999999999999',
  'cursor=nonsense',
  'search=%00',
  'filter=%00',
  'sort=%00',
  'sort=name&sort=name',
  `sort=${Array.from({ length: 10_000 }, () => 'name').join(',')}`,
  `filter=${'not('.repeat(40)}eq(name,x)${')'.repeat(40)}`,
  `filter=eq(name,${'x'.repeat(5_000)})`,
  'filter=eq(name,%27%20or%201=1)--',
  'color=red',
  'limit[]=1',
  '__proto__=1',
  'constructor=1',
];

/** How many of them a list and a path meet by day. */
const [QUERIES_BY_TURNS, PARTS_BY_TURNS] = [9, 4];

for (const [place, { operation }] of lists.entries()) {
  test(`invalid_query: ${operation.id} gets an unknown or malformed parameter → 400`, async () => {
    for (const query of takeTurns(refused, place, QUERIES_BY_TURNS)) {
      const answer = await ask('GET', `${fillPath(operation.path)}?${END[operation.id] ?? ''}${query}`);
      assert.equal(answer.status, 400, `${query.slice(0, 80)} ${answer.text}`);
    }
  });

  test(`${operation.id}: odd but allowed parameters → 200 or 400, never a 5xx`, async () => {
    for (const query of [
      'limit=100',
      'offset=9007199254740991',
      'search=%25_%5C',
      'search=',
      'search=%F0%9F%A7%AC',
    ]) {
      const answer = await ask('GET', `${fillPath(operation.path)}?${END[operation.id] ?? ''}${query}`);
      assert.ok(answer.status === 200 || answer.status === 400, `${query} ${answer.text}`);
    }
  });
}

test('paths: any odd text as a path parameter → a 4xx', async () => {
  const odd = [
    '%00',
    '%ED%A0%80',
    '%FF',
    '%',
    '%2e%2e%2f',
    '..%2f..',
    'a'.repeat(5_000),
    'é',
    '%F0%9F%A7%AC',
    "'; drop--",
  ];
  const withPath = bindings.filter((binding) => binding.operation.params !== undefined);
  for (const [place, { operation }] of withPath.entries()) {
    for (const part of takeTurns(odd, place, PARTS_BY_TURNS)) {
      const path = operation.path.replace(/\{\w+\}/, part);
      const answer = await ask(operation.method, path, { body: operation.example.body ?? {} }).catch(
        () => undefined,
      );
      if (answer === undefined) continue;
      assert.ok(answer.status >= 400 && answer.status < 500, `${operation.id} ${part} ${answer.text}`);
    }
  }
});

test('route_not_found, method_not_allowed: a path or method that is not served → 404, or 405 with Allow', async () => {
  expectFailure(await ask('GET', '/nothing/here'), 404, 'route_not_found');
  expectFailure(await ask('GET', '//nothing'), 404, 'route_not_found');
  const wrong = expectFailure(await ask('DELETE', '/quotes'), 405, 'method_not_allowed');
  assert.equal(wrong.headers.allow, 'GET, HEAD');
});

test('headers: odd values in our headers → refused; odd values in other headers → ignored', async () => {
  const key = { 'idempotency-key': 'k'.repeat(256) };
  const rename = { body: { name: 'x' } };
  expectFailure(
    await ask('PATCH', `/experiments/${id}`, { ...rename, headers: key }),
    400,
    'idempotency_key_invalid',
  );
  const rail = { 'x-service-payment-method': 'x'.repeat(3_000) };
  const answer = await ask('POST', '/experiments', {
    body: { name: 'x', experiment_spec: { experiment_type: 'screening' } },
    headers: rail,
  });
  assert.ok(answer.text.length < 1_000);
  const accept = { accept: '*/*;q=x, \u00ff', 'x-forwarded-for': 'a'.repeat(1_000), 'x-request-id': 'mine' };
  const own = expectStatus(await ask('GET', '/whoami', { headers: accept }), 200);
  assert.notEqual(own.headers['x-request-id'], 'mine');
});

test('request id: a success and a refusal → req_ and a UUID of version 7, the same in header and body', async () => {
  const form = /^req_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  assert.match((await ask('GET', '/whoami')).headers['x-request-id'] ?? '', form);
  const refused = await ask('GET', '/experiments/none');
  assert.match(refused.headers['x-request-id'] ?? '', form);
  assert.equal(refused.body.request_id, refused.headers['x-request-id']);
});

test('Accept: application/problem+json, or anything else → a problem document, or plain JSON', async () => {
  const headers = { accept: 'application/problem+json' };
  const problem = await ask('GET', '/experiments/none', { headers });
  assert.match(problem.headers['content-type'] ?? '', /^application\/problem\+json/);
  assert.equal(problem.body.status, 404);
  assert.equal(problem.body.title, problem.body.error);
  const plain = await ask('GET', '/experiments/none');
  assert.match(plain.headers['content-type'] ?? '', /^application\/json/);
  assert.deepEqual(Object.keys(plain.body), ['error', 'request_id', 'code']);
});

test('invalid_request: a NUL in an unknown parameter → 400, and every operation declares it', async () => {
  // Before anything else is looked at, so that the path may lead nowhere.
  for (const { operation } of bindings.filter(({ operation: { upload } }) => upload === undefined)) {
    const path = `${operation.path.replaceAll(/[{}]/g, '')}?nothing=%00`;
    expectFailure(await ask(operation.method, path, { body: {} }), 400, 'invalid_request');
  }
});
