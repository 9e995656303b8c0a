import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { FailureCode } from '#core/failures.ts';
import type { Operation } from '#core/operation.ts';
import type { Binding } from '#features/binding.ts';
import { createBuilders, expectFailure, expectStatus } from '#testing/builders.ts';
import { openRaw, formatRequest } from '#testing/raw-http.ts';
import { listDoorPromises, proveProvoked, createRecordedService } from '#testing/recorder.ts';
import { guarded, keyed } from '#testing/binding-kinds.ts';
import { send, createUnknownRequest, type Request } from '#testing/requests.ts';
import type { Ask, TestAnswer, TestService } from '#testing/service.ts';

const service = await createRecordedService({ DATABASE_POOL_SIZE: '140' });
const { ask, clock } = service;
const build = await createBuilders(service);

const withBody = guarded.filter(({ operation }) => operation.body !== undefined);
const withJson = withBody.filter(({ operation }) => operation.text === undefined);
const lists = guarded.filter(({ operation }) => operation.query?.properties.filter !== undefined);
const listPromised = (code: FailureCode): readonly Binding[] =>
  listDoorPromises().flatMap(([binding, promise]) => (promise === code ? [binding] : []));

async function refuseAll(
  operations: readonly Binding[],
  code: FailureCode,
  status: number,
  question: (operation: Operation) => Promise<TestAnswer>,
): Promise<void> {
  for (const { operation } of operations) expectFailure(await question(operation), status, code);
}

const askOperation = (operation: Operation, options: Ask, path = createUnknownRequest(operation).path) =>
  ask(operation.method, path, options);

const withoutBody = guarded.filter(
  ({ operation: { body, upload, method } }) => body === undefined && upload === undefined && method !== 'GET',
);

test('body_not_json: an unexpected body of an unreadable media type → 415', () =>
  refuseAll(withoutBody, 'body_not_json', 415, (operation) =>
    askOperation(operation, { payload: '{}', headers: { 'content-type': ';' } }),
  ));

test('body_not_json: every operation with a body gets another media type → 415', () =>
  refuseAll(withJson, 'body_not_json', 415, (operation) =>
    askOperation(operation, { payload: '{}', headers: { 'content-type': 'text/plain' } }),
  ));

test('media_type_not_served: every operation that takes a text gets another media type → 415', () =>
  refuseAll(listPromised('media_type_not_served'), 'media_type_not_served', 415, (operation) =>
    askOperation(operation, { payload: '<a/>', headers: { 'content-type': 'text/xml' } }),
  ));

test('malformed_json: every operation with a body gets text that is not JSON → 400', () =>
  refuseAll(withBody, 'malformed_json', 400, (operation) => askOperation(operation, { payload: '{"a":' })));

test('body_required: every operation that requires a body gets none → 400', () =>
  refuseAll(listPromised('body_required'), 'body_required', 400, (operation) =>
    askOperation(operation, { payload: '' }),
  ));

test('body_too_deep: every operation with a body gets 65 levels → 400', () =>
  refuseAll(withBody, 'body_too_deep', 400, (operation) =>
    askOperation(operation, { payload: '['.repeat(65) }),
  ));

test('body_too_complex: every operation with a body gets more names than it takes → 400', async () => {
  const few = await createRecordedService({ MAX_SEQUENCES_PER_EXPERIMENT: '1' });
  const names = Array.from({ length: 10_100 }, (_, index) => `"k${index}":1`);
  const payload = `{${names.join(',')}}`;
  await refuseAll(withBody, 'body_too_complex', 400, (operation) =>
    few.ask(operation.method, createUnknownRequest(operation).path, { payload }),
  );
});

test('body_not_utf8: every operation with a body gets a Latin-1 byte → 400 names its offset', () =>
  refuseAll(withBody, 'body_not_utf8', 400, async (operation) => {
    const answer = await askOperation(operation, { payload: Buffer.from('{"name":"caf\u00e9"}', 'latin1') });
    assert.match(answer.text, /at offset 12 /);
    return answer;
  }));

test('content_encoding_not_served: every operation with a body gets it compressed → 415 names the encoding', () =>
  refuseAll(
    listPromised('content_encoding_not_served'),
    'content_encoding_not_served',
    415,
    async (operation) => {
      const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' };
      const answer = await askOperation(operation, { payload: gzipSync('{}'), headers });
      assert.match(answer.text, /Content-Encoding gzip/);
      return answer;
    },
  ));

test('content_type_unreadable: a file with an invalid media type → 415', () =>
  refuseAll(listPromised('content_type_unreadable'), 'content_type_unreadable', 415, (operation) =>
    askOperation(operation, { payload: 'bytes', headers: { 'content-type': 'nonsense' } }),
  ));

test('address_too_long: every operation with a path parameter gets 301 characters → 414', () =>
  refuseAll(listPromised('address_too_long'), 'address_too_long', 414, (operation) =>
    askOperation(operation, {}, operation.path.replaceAll(/\{\w+\}/g, 'x'.repeat(301))),
  ));

test('expectation_failed: every operation gets an unknown Expect header → 417', () =>
  refuseAll(listPromised('expectation_failed'), 'expectation_failed', 417, (operation) =>
    askOperation(operation, { headers: { expect: 'the-impossible' } }),
  ));

test('bodies_in_flight: a token has all its bytes in flight → its other bodies are refused with 429', async () => {
  const variables = { MAX_BODY_BYTES: '1024', MAX_BODIES_BYTES_PER_TOKEN: '1024' };
  const small = await createRecordedService(variables);
  const address = await small.service.app.listen({ host: '127.0.0.1', port: 0 });
  const connection = openRaw(Number(new URL(address).port));
  const isRead = once(connection.socket, 'data');
  const headers = [`Authorization: Bearer ${small.token}`, 'Content-Type: application/json'];
  connection.socket.write(
    formatRequest('POST /api/v1/experiments', [...headers, 'Content-Length: 1024', 'Expect: 100-continue']),
  );
  assert.match(String(await isRead), /100 Continue/);
  await refuseAll(withBody, 'bodies_in_flight', 429, async (operation) => {
    const answer = await small.ask(operation.method, createUnknownRequest(operation).path, { payload: '{}' });
    assert.equal(answer.headers['retry-after'], '1');
    return answer;
  });
  connection.socket.destroy();
});

test('invalid_request: every operation gets a NUL in path, body or query → 400', () =>
  refuseAll(listPromised('invalid_request'), 'invalid_request', 400, (operation) => {
    const body = operation.body === undefined ? {} : { payload: '{"name":"\\u0000"}' };
    const path = operation.path.replaceAll(/\{\w+\}/g, 'a%00b');
    return askOperation(operation, body, `${path}?search=%00`);
  }));

test('idempotency_key_invalid: every POST, PATCH and other write gets a key with a space → 400', () =>
  refuseAll(keyed, 'idempotency_key_invalid', 400, (operation) =>
    send(ask, operation, createUnknownRequest(operation), { headers: { 'idempotency-key': 'a b' } }),
  ));

test('idempotency_key_reused: every POST, PATCH and other write gets a key of another request → 422', async () => {
  const headers = { 'idempotency-key': 'first' };
  expectStatus(await ask('POST', '/experiments', { body: build.createBody(), headers }), 201);
  await refuseAll(keyed, 'idempotency_key_reused', 422, (operation) =>
    send(ask, operation, createUnknownRequest(operation), { headers }),
  );
});

test('rate_limited: the bucket is empty → every operation answers 429, and time fills it', async () => {
  const limited = await createRecordedService({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '1' });
  expectStatus(await limited.ask('GET', '/whoami'), 200);
  await refuseAll(guarded, 'rate_limited', 429, (operation) =>
    send(limited.ask, operation, createUnknownRequest(operation)),
  );
  limited.clock.advance(1_000);
  const again = expectStatus(await limited.ask('GET', '/whoami'), 200);
  if (again.headers['ratelimit-policy'] === undefined) throw new Error('no policy in the headers');
});

test('body_too_large: every operation with a body gets more than the limit → 413', async () => {
  const small = await createRecordedService({ MAX_BODY_BYTES: '1024' });
  await refuseAll(withBody, 'body_too_large', 413, (operation) =>
    small.ask(operation.method, createUnknownRequest(operation).path, { payload: ' '.repeat(1_025) }),
  );
  const uploads = guarded.filter(({ operation }) => operation.upload !== undefined);
  await refuseAll(uploads, 'body_too_large', 413, (operation) => {
    const headers = { 'content-length': String((operation.upload?.bytesMax ?? 0) + 1) };
    return send(ask, operation, createUnknownRequest(operation), { headers });
  });
});

/** All at once, because each waits its five seconds. */
async function refuseTogether(
  { ask: asker }: Pick<TestService, 'ask'>,
  operations: readonly Binding[],
  [status, code]: readonly [number, FailureCode],
  options: Ask = {},
): Promise<void> {
  const answers = operations.map(({ operation }) =>
    send(asker, operation, createUnknownRequest(operation), options),
  );
  for (const answer of await Promise.all(answers)) expectFailure(answer, status, code);
}

test('idempotency_in_flight, overloaded: another request holds the row → 409 or 503 after a bounded wait', async () => {
  const held = await createRecordedService({ DATABASE_POOL_SIZE: '140' });
  const inFlight = service.service.database.runTransaction(async (tx) => {
    await tx.query(
      `insert into idempotency_keys (organization_id, key, operation_id, fingerprint, created_at)
       values ($1, 'running', 'x', 'x', $2)`,
      [service.service.founder.organizationId, clock.now()],
    );
    const headers = { 'idempotency-key': 'running' };
    await refuseTogether(service, keyed, [409, 'idempotency_in_flight'], { headers });
  });
  const overloaded = held.service.database.runTransaction(async (tx) => {
    await tx.query('lock table tokens in access exclusive mode');
    await refuseTogether(held, guarded, [503, 'overloaded']);
  });
  await Promise.all([inFlight, overloaded]);
});

const TABLES = [
  'experiments',
  'sequences',
  'targets',
  'target_requests',
  'quotes',
  'invoices',
  'refunds',
  'results',
  'updates',
  'feedback',
  'audit_log',
  'tokens',
  'invitations',
  'memberships',
  'users',
  'assay_types',
  'price_lists',
  'lab_runs',
  'jobs',
  'webhooks',
  'webhook_deliveries',
];
/** Read to find out who asks. */
const IDENTITY_TABLES = new Set(['tokens', 'memberships', 'users']);

/**
 * Puts a view before each table that fails as a statement does when it is canceled for its length. Who asks must still be
 * found out, so what tells it fails for a list only.
 */
async function makeSlow(slow: TestService): Promise<void> {
  const { read } = slow.service.database;
  for (const table of TABLES) {
    const passes = IDENTITY_TABLES.has(table) ? `current_query() not like 'with page%'` : 'false';
    await read.query(`alter table ${table} rename to ${table}_whole`);
    await read.query(`create function ${table}_rows() returns setof ${table}_whole language plpgsql volatile as $$ begin
      if ${passes} then return query select * from ${table}_whole; return; end if;
      raise exception 'canceling statement' using errcode = '57014'; end $$`);
    await read.query(`create view ${table} as select * from ${table}_rows()`);
  }
}

test('query_too_expensive: every list takes too long → 422', async () => {
  const slow = await createRecordedService();
  await makeSlow(slow);
  await refuseAll(lists, 'query_too_expensive', 422, (operation) => {
    const request: Request = createUnknownRequest(operation);
    return send(slow.ask, operation, request);
  });
});

test('disk_full: the disk of the database has no room → every operation answers 503 with Retry-After', async () => {
  const full = await createRecordedService();
  const { read } = full.service.database;
  await read.query('alter table tokens rename to tokens_whole');
  await read.query(`create function tokens_rows() returns setof tokens_whole language plpgsql volatile as $$ begin
    raise exception 'could not extend file' using errcode = '53100'; end $$`);
  await read.query('create view tokens as select * from tokens_rows()');
  await refuseAll(guarded, 'disk_full', 503, async (operation) => {
    const answer = await send(full.ask, operation, createUnknownRequest(operation));
    if (answer.headers['retry-after'] === undefined) throw new Error('no Retry-After');
    return answer;
  });
});

test('internal_error: a table is missing → every operation answers 500 that does not show the cause', async () => {
  const broken = await createRecordedService();
  await broken.service.database.read.query('alter table tokens rename to gone');
  await refuseAll(guarded, 'internal_error', 500, (operation) =>
    send(broken.ask, operation, createUnknownRequest(operation)),
  );
});

test('database_unavailable: the database is closed → every operation answers 503 with Retry-After', async () => {
  await service.service.database.close();
  await refuseAll(guarded, 'database_unavailable', 503, async (operation) => {
    const answer = await send(ask, operation, createUnknownRequest(operation));
    if (answer.headers['retry-after'] === undefined) throw new Error('no Retry-After');
    return answer;
  });
});

const IDENTITY = /^(unauthenticated|token_|permission_denied)/;

test('coverage: every failure that the API declares for every operation → was provoked', () => {
  proveProvoked(listDoorPromises().filter(([, code]) => !IDENTITY.test(code)));
});
