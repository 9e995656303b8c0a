/** The body of a delivery where the lab has its own names or prefixed signatures: the values of the public contract. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { startReceiver } from '#testing/receiver.ts';
import { getText, parseJson, testService, type Json } from '#testing/service.ts';

const STATUS_CHANGES = ['waiting_for_confirmation', 'quote_sent'];

/** Orders an experiment and returns the bodies that an endpoint received: two changes of status, and a test. */
async function receiveBodies(variables: Readonly<Record<string, string>>): Promise<Json[]> {
  const world = await testService(variables);
  const receiver = await startReceiver();
  const made = await world.ask('POST', '/webhooks', { body: { url: receiver.url } });
  await (await createBuilders(world)).createQuoted();
  await world.service.sender.runDue();
  await world.ask('POST', `/webhooks/${getText(expectStatus(made, 201).body.id)}/test`, { body: {} });
  await world.service.sender.runDue();
  const bodies = receiver.received.map(({ body }) => parseJson(body));
  assert.deepEqual(
    bodies.map(({ new_status: status }) => status),
    [...STATUS_CHANGES, null],
  );
  return bodies;
}

for (const [name, value] of [
  ['PROVIDER_FIELD_ALIAS', 'acme'],
  ['SIGNATURE_FORMAT', 'prefixed'],
] as const)
  test(`webhook body: ${name}=${value} → api_version, data.type and a text as description, as the public contract prints them`, async () => {
    const [, quoted, tested] = await receiveBodies({ [name]: value });
    assert.deepEqual([quoted?.api_version, tested?.api_version], ['2026-02', '2026-02']);
    assert.equal(quoted?.event, 'experiment_update');
    const { data } = quoted ?? {};
    assert.equal(data?.type, 'experiment.update');
    assert.equal(data?.description, '');
    assert.match(getText(data?.eta), /^2026-\d\d-\d\dT\d\d:00:00\.000Z$/);
    assert.equal(typeof data?.update_id, 'string');
  });

test('webhook body: neither an alias nor prefixed signatures → our own values, and eta', async () => {
  const [first] = await receiveBodies({});
  const { data } = first ?? {};
  assert.deepEqual([first?.api_version, data?.type, data?.description], ['v1', 'experiment_update', null]);
  assert.match(getText(data?.eta), /^2026-\d\d-\d\dT\d\d:00:00\.000Z$/);
});
