import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { eventTypes } from '#features/updates/types.ts';
import { triggers } from '#features/webhooks/triggers.ts';
import { startReceiver } from '#testing/receiver.ts';
import { getItems, getText, parseJson } from '#testing/service.ts';

const { ask, clock, runLab, service, token: founderToken } = await createRecordedService();
const live = await createRecordedService({ ENVIRONMENT: 'live' });

const mint = (body: unknown) => ask('POST', '/sandbox/payment-tokens', { body });

test('mint_payment_token: called twice → two test tokens, each with its limits', async () => {
  const minted = expectStatus(await mint({ max_amount_cents: 21_200, expires_in_s: 60 }), 201);
  assert.match(getText(minted.body.spt), /^spt_test_\w{20,}$/);
  assert.equal(minted.body.max_amount_cents, 21_200);
  assert.equal(minted.body.currency, 'usd');
  assert.equal(Date.parse(getText(minted.body.expires_at)), clock.now().getTime() + 60_000);
  const other = expectStatus(await mint({ max_amount_cents: 1, behavior: 'declines' }), 201);
  assert.notEqual(other.body.spt, minted.body.spt);
});

test('invalid_request: amount, lifetime or behavior of a payment token out of range → 400', async () => {
  const wrong = [
    {},
    { max_amount_cents: 0 },
    { max_amount_cents: 1.5 },
    { max_amount_cents: 100_000_000 },
    { max_amount_cents: 1, expires_in_s: 0 },
    { max_amount_cents: 1, behavior: 'wins' },
    { max_amount_cents: 1, color: 'red' },
  ];
  for (const body of wrong) expectFailure(await mint(body), 400, 'invalid_request');
});

test('test_payment_unavailable: a live environment mints a payment token → 403', async () => {
  const refused = await live.ask('POST', '/sandbox/payment-tokens', { body: { max_amount_cents: 1 } });
  expectFailure(refused, 403, 'test_payment_unavailable');
});

const sendTrigger = (eventType: string) =>
  ask('POST', '/sandbox/events', { body: { event_type: eventType } });

test('trigger_event: every event that a sandbox can bring about → it is in the feed of the experiment that the answer names, and delivered', async () => {
  const receiver = await startReceiver();
  const body = { url: receiver.url, event_types: eventTypes };
  expectStatus(await ask('POST', '/webhooks', { body }), 201);
  const possible = eventTypes.filter((type) => typeof triggers[type] !== 'string');
  assert.ok(possible.length >= 15);
  const made = new Map<string, string>();
  for (const type of possible) {
    const { body: answer } = expectStatus(await sendTrigger(type), 201);
    made.set(type, getText(answer.experiment_id));
    const present = await service.database.read.query<{ event_type: string }>(
      'select event_type from updates where experiment_id = $1',
      [answer.experiment_id],
    );
    assert.equal(
      present.some((update) => update.event_type === type),
      answer.happened,
      type,
    );
  }
  await runLab();
  for (const [type, id] of made) {
    const { body: page } = expectStatus(
      await ask('GET', `/updates?limit=100&filter=and(eq(experiment_id,${id}),eq(event_type,${type}))`),
      200,
    );
    assert.notEqual(getItems(page.items).length, 0, type);
  }
  await service.sender.runDue();
  const delivered = new Set(
    receiver.received.map(({ body: sent }) => {
      const event = parseJson(sent);
      return `${getText(event.event_type)} ${getText(event.experiment_id)}`;
    }),
  );
  for (const [type, id] of made) assert.ok(delivered.has(`${type} ${id}`), type);
});

test('event_not_triggered: no order leads to the event → 409 that says why; an unknown one → 400', async () => {
  for (const type of eventTypes) {
    const reason = triggers[type];
    if (typeof reason !== 'string') continue;
    const refused = expectFailure(await sendTrigger(type), 409, 'event_not_triggered');
    assert.ok(getText(refused.body.error).includes(reason), type);
  }
  expectFailure(await sendTrigger('invoice.burned'), 400, 'invalid_request');
});

test('permission_denied: a token that may order but not accept a quote triggers a payment → 403 naming the permission', async () => {
  const made = await ask('POST', '/tokens/attenuate', {
    body: {
      token: founderToken,
      name: 'orders',
      attenuation: { allowed_actions: ['list', 'read', 'create', 'pay'] },
    },
  });
  const token = getText(expectStatus(made, 201).body.token);
  const pay = { token, body: { event_type: 'invoice.paid' } };
  expectFailure(await ask('POST', '/sandbox/events', pay), 403, 'permission_denied');
  const open = { token, body: { event_type: 'quote.opened' } };
  expectStatus(await ask('POST', '/sandbox/events', open), 201);
});

test('sandbox_only: a live environment triggers an event → 422', async () => {
  const body = { event_type: 'quote.opened' };
  expectFailure(await live.ask('POST', '/sandbox/events', { body }), 422, 'sandbox_only');
});

proveCoverage('sandbox');
