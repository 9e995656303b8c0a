/** Webhooks in the portal: the secret is shown once, events are chosen, and a delivery is looked at and sent again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectStatus } from '#testing/builders.ts';
import { openSignedIn } from '#testing/browser.ts';
import { startReceiver } from '#testing/receiver.ts';
import { getItems, getText, testService } from '#testing/service.ts';
import { DEAD_RECEIVER } from '#testing/webhook-builders.ts';

const service = await testService();
const { ask, issueToken } = service;
const { sender } = service.service;
const PATH = '/organization/webhooks';
const browser = await openSignedIn(service);

async function openAs(person: Parameters<typeof issueToken>[0]) {
  const { body } = await ask('GET', '/whoami', { token: await issueToken(person) });
  return openSignedIn(service, getText(body.user_id));
}

const readEndpoint = async (id: string) =>
  getItems((await ask('GET', '/webhooks')).body).find((each) => getText(each.id) === id);

/** An endpoint at which nobody listens. */
async function createEndpoint(): Promise<string> {
  return getText(expectStatus(await ask('POST', '/webhooks', { body: { url: DEAD_RECEIVER } }), 201).body.id);
}

test('create_webhook, roll_webhook_secret: an endpoint with two events → its secret stands on one page alone; the new one differs', async () => {
  const page = await browser.open(PATH);
  assert.match(page.text, /No endpoints yet/);
  assert.match(page.text, /To try an event, first add an endpoint/);
  const typed = {
    url: DEAD_RECEIVER,
    'event_types:results.released': 'yes',
    'event_types:invoice.paid': 'yes',
  };
  const [made, again] = await Promise.all([
    browser.send(page, `${PATH}/create`, typed),
    browser.send(page, `${PATH}/create`, typed),
  ]);
  const [secret = ''] = /whsec_[A-Za-z0-9+/=]{40,}/.exec(made.text) ?? [];
  assert.notEqual(secret, '');
  assert.ok(
    again.text.includes(secret),
    'a form that is sent twice at once makes one endpoint and one secret',
  );
  const [, id = ''] = /webhooks\/([0-9a-f-]{36})"/.exec(made.text) ?? [];
  const endpoint = await readEndpoint(id);
  assert.deepEqual(
    [endpoint?.secret_set, endpoint?.event_types],
    [true, ['invoice.paid', 'results.released']],
  );
  const shown = await browser.open(`${PATH}/${id}`);
  assert.doesNotMatch(shown.text, /whsec_/);
  assert.match(shown.text, /name="event_types:invoice.paid" value="yes" checked/);
  assert.match((await browser.open(PATH)).text, /2 event types/);
  const rolled = await browser.send(shown, `${PATH}/${id}/roll`);
  assert.match(rolled.text, /whsec_/);
  assert.ok(!rolled.text.includes(secret));
  assert.match(rolled.text, /The previous secret signs too until/);
});

test('invalid_webhook: an address without https → 400 beside the form with what was typed; a good one → saved', async () => {
  const page = await browser.open(PATH);
  const typed = { url: 'ftp://hooks.example.org/', 'event_types:quote.opened': 'yes' };
  const refused = await browser.send(page, `${PATH}/create`, typed);
  assert.equal(refused.status, 400);
  assert.match(refused.text, /role="alert"/);
  assert.match(refused.text, /value="ftp:\/\/hooks\.example\.org\/"/);
  assert.match(refused.text, /name="event_types:quote.opened" value="yes" checked/);
  const id = await createEndpoint();
  const before = await browser.open(`${PATH}/${id}`);
  assert.ok((await browser.send(before, `${PATH}/${id}/save`, typed)).status >= 400);
  const saved = await browser.send(before, `${PATH}/${id}/save`, { ...typed, url: DEAD_RECEIVER });
  assert.equal(saved.location, `${PATH}/${id}?done=save`);
  assert.deepEqual((await readEndpoint(id))?.event_types, ['quote.opened']);
});

test('test_webhook, resend_delivery: nobody listens, then somebody does → the attempt that failed and the one that arrived', async () => {
  const id = await createEndpoint();
  const path = `${PATH}/${id}`;
  const tested = await browser.send(await browser.open(path), `${path}/test`);
  assert.equal(tested.location, `${path}?done=test`);
  await sender.runDue();
  const { text } = await browser.open(path);
  const [delivery = ''] = new RegExp(`${PATH}/deliveries/[0-9a-f-]{36}`).exec(text) ?? [];
  const failed = await browser.open(delivery);
  assert.match(failed.text, /1 attempt</);
  assert.match(failed.text, /\n  &quot;event_type&quot;: &quot;webhook\.test&quot;/);
  assert.match(failed.text, /,&quot;event_type&quot;:&quot;webhook\.test&quot;,/);
  assert.match(failed.text, /Signed with the secret of the first endpoint/);
  const receiver = await startReceiver();
  const typed = { url: receiver.url };
  assert.equal(
    (await browser.send(await browser.open(path), `${path}/save`, typed)).location,
    `${path}?done=save`,
  );
  const again = await browser.send(failed, `${delivery}/redeliver`);
  assert.equal(again.location, `${delivery}?done=redeliver`);
  await sender.runDue();
  const arrived = await browser.open(delivery);
  assert.match(arrived.text, /chip good">Delivered/);
  assert.match(arrived.text, /2 attempts</);
  assert.match(arrived.text, /The receiver answered 2\d\d/);
});

test('update_webhook, delete_webhook: switched off and on, then deleted → no test while it is off; then unknown', async () => {
  const id = await createEndpoint();
  const path = `${PATH}/${id}`;
  const off = await browser.send(await browser.open(path), `${path}/disable`);
  assert.equal(off.location, `${path}?done=disable`);
  const page = await browser.open(path);
  assert.match(page.text, /chip idle">Off/);
  assert.doesNotMatch(page.text, /Send a test/);
  assert.equal((await browser.send(page, `${path}/enable`)).location, `${path}?done=enable`);
  assert.equal((await readEndpoint(id))?.enabled, true);
  assert.equal((await browser.send(page, `${path}/delete`)).location, `${PATH}?done=delete`);
  assert.equal((await browser.open(path)).status, 404);
});

test('permission_denied: a viewer, and an administrator of another organization → no form, no foreign endpoint', async () => {
  const id = await createEndpoint();
  const foreign = await openAs({ role: 'admin', ownOrganization: true });
  assert.equal((await foreign.open(`${PATH}/${id}`)).status, 404);
  assert.ok(!(await foreign.open(PATH)).text.includes(id));
  const viewer = await openAs({ role: 'viewer' });
  const seen = await viewer.open(PATH);
  assert.doesNotMatch(seen.text, /Add the endpoint/);
  const own = await viewer.open(`${PATH}/${id}`);
  assert.doesNotMatch(own.text, /Send a test|Delete the endpoint|Make a new secret|>Save</);
});

test('format: slack in the form → the endpoint has it, and a form without the field keeps it', async () => {
  const page = await browser.open(PATH);
  const made = await browser.send(page, `${PATH}/create`, { url: DEAD_RECEIVER, format: 'slack' });
  const [, id = ''] = /webhooks\/([0-9a-f-]{36})"/.exec(made.text) ?? [];
  assert.equal((await readEndpoint(id))?.format, 'slack');
  const shown = await browser.open(`${PATH}/${id}`);
  assert.match(shown.text, /<option value="slack" selected>/);
  await browser.send(shown, `${PATH}/${id}/save`, { url: DEAD_RECEIVER });
  assert.equal((await readEndpoint(id))?.format, 'slack');
  const again = await browser.open(`${PATH}/${id}`);
  await browser.send(again, `${PATH}/${id}/save`, { url: DEAD_RECEIVER, format: 'events' });
  assert.equal((await readEndpoint(id))?.format, 'events');
});

test('trigger_event: a sandbox → the form brings the event about; an unknown event → 400; a viewer → no form', async () => {
  const page = await browser.open(PATH);
  assert.doesNotMatch(page.text, /first add an endpoint/);
  assert.match(page.text, /<option value="quote\.opened">/);
  assert.doesNotMatch(page.text, /<option value="quote\.expired">/);
  const sent = await browser.send(page, `${PATH}/trigger`, { event_type: 'quote.opened' });
  assert.equal(sent.location, `${PATH}?done=trigger`);
  const { body } = await ask('GET', '/updates?filter=eq(event_type,quote.opened)');
  assert.equal(body.total, 1);
  assert.equal((await browser.send(page, `${PATH}/trigger`, { event_type: 'no.such' })).status, 400);
  const viewer = await openAs({ role: 'viewer' });
  assert.doesNotMatch((await viewer.open(PATH)).text, /Try an event/);
});
