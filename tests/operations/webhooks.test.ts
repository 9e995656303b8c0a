import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '#core/clock.ts';
import { ENDPOINTS_MAX, RETRY_DELAYS_MS } from '#features/webhooks/rules.ts';
import { createBuilders, expectFailure, expectStatus, listProblemPaths } from '#testing/builders.ts';
import { UNKNOWN_ID } from '#testing/builders.ts';
import { startReceiver, type Received } from '#testing/receiver.ts';
import { createRecordedService, proveCoverage } from '#testing/recorder.ts';
import { getItems, getText, parseJson, type Json } from '#testing/service.ts';
import { computeHex, verifyStandard } from '#testing/webhook-signatures.ts';

const world = await createRecordedService();
const { ask, clock, service, issueToken } = world;
const build = await createBuilders(world);
const { sender } = service;

const SECRET = 'a-secret-of-exactly-thirty-two-characters';

async function createEndpoint(body: Readonly<Record<string, unknown>>): Promise<Json> {
  return expectStatus(await ask('POST', '/webhooks', { body }), 201).body;
}

async function clearEndpoints(): Promise<void> {
  for (const { id } of getItems((await ask('GET', '/webhooks')).body))
    expectStatus(await ask('DELETE', `/webhooks/${getText(id)}`), 204);
}

const readDeliveries = async (id: Json | undefined) =>
  getItems(expectStatus(await ask('GET', `/webhooks/${getText(id)}/deliveries`), 200).body.items);

test('create_webhook: an experiment changes status → one signed delivery with the fields of the contract', async () => {
  const receiver = await startReceiver();
  const endpoint = await createEndpoint({
    url: receiver.url,
    secret: SECRET,
    headers: { Authorization: 'Bearer own' },
  });
  assert.deepEqual(
    [endpoint.secret_set, endpoint.headers, endpoint.enabled],
    [true, { Authorization: '***' }, true],
  );
  const { id, code } = await build.createQuoted();
  await sender.runDue();
  const changes = receiver.received.map(({ body }) => parseJson(body));
  assert.deepEqual(
    changes.map((change) => [change.experiment_id, change.previous_status, change.new_status, change.event]),
    [
      [id, 'draft', 'waiting_for_confirmation', 'experiment_update'],
      [id, 'waiting_for_confirmation', 'quote_sent', 'experiment_update'],
    ],
  );
  const [first] = receiver.received;
  assert.ok(first !== undefined);
  const { headers } = first;
  const body = parseJson(first.body);
  assert.equal(headers['x-service-event'], 'experiment_update');
  assert.equal(headers['x-service-delivery-id'], body.delivery_id);
  assert.equal(headers['webhook-id'], body.delivery_id);
  assert.equal(headers.authorization, 'Bearer own');
  assert.equal(headers['x-service-signature'], computeHex(SECRET, first));
  assert.ok(verifyStandard(SECRET, first));
  assert.equal(body.data?.experiment_code, code);
  assert.deepEqual([body.api_version, body.timestamp], ['v1', clock.now().toISOString()]);
  const listed = await readDeliveries(endpoint.id);
  assert.deepEqual(new Set(listed.map(({ status }) => status)), new Set(['delivered']));
  const detail = expectStatus(
    await ask('GET', `/webhooks/deliveries/${getText(body.delivery_id)}`),
    200,
  ).body;
  assert.equal(detail.body, first.body);
  assert.deepEqual(
    getItems(detail.attempts_made).map(({ number, status_code, url }) => [number, status_code, url]),
    [[1, 204, receiver.url]],
  );
  await clearEndpoints();
});

test('webhook_url: an experiment has its own address → its changes go there with its secret, and not to the organization', async () => {
  const [own, shared, everything] = [await startReceiver(), await startReceiver(), await startReceiver()];
  await createEndpoint({ url: shared.url });
  await createEndpoint({ url: everything.url, event_types: ['experiment.status_changed'] });
  await build.createQuoted(build.createBody({}, { webhook_url: own.url, webhook_secret: SECRET }));
  await sender.runDue();
  assert.deepEqual([own.received.length, shared.received.length, everything.received.length], [2, 0, 2]);
  assert.ok(own.received.every((each) => each.headers['x-service-signature'] === computeHex(SECRET, each)));
  assert.ok(everything.received.every(({ headers }) => headers['x-service-signature'] === undefined));
  await clearEndpoints();
});

test('delivery: a receiver fails → the schedule of attempts with one id, then failed', async () => {
  const receiver = await startReceiver();
  const { id } = await createEndpoint({ url: receiver.url });
  receiver.answerWith(503);
  expectStatus(await ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201);
  await sender.runDue();
  for (const delayMs of RETRY_DELAYS_MS) {
    clock.advance(delayMs - 1);
    assert.equal(await sender.runDue(), 0);
    clock.advance(1);
    assert.equal(await sender.runDue(), 1);
  }
  assert.equal(receiver.received.length, RETRY_DELAYS_MS.length + 1);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
  const [delivery] = await readDeliveries(id);
  assert.deepEqual([delivery?.status, delivery?.attempts, delivery?.next_at], ['failed', 8, null]);
  clock.advance(DAY_MS);
  assert.equal(await sender.runDue(), 0);
  await clearEndpoints();
});

test('delivery: 429 with Retry-After → no attempt before that time', async () => {
  const receiver = await startReceiver();
  const { id } = await createEndpoint({ url: receiver.url });
  receiver.answerWith(429, { 'retry-after': '120' });
  expectStatus(await ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201);
  await sender.runDue();
  clock.advance(119_000);
  assert.equal(await sender.runDue(), 0);
  receiver.answerWith(200);
  clock.advance(1_000);
  assert.equal(await sender.runDue(), 1);
  assert.equal((await readDeliveries(id))[0]?.status, 'delivered');
  await clearEndpoints();
});

test('delivery: another 4xx or a redirect → failed at once; 410 → the endpoint is switched off with a reason', async () => {
  const receiver = await startReceiver();
  const { id } = await createEndpoint({ url: receiver.url });
  for (const status of [400, 404, 302]) {
    receiver.answerWith(status, { location: 'http://127.0.0.1:1/' });
    expectStatus(await ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201);
    assert.equal(await sender.runDue(), 1);
    assert.equal((await readDeliveries(id))[0]?.status, 'failed');
    clock.advance(10);
  }
  receiver.answerWith(410);
  expectStatus(await ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201);
  await sender.runDue();
  const [endpoint] = getItems((await ask('GET', '/webhooks')).body);
  assert.equal(endpoint?.enabled, false);
  assert.match(getText(endpoint?.disabled_reason), /410/);
  expectFailure(await ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 409, 'webhook_disabled');
  const enabled = expectStatus(
    await ask('PATCH', `/webhooks/${getText(id)}`, { body: { enabled: true } }),
    200,
  ).body;
  assert.deepEqual([enabled.enabled, enabled.disabled_reason, enabled.failing_since], [true, null, null]);
  await clearEndpoints();
});

test('endpoint: every delivery fails for three days → switched off; a success in between → it stays on', async () => {
  const receiver = await startReceiver();
  const { id } = await createEndpoint({ url: receiver.url });
  const isEnabled = async () => getItems((await ask('GET', '/webhooks')).body)[0]?.enabled;
  const tryOnce = async (status: number) => {
    receiver.answerWith(status);
    expectStatus(await ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201);
    await sender.runDue();
  };
  await tryOnce(400);
  clock.advance(2 * DAY_MS);
  await tryOnce(204);
  clock.advance(2 * DAY_MS);
  await tryOnce(400);
  assert.equal(await isEnabled(), true);
  clock.advance(3 * DAY_MS);
  await tryOnce(400);
  assert.equal(await isEnabled(), false);
  await clearEndpoints();
});

test('roll_webhook_secret: during the overlap → the old and the new secret verify; afterwards the new one alone', async () => {
  const receiver = await startReceiver();
  const { id } = await createEndpoint({ url: receiver.url, secret: SECRET });
  const rolled = expectStatus(
    await ask('POST', `/webhooks/${getText(id)}/roll-secret`, { body: {} }),
    200,
  ).body;
  const secret = getText(rolled.secret);
  const sendTest = async (): Promise<Received> => {
    expectStatus(await ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201);
    await sender.runDue();
    const last = receiver.received.at(-1);
    assert.ok(last !== undefined);
    return last;
  };
  const during = await sendTest();
  assert.ok(verifyStandard(secret, during) && verifyStandard(SECRET, during));
  assert.equal(during.headers['x-service-signature'], computeHex(secret, during));
  assert.equal(during.headers['x-service-signature-previous'], computeHex(SECRET, during));
  clock.advance(DAY_MS);
  const after = await sendTest();
  assert.ok(verifyStandard(secret, after) && !verifyStandard(SECRET, after));
  assert.equal(after.headers['x-service-signature-previous'], undefined);
  await clearEndpoints();
});

test('update_webhook: hidden headers, null and a null secret → kept, kept and removed', async () => {
  const receiver = await startReceiver();
  const { id } = await createEndpoint({
    url: receiver.url,
    secret: SECRET,
    headers: { 'X-Key': 'one', 'X-Other': '2' },
  });
  const path = `/webhooks/${getText(id)}`;
  const kept = expectStatus(
    await ask('PATCH', path, { body: { url: null, headers: null, event_types: null } }),
    200,
  ).body;
  assert.deepEqual(
    [kept.url, kept.headers, kept.secret_set],
    [receiver.url, { 'X-Key': '***', 'X-Other': '***' }, true],
  );
  const changed = expectStatus(
    await ask('PATCH', path, { body: { headers: { 'X-Key': '***', 'X-New': 'n' }, secret: null } }),
    200,
  ).body;
  assert.deepEqual([changed.headers, changed.secret_set], [{ 'X-Key': '***', 'X-New': '***' }, false]);
  expectStatus(await ask('POST', `${path}/test`, { body: {} }), 201);
  await sender.runDue();
  const headers = receiver.received[0]?.headers;
  assert.deepEqual([headers?.['x-key'], headers?.['x-new'], headers?.['x-other']], ['one', 'n', undefined]);
  await clearEndpoints();
});

test('resend: one delivery and a period → sent again with the same ids', async () => {
  const receiver = await startReceiver();
  const { id } = await createEndpoint({ url: receiver.url });
  receiver.answerWith(400);
  const since = clock.now().toISOString();
  const tests = [];
  for (const _ of [1, 2, 3])
    tests.push(
      getText(expectStatus(await ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201).body.id),
    );
  await sender.runDue();
  receiver.answerWith(204);
  const again = await ask('POST', `/webhooks/deliveries/${tests[0]}/redeliver`, { body: {} });
  assert.equal(expectStatus(again, 200).body.status, 'waiting');
  assert.equal(await sender.runDue(), 1);
  const range = `/webhooks/${getText(id)}/redeliver`;
  assert.equal(expectStatus(await ask('POST', range, { body: { since } }), 200).body.count, 2);
  assert.equal(await sender.runDue(), 2);
  assert.equal(expectStatus(await ask('POST', range, { body: { since } }), 200).body.count, 0);
  const body = { since, only_failed: false };
  assert.equal(expectStatus(await ask('POST', range, { body }), 200).body.count, 3);
  await sender.runDue();
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  assert.deepEqual([ids.length, new Set(ids)], [9, new Set(tests)]);
  await clearEndpoints();
});

test('resend: deliveries of the period wait for their next attempt → all of them go at once, and only the failed ones do not take them', async () => {
  const receiver = await startReceiver();
  const { id } = await createEndpoint({ url: receiver.url });
  receiver.answerWith(500);
  const since = clock.now().toISOString();
  const post = (path: string, body: object) => ask('POST', `/webhooks/${getText(id)}/${path}`, { body });
  const { body: first } = await post('test', {});
  assert.equal(await sender.runDue(), 1);
  const { body: fresh } = await post('test', {});
  const resend = (body: object) => post('redeliver', { since, ...body });
  assert.equal(expectStatus(await resend({}), 200).body.count, 0);
  receiver.answerWith(204);
  assert.equal(expectStatus(await resend({ only_failed: false }), 200).body.count, 1);
  assert.equal(await sender.runDue(), 2);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  assert.deepEqual([ids.length, new Set(ids)], [3, new Set([getText(first.id), getText(fresh.id)])]);
  await clearEndpoints();
});

test('invalid_webhook: addresses, headers and secrets that are not allowed → 400 naming the field', async () => {
  for (const url of [
    'http://10.0.0.1/',
    'https://169.254.169.254/',
    'https://user@example.org/',
    'ftp://example.org',
  ])
    assert.deepEqual(
      listProblemPaths(
        expectFailure(await ask('POST', '/webhooks', { body: { url } }), 400, 'invalid_webhook'),
      ),
      ['url'],
    );
  for (const headers of [
    { Host: 'x' },
    { 'x-service-signature': 'x' },
    { 'a b': 'x' },
    { 'x-a': 'x\r\ny: z' },
    { 'x-a': '' },
  ])
    assert.deepEqual(
      listProblemPaths(
        expectFailure(
          await ask('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/', headers } }),
          400,
          'invalid_webhook',
        ),
      ),
      ['headers'],
    );
  const short = { url: 'http://127.0.0.1:9/', secret: 'short' };
  expectFailure(await ask('POST', '/webhooks', { body: short }), 400, 'invalid_request');
  const { id } = await createEndpoint({ url: 'http://127.0.0.1:9/' });
  const body = { url: 'http://192.168.0.1/' };
  expectFailure(await ask('PATCH', `/webhooks/${getText(id)}`, { body }), 400, 'invalid_webhook');
  await clearEndpoints();
});

test('too_many_webhooks: endpoints up to the limit, then one more → 409', async () => {
  for (let count = 0; count < ENDPOINTS_MAX; count++)
    await createEndpoint({ url: `http://127.0.0.1:9/${count}` });
  expectFailure(
    await ask('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/' } }),
    409,
    'too_many_webhooks',
  );
  await clearEndpoints();
});

test('webhook_not_found and delivery_not_found: unknown ids, and those of another organization → 404', async () => {
  const { id } = await createEndpoint({ url: 'http://127.0.0.1:9/' });
  const delivery = getText(
    expectStatus(await ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201).body.id,
  );
  const foreign = await issueToken({ role: 'admin', ownOrganization: true });
  for (const [webhook, sent, token] of [
    [UNKNOWN_ID, UNKNOWN_ID, undefined],
    [getText(id), delivery, foreign],
  ] as const) {
    const options = token === undefined ? {} : { token };
    const path = `/webhooks/${webhook}`;
    for (const [method, at, body] of [
      ['PATCH', path, {}],
      ['DELETE', path, undefined],
      ['POST', `${path}/test`, {}],
      ['POST', `${path}/roll-secret`, {}],
      ['POST', `${path}/redeliver`, { since: clock.now().toISOString() }],
      ['GET', `${path}/deliveries`, undefined],
    ] as const)
      expectFailure(
        await ask(method, at, { ...options, ...(body === undefined ? {} : { body }) }),
        404,
        'webhook_not_found',
      );
    const at = `/webhooks/deliveries/${sent}`;
    expectFailure(await ask('GET', at, options), 404, 'delivery_not_found');
    expectFailure(await ask('POST', `${at}/redeliver`, { ...options, body: {} }), 404, 'delivery_not_found');
  }
  await clearEndpoints();
});

test('list_deliveries: a wrong filter → 400', async () => {
  expectStatus(await ask('GET', '/webhooks/deliveries'), 200);
  expectFailure(await ask('GET', '/webhooks/deliveries?filter=eq(body,x)'), 400, 'invalid_query');
  const { id } = await createEndpoint({ url: 'http://127.0.0.1:9/' });
  expectFailure(await ask('GET', `/webhooks/${getText(id)}/deliveries?sort=x`), 400, 'invalid_query');
  await clearEndpoints();
});

test('deliveries_off: the operator switched them off → a test is refused, and an order that names an address is warned', async () => {
  const off = await createRecordedService({ WEBHOOKS: 'off' });
  const builders = await createBuilders(off);
  const { id } = expectStatus(
    await off.ask('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/' } }),
    201,
  ).body;
  expectFailure(await off.ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 409, 'deliveries_off');
  const body = builders.createBody({}, { webhook_url: 'http://127.0.0.1:9/' });
  for (const path of ['/experiments', '/experiments/validate']) {
    const { warnings } = expectStatus(
      await off.ask('POST', path, { body }),
      path === '/experiments' ? 201 : 200,
    ).body;
    assert.match(JSON.stringify(warnings), /delivers no webhooks/);
  }
  const silent = expectStatus(
    await off.ask('POST', '/experiments', { body: builders.createBody() }),
    201,
  ).body;
  assert.equal(silent.warnings, undefined);
  assert.equal(await off.service.sender.runDue(), 0);
});

test('update_webhook: the address moves to another host → its headers must be given again', async () => {
  const { id } = await createEndpoint({
    url: 'http://127.0.0.1:9/a',
    headers: { Authorization: 'Bearer own' },
  });
  const path = `/webhooks/${getText(id)}`;
  expectStatus(await ask('PATCH', path, { body: { url: 'http://127.0.0.1:9/b' } }), 200);
  const elsewhere = { url: 'http://127.0.0.1:10/' };
  for (const body of [elsewhere, { ...elsewhere, headers: { Authorization: '***' } }])
    expectFailure(await ask('PATCH', path, { body }), 400, 'invalid_webhook');
  const body = { ...elsewhere, headers: { Authorization: 'Bearer other' } };
  expectStatus(await ask('PATCH', path, { body }), 200);
  await clearEndpoints();
});

proveCoverage('webhooks');
