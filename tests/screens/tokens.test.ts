/** The page of the tokens, and the form of an order for a person who may not order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSignedIn } from '#testing/browser.ts';
import { getItems, getText, testService } from '#testing/service.ts';

const PAGE = '/organization/tokens';
const service = await testService();

/** The browser of a new person of this role who is not staff. */
async function openClient(role: 'member' | 'viewer') {
  const whoami = await service.ask('GET', '/whoami', { token: await service.issueToken({ role }) });
  return openSignedIn(service, getText(whoami.body.user_id));
}

test('tokens page: a token of the person → names its owner and its last use', async () => {
  const browser = await openSignedIn(service);
  const { status, text } = await browser.open(PAGE);
  assert.equal(status, 200);
  assert.match(text, /<bdi>demo@example\.org<\/bdi> · Administrator · last used /);
});

test('tokens page: rights of the person → offered as boxes; those of the lab are offered to staff alone', async () => {
  const staff = await (await openSignedIn(service)).open(PAGE);
  const client = await (await openClient('member')).open(PAGE);
  assert.match(staff.text, /name="allowed_resources:lab"/);
  assert.doesNotMatch(client.text, /name="allowed_resources:lab"/);
  assert.match(client.text, /name="allowed_actions:read".*name="allowed_resources:experiment"/s);
});

test('tokens page: two boxes of each group are ticked → the derived token has these limits', async () => {
  const token = await service.issueToken({ role: 'member' });
  const whoami = await service.ask('GET', '/whoami', { token });
  const browser = await openSignedIn(service, getText(whoami.body.user_id));
  const made = await browser.send(await browser.open(PAGE), `${PAGE}/attenuate`, {
    token,
    name: 'reads',
    'allowed_actions:read': 'yes',
    'allowed_actions:list': 'yes',
    'allowed_resources:experiment': 'yes',
    'allowed_resources:result': 'yes',
  });
  assert.match(made.text, /data-copy="secret"/);
  const listed = await service.ask('GET', '/tokens?filter=eq(name,reads)', { token });
  assert.deepEqual(getItems(listed.body.items)[0]?.attenuation_spec, {
    allowed_actions: ['list', 'read'],
    allowed_resources: ['experiment', 'result'],
  });
});

test('new experiment: a viewer → 403 with who can help, and no form', async () => {
  const { status, text } = await (await openClient('viewer')).open('/experiments/new');
  assert.equal(status, 403);
  assert.match(text, /it cannot order/);
  assert.doesNotMatch(text, /name="sequences"/);
});
