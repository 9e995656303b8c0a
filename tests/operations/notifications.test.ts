import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientEventNames } from '#features/notifications/events.ts';
import { createBuilders, expectFailure, expectStatus } from '#testing/builders.ts';
import { createRecordedService, proveCoverage } from '#testing/recorder.ts';
import { getItems, getText, type Json } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken } = service;
await createBuilders(service);

const readChoices = ({ events }: Json): Record<string, string> =>
  Object.fromEntries(getItems(events).map(({ event, mail }) => [getText(event), getText(mail)]));

test('get_notifications: each role → has its usual mails, and knows the address they go to', async () => {
  const usual: Record<string, string[]> = {};
  for (const role of ['viewer', 'member', 'billing', 'admin'] as const) {
    const token = await issueToken({ role });
    const { body } = expectStatus(await ask('GET', '/notifications', { token }), 200);
    assert.match(getText(body.email), /^person-\d+@example\.org$/);
    assert.deepEqual([body.digest_hour, body.served], [7, true]);
    usual[role] = Object.entries(readChoices(body)).flatMap(([event, mail]) =>
      mail === 'at_once' ? [event] : [],
    );
  }
  assert.deepEqual(usual, {
    viewer: ['results', 'amendment'],
    member: ['quote_ready', 'payment_failed', 'delay', 'target_answer', 'message', 'results', 'amendment'],
    billing: ['quote_ready', 'invoice', 'receipt', 'payment_failed'],
    admin: clientEventNames,
  });
});

test('update_notifications: some events and the hour → these change, the others and null stay', async () => {
  const token = await issueToken({ role: 'viewer' });
  const first = { digest_hour: 21, mail: { results: 'daily', invoice: 'at_once' } };
  expectStatus(await ask('PATCH', '/notifications', { token, body: first }), 200);
  const second = { digest_hour: null, mail: { results: null, delay: 'daily' } };
  const { body } = expectStatus(await ask('PATCH', '/notifications', { token, body: second }), 200);
  assert.equal(body.digest_hour, 21);
  const { results, invoice, delay, amendment } = readChoices(body);
  assert.deepEqual([results, invoice, delay, amendment], ['daily', 'at_once', 'daily', 'at_once']);
  const other = await issueToken({ role: 'viewer' });
  assert.equal(readChoices((await ask('GET', '/notifications', { token: other })).body).results, 'at_once');
});

test('update_notifications: two changes at once → both count', async () => {
  const token = await issueToken();
  const change = (mail: object) => ask('PATCH', '/notifications', { token, body: { mail } });
  for (const answer of await Promise.all([change({ results: 'none' }), change({ delay: 'none' })]))
    expectStatus(answer, 200);
  const { results, delay } = readChoices((await ask('GET', '/notifications', { token })).body);
  assert.deepEqual([results, delay], ['none', 'none']);
});

test('token_restricted: a derived token → reads the choices and cannot change them', async () => {
  const token = await issueToken();
  const derived = expectStatus(
    await ask('POST', '/tokens/attenuate', { token, body: { token, name: 'agent', attenuation: {} } }),
    201,
  ).body.token;
  const options = { token: getText(derived) };
  expectStatus(await ask('GET', '/notifications', options), 200);
  const body = { mail: { receipt: 'none' } };
  expectFailure(await ask('PATCH', '/notifications', { ...options, body }), 403, 'token_restricted');
});

test('invalid_request: an unknown event, an unknown choice, hours outside the day → 400 with each place', async () => {
  for (const body of [
    { mail: { late_run: 'none' } },
    { mail: { results: 'hourly' } },
    { digest_hour: 24 },
    { digest_hour: -1 },
    { digest_hour: 6.5 },
    { other: 1 },
  ])
    expectFailure(await ask('PATCH', '/notifications', { body }), 400, 'invalid_request');
});

proveCoverage('notifications');
