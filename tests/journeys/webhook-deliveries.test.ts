/** Deliveries beside others: what became of a draft, and who waits for whom. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labScope } from '#core/scope.ts';
import { claimDeliveries } from '#domain/webhooks/delivery-store.ts';
import { IN_FLIGHT_PER_ORGANIZATION } from '#domain/webhooks/rules.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { startReceiver } from '#testing/receiver.ts';
import { getText, parseJson, testService } from '#testing/service.ts';

const world = await testService();
const { ask, clock, issueToken, service } = world;
const build = await createBuilders(world);

test('delete_exp: an endpoint receives experiment.deleted → the draft is deleted, and the event arrives with those before it', async () => {
  const receiver = await startReceiver();
  const body = { url: receiver.url, event_types: ['experiment.created', 'experiment.deleted'] };
  expectStatus(await ask('POST', '/webhooks', { body }), 201);
  const { id } = await build.create();
  expectStatus(await ask('DELETE', `/experiments/${id}`), 204);
  await service.sender.runDue();
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
      inHand: { lanes: new Map(), organizations: new Map() },
    }),
  );
  const own = claimed.filter(({ webhook_id: webhookId }) => webhookId === getText(id));
  assert.deepEqual([own.length, claimed.length], [1, IN_FLIGHT_PER_ORGANIZATION + 1]);
});
