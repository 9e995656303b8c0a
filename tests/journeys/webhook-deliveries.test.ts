/** Deliveries beside others: what became of a draft, who waits for whom, and whose secret signs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '#core/clock.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import { claimDeliveries } from '#features/webhooks/claim-store.ts';
import { InHand } from '#features/webhooks/in-hand.ts';
import {
  IN_FLIGHT_MAX,
  IN_FLIGHT_PER_ORGANIZATION,
  RETRY_DELAYS_MS,
  TEST_WORD,
} from '#features/webhooks/rules.ts';
import { lockWebhook } from '#features/webhooks/store.ts';
import { createLogger } from '#transports/log.ts';
import { createWebhookSender } from '#transports/webhook-sender.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { startReceiver } from '#testing/receiver.ts';
import { getItems, getText, parseJson, testService } from '#testing/service.ts';
import { computeHex, verifyStandard } from '#testing/webhook-signatures.ts';
import { runAssayer } from './cli-process.ts';

const world = await testService();
const { ask, clock, issueToken, service } = world;
const build = await createBuilders(world);
const SECRET = 'a-secret-of-exactly-thirty-two-characters';
const LIMIT_MS = 60_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('delete_exp: an endpoint receives experiment.deleted → the draft is deleted, and the event arrives with those before it', async () => {
  const receiver = await startReceiver();
  const body = { url: receiver.url, event_types: ['experiment.created', 'experiment.deleted'] };
  const endpoint = getText(expectStatus(await ask('POST', '/webhooks', { body }), 201).body.id);
  const { id } = await build.create();
  expectStatus(await ask('DELETE', `/experiments/${id}`), 204);
  await service.sender.runDue();
  expectStatus(await ask('DELETE', `/webhooks/${endpoint}`), 204);
  assert.deepEqual(
    receiver.received.map(({ body }) => parseJson(body).event_type),
    ['experiment.created', 'experiment.deleted'],
  );
});

test('delivery: another organization has thousands waiting for receivers that never answer → mine does not wait', async () => {
  const receiver = await startReceiver();

  const foreign = await issueToken({ role: 'admin', ownOrganization: true });
  const { body: me } = await ask('GET', '/whoami', { token: foreign });
  await service.database.read.query(
    `insert into webhook_deliveries (id, organization_id, experiment_id, event_type, body, lane, status, next_at, created_at)
     select md5(n::text)::uuid, $1, null, 'x', '{}', '0' || n, 'waiting', $2, $2 from generate_series(1, 2000) n`,
    [getText(me.active_organization_id), clock.now()],
  );
  const { id } = expectStatus(await ask('POST', '/webhooks', { body: { url: receiver.url } }), 201).body;
  expectStatus(await ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201);
  const claimed = await service.database.runTransaction((tx) =>
    claimDeliveries(labScope, tx, {
      now: clock.now(),
      leaseUntil: clock.now(),
      batch: 64,
      inHand: new InHand(),
    }),
  );
  const own = claimed.filter(({ webhook_id: webhookId }) => webhookId === getText(id));
  assert.deepEqual([own.length, claimed.length], [1, IN_FLIGHT_PER_ORGANIZATION + 1]);
  await service.database.read.query(`delete from webhook_deliveries where event_type = 'x'`);
  expectStatus(await ask('DELETE', `/webhooks/${getText(id)}`), 204);
});

test('delivery: more organizations and receivers wait than a claim takes, without end → each has its turn', async () => {
  const { read } = service.database;
  const [organizations, lanes, batch] = [6, 10, 4];
  await read.query(
    `with busy as (insert into organizations (id, name, slug, created_at)
       select md5('busy ' || n)::uuid, 'Busy', 'BUSY' || n, $3 from generate_series(1, $1::int) n returning id)
     insert into webhook_deliveries (id, organization_id, event_type, body, lane, status, next_at, created_at)
     select md5(busy.id::text || n)::uuid, busy.id, 'x', '{}', busy.id::text || ' ' || n, 'waiting', $3, $3
     from busy, generate_series(1, $2::int) n`,
    [organizations, lanes, clock.now()],
  );
  const [now, inHand] = [clock.now(), new InHand()];
  const served = new Set<string>();
  for (let turn = 0; turn < (organizations * lanes) / batch; turn += 1) {
    // The lease ends at once, so that the same deliveries are due again.
    const claim = { now, leaseUntil: now, batch, inHand };
    const claimed = await service.database.runTransaction((tx) => claimDeliveries(labScope, tx, claim));
    for (const { lane } of claimed) served.add(lane);
  }
  assert.equal(served.size, organizations * lanes);
  await read.query(`delete from webhook_deliveries where event_type = 'x'`);
});

test('delivery: dead receivers of eight organizations hold every place → a healthy one waits half a second', async () => {
  const organizations = IN_FLIGHT_MAX / IN_FLIGHT_PER_ORGANIZATION;
  const { id } = expectStatus(
    await ask('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/' } }),
    201,
  ).body;
  const { read } = service.database;
  await read.query(
    `with dead as (insert into organizations (id, name, slug, created_at)
       select md5('dead ' || n)::uuid, 'Dead', 'DEAD' || n, $2 from generate_series(1, $1::int) n returning id)
     insert into webhook_deliveries (id, organization_id, webhook_id, event_type, body, lane, status, next_at, created_at)
     select md5(dead.id::text || n)::uuid, dead.id, $4, 'x', '{"data":{}}', dead.id::text || n, 'waiting', $2, $2
     from dead, generate_series(1, $3::int) n`,
    [organizations, clock.now(), IN_FLIGHT_PER_ORGANIZATION, getText(id)],
  );
  const dead = Promise.withResolvers<void>();
  const [isFull, isHealthy] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let held = 0;
  const sender = createWebhookSender({
    ...service,
    log: createLogger('debug', { write: () => {} }),
    feed: { settle: () => Promise.resolve() },
    sealer: { seal: () => '', open: () => '{}' },
    style: { format: 'hex', prefix: 'X-Service' },
    deploymentSecret: null,
    outgoing: {
      inspect: () => Promise.resolve({ problem: null, warning: null }),
      async post({ body }) {
        const isTest = body.includes(TEST_WORD);
        if (isTest) isHealthy.resolve();
        else if (++held === IN_FLIGHT_MAX) isFull.resolve();
        if (!isTest) await dead.promise;
        return { kind: 'answered', status: 204, retryAfter: null, excerpt: '' };
      },
    },
  });
  const first = sender.runDue();
  await isFull.promise;
  expectStatus(await ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201);
  clock.advance(500);
  const second = sender.runDue();
  await isHealthy.promise;
  dead.resolve();
  await Promise.all([first, second]);
  await read.query(`delete from webhook_deliveries where event_type = 'x'`);
  expectStatus(await ask('DELETE', `/webhooks/${getText(id)}`), 204);
});

test('webhook_secret: an experiment with one, also from before secrets were sealed → it signs, and the database holds no plain one', async () => {
  const receiver = await startReceiver();
  const { id } = await build.createQuoted(
    build.createBody({}, { webhook_url: receiver.url, webhook_secret: SECRET }),
  );
  await service.sender.runDue();
  const { read } = service.database;
  const readKept = async () =>
    (
      await read.query<{ plain: string | null; sealed: string | null }>(
        'select webhook_secret as plain, sealed_webhook_secret as sealed from experiments where id = $1',
        [id],
      )
    )[0];
  const kept = await readKept();
  assert.equal(kept?.plain, null);
  assert.ok(!(kept?.sealed ?? SECRET).includes(SECRET));
  await read.query('update experiments set webhook_secret = $2, sealed_webhook_secret = null where id = $1', [
    id,
    SECRET,
  ]);
  const [newest] = getItems(
    expectStatus(await ask('GET', `/webhooks/deliveries?filter=eq(experiment_id,${id})&limit=1`), 200).body
      .items,
  );
  const path = `/webhooks/deliveries/${getText(newest?.id)}`;
  const resend = async (): Promise<void> => {
    expectStatus(await ask('POST', `${path}/redeliver`, { body: {} }), 200);
    assert.equal(await service.sender.runDue(), 1);
  };
  await resend();
  const put = { body: { webhook_secret: SECRET } };
  assert.equal(expectStatus(await ask('PATCH', `/experiments/${id}`, put), 200).body.updated, false);
  await service.worker.runChores();
  assert.equal((await readKept())?.plain, null);
  await resend();
  assert.equal(receiver.received.length, 4);
  assert.ok(
    receiver.received.every((each) => each.headers['x-service-signature'] === computeHex(SECRET, each)),
  );
  const [attempt] = getItems(expectStatus(await ask('GET', path), 200).body.attempts_made);
  assert.deepEqual(attempt?.signed_with, ['experiment']);
});

test('delivery: what is sealed was sealed under another key → the attempt says so and is made again, and nothing is sent', async () => {
  const receiver = await startReceiver();
  const body = { url: receiver.url, secret: SECRET };
  const { id } = expectStatus(await ask('POST', '/webhooks', { body }), 201).body;
  const sent = expectStatus(await ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201).body;
  const { read } = service.database;
  await read.query(`update webhooks set sealed_secret = 'other', sealed_headers = 'other' where id = $1`, [
    id,
  ]);
  assert.equal(await service.sender.runDue(), 1);
  const detail = await ask('GET', `/webhooks/deliveries/${getText(sent.id)}`);
  const { status, attempts, last_outcome: outcome } = expectStatus(detail, 200).body;
  assert.deepEqual([status, attempts, receiver.received.length], ['waiting', 1, 0]);
  assert.match(getText(outcome), /Set the secret and the headers of the endpoint again/);
  expectStatus(
    await ask('PATCH', `/webhooks/${getText(id)}`, { body: { secret: SECRET, headers: {} } }),
    200,
  );
  clock.advance(RETRY_DELAYS_MS[0] ?? 0);
  assert.equal(await service.sender.runDue(), 1);
  assert.equal(receiver.received.length, 1);
  expectStatus(await ask('DELETE', `/webhooks/${getText(id)}`), 204);
});

test('delivery: it fails while somebody holds its endpoint to send it again → whoever came first does not wait for it', async () => {
  const receiver = await startReceiver();
  receiver.answerWith(500);
  const { id } = expectStatus(await ask('POST', '/webhooks', { body: { url: receiver.url } }), 201).body;
  expectStatus(await ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201);
  const { read } = service.database;
  const countWaiting = async (): Promise<number> => {
    const [row] = await read.query<{ n: number }>(
      `select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row?.n ?? 0;
  };
  const scope = createOrganizationScope(service.founder.organizationId);
  const sending = await service.database.runTransaction(async (tx) => {
    await lockWebhook(scope, tx, getText(id));
    const running = service.sender.runDue();
    while ((await countWaiting()) === 0);
    await tx.query('select id from webhook_deliveries where webhook_id = $1 for update nowait', [id]);
    return { running };
  });
  assert.equal(await sending.running, 1);
  expectStatus(await ask('DELETE', `/webhooks/${getText(id)}`), 204);
});

test('roll_webhook_secret: an experiment has an address without a secret → both secrets of the organization sign for a day', async () => {
  const receiver = await startReceiver();
  const { id } = expectStatus(
    await ask('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/', secret: SECRET } }),
    201,
  ).body;
  const rolled = await ask('POST', `/webhooks/${getText(id)}/roll-secret`, { body: {} });
  const secret = getText(expectStatus(rolled, 200).body.secret);
  const order = () => build.createQuoted(build.createBody({}, { webhook_url: receiver.url }));
  await order();
  await service.sender.runDue();
  assert.equal(receiver.received.length, 2);
  assert.ok(receiver.received.every((each) => verifyStandard(secret, each) && verifyStandard(SECRET, each)));
  clock.advance(DAY_MS);
  await order();
  await service.sender.runDue();
  const later = receiver.received.slice(2);
  assert.equal(later.length, 2);
  assert.ok(later.every((each) => verifyStandard(secret, each) && !verifyStandard(SECRET, each)));
  expectStatus(await ask('DELETE', `/webhooks/${getText(id)}`), 204);
});

test('create_webhook: the format slack → a text with a link to the page, in which no name calls anybody; events again after a change', async () => {
  const receiver = await startReceiver();
  const { id, format } = expectStatus(
    await ask('POST', '/webhooks', { body: { url: receiver.url, format: 'slack' } }),
    201,
  ).body;
  assert.equal(format, 'slack');
  const quoted = await build.createQuoted();
  await service.sender.runDue();
  const [first] = receiver.received;
  assert.ok(first !== undefined);
  const { text } = parseJson(first.body);
  assert.ok(getText(text).endsWith(`${service.work.site.baseUrl}/experiments/${quoted.id}`));
  assert.ok(getText(text).includes(quoted.code));
  assert.deepEqual(Object.keys(JSON.parse(first.body)), ['text']);
  const listed = await ask('GET', `/webhooks/${getText(id)}/deliveries`);
  const [delivery] = getItems(expectStatus(listed, 200).body.items);
  const path = `/webhooks/deliveries/${getText(delivery?.id)}`;
  assert.match(getText(expectStatus(await ask('GET', path), 200).body.body), /^\{"text":/);
  expectStatus(await ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201);
  expectStatus(await ask('PATCH', `/webhooks/${getText(id)}`, { body: { format: 'events' } }), 200);
  await service.sender.runDue();
  assert.equal(parseJson(receiver.received.at(-1)?.body ?? '').event, 'webhook_test');
  expectStatus(await ask('DELETE', `/webhooks/${getText(id)}`), 204);
});

test('assayer webhooks listen: events of the past and of now, then its token is revoked → a program gets each once, signed, and the command ends', async () => {
  const receiver = await startReceiver();
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const token = await issueToken({ role: 'admin', ownOrganization: true });
  const draft = { ...build.createBody(), name: 'Heard' };
  const order = () => ask('POST', '/experiments', { token, body: draft });
  expectStatus(await order(), 201);
  const begin = '00000000-0000-0000-0000-000000000000';
  const listening = runAssayer(['webhooks', 'listen', '--forward', receiver.url, '--after', begin], {
    server: { url, token },
  });
  const receive = async (count: number): Promise<void> => {
    const untilMs = performance.now() + LIMIT_MS;
    while (receiver.received.length < count && performance.now() < untilMs) await pause(20);
  };
  await receive(1);
  expectStatus(await order(), 201);
  await receive(2);
  const feed = getItems(expectStatus(await ask('GET', '/updates?sort=id', { token }), 200).body.items);
  expectStatus(await ask('POST', '/tokens/revoke', { token, body: {} }), 200);
  const { code, out } = await listening;
  const [secret = ''] = out.split('\n');
  assert.notEqual(code, 0);
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers['webhook-id']),
    feed.map(({ id }) => id),
  );
  assert.ok(receiver.received.every((each) => verifyStandard(secret, each)));
});
