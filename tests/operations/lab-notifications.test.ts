import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus } from '#testing/builders.ts';
import { createRecordedService, proveCoverage } from '#testing/recorder.ts';
import { getItems, getText } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken } = service;
await createBuilders(service);
const PATH = '/lab/notifications';

test('get_lab_notifications: each role of the staff → has its usual mails; what its role may not read is not allowed', async () => {
  const usual: Record<string, string[]> = {};
  for (const role of ['operator', 'manager', 'finance'] as const) {
    const token = await issueToken({ staffRoles: [role] });
    const { body } = expectStatus(await ask('GET', PATH, { token }), 200);
    const events = getItems(body.events);
    for (const { allowed, mail } of events) assert.ok(Boolean(allowed) || getText(mail) === 'none');
    usual[role] = events.flatMap(({ event, mail }) => (getText(mail) === 'at_once' ? [getText(event)] : []));
  }
  assert.deepEqual(usual, {
    operator: ['client_message', 'failed_analysis', 'late_run'],
    manager: ['new_order', 'target_request', 'client_message', 'failed_analysis', 'late_run'],
    finance: [],
  });
});

test('update_lab_notifications: the lab and the organization of one person → are chosen apart', async () => {
  const token = await issueToken({ isStaff: true });
  const body = { digest_hour: 5, mail: { late_run: 'daily' } };
  const { body: changed } = expectStatus(await ask('PATCH', PATH, { token, body }), 200);
  assert.equal(changed.digest_hour, 5);
  const own = expectStatus(await ask('GET', '/notifications', { token }), 200).body;
  assert.equal(own.digest_hour, 7);
  const chosen = Object.fromEntries(
    getItems(changed.events).map(({ event, mail }) => [getText(event), getText(mail)]),
  );
  assert.deepEqual([chosen.late_run, chosen.new_order], ['daily', 'at_once']);
});

test('token_restricted: a derived token of the staff → cannot change them', async () => {
  const parent = await issueToken({ isStaff: true });
  const attenuated = await ask('POST', '/tokens/attenuate', {
    token: parent,
    body: { token: parent, name: 'agent', attenuation: {} },
  });
  const token = getText(expectStatus(attenuated, 201).body.token);
  const body = { mail: { late_run: 'none' } };
  expectFailure(await ask('PATCH', PATH, { token, body }), 403, 'token_restricted');
});

proveCoverage('lab-notifications');
