/** A person of several organizations: pages of the one that is not present, and forms that were opened there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSignedIn, readFormToken } from '#testing/browser.ts';
import { createBuilders } from '#testing/builders.ts';
import { getItems, getText, testService } from '#testing/service.ts';

const service = await testService();
const { ask, issueToken } = service;
const { createReleased } = await createBuilders(service);
const order = await createReleased();
const listed = await ask('GET', `/experiments/${order.code}/results`);
const result = getText(getItems(listed.body.items)[0]?.id);
const home = service.service.founder.organizationId;

const PAGES: readonly (readonly [path: string, noun: string, status: number])[] = [
  [`/experiments/${order.code}`, 'experiment', 200],
  [`/experiments/${order.id}?a=%27b`, 'experiment', 200],
  [`/quotes/${order.quoteId}`, 'quote', 200],
  [`/invoices/${order.invoiceId}/invoice.pdf`, 'invoice', 303],
  [`/results/${result}`, 'result', 200],
];
const UNKNOWN = '01980000-0000-7000-8000-00000000dead';
const UNKNOWN_QUOTE = `qt_${UNKNOWN.replaceAll('-', '')}`;

const removeOwn = (text: string): string =>
  text.replaceAll(/req_[\w-]+/g, '').replaceAll(/form_token" value="[^"]+"/g, '');

/** A browser of the founder, who is now in another organization. */
async function openElsewhere() {
  const browser = await openSignedIn(service);
  const homeToken = await readFormToken(browser);
  await browser.post('/organizations/found', { form_token: homeToken, organization: 'Second <b>one</b>' });
  return { browser, homeToken };
}

test('not found: a page of another organization of its reader → says which, and the switch leads to it', async () => {
  for (const [path, noun, status] of PAGES) {
    const { browser } = await openElsewhere();
    const page = await browser.open(path);
    assert.equal(page.status, 404, path);
    assert.match(page.text, new RegExp(`This ${noun} is in another organization`));
    assert.match(page.text, /belongs to <bdi>Demo organization<\/bdi>/);
    assert.ok(page.text.includes('<bdi>Second &lt;b&gt;one&lt;/b&gt;</bdi>'));
    const moved = await browser.send(page, '/organizations/enter');
    assert.equal(moved.location, path);
    assert.equal((await browser.open(moved.location ?? '')).status, status, path);
  }
});

test('not found: an unknown page, and a page of an organization of others → the same answer, which names none', async () => {
  const { browser } = await openElsewhere();
  assert.doesNotMatch((await browser.open(`/experiments/${UNKNOWN}`)).text, /Demo organization/);
  const foreign = await issueToken({ ownOrganization: true, role: 'admin' });
  const { user_id: userId } = (await ask('GET', '/whoami', { token: foreign })).body;
  const stranger = await openSignedIn(service, getText(userId));
  for (const [path] of PAGES) {
    const refused = await stranger.open(path);
    const [, part = ''] = path.split('/');
    const id = part === 'quotes' ? UNKNOWN_QUOTE : UNKNOWN;
    const none = await stranger.open(`/${part}/${id}${path.endsWith('.pdf') ? '/invoice.pdf' : ''}`);
    assert.equal(refused.status, 404, path);
    assert.equal(removeOwn(refused.text), removeOwn(none.text), path);
    assert.doesNotMatch(refused.text, /Demo organization/);
  }
});

test('organization: a form opened before a switch in another tab → what was typed is kept, and only its reader sends it', async () => {
  const { browser, homeToken } = await openElsewhere();
  const typed = { name: 'A "token" <b>', role: 'viewer', expires_in: '7d', secret_word: 'hush' };
  const refused = await browser.post('/organization/tokens/create', { form_token: homeToken, ...typed });
  assert.equal(refused.status, 409);
  assert.match(refused.text, /What you typed is kept/);
  const kept = await browser.send(refused, '/organizations/enter', { kept_name: typed.name });
  assert.equal(kept.status, 200);
  assert.match(kept.text, /Send the form in <bdi>Demo organization<\/bdi>\?[^]*Nothing was done yet/);
  assert.match(kept.text, /<bdi>A &quot;token&quot; &lt;b&gt;<\/bdi>[^]*kept, not shown/);
  const { body: before } = await ask('GET', '/tokens?limit=100');
  assert.ok(!getItems(before.items).some(({ name }) => getText(name) === typed.name));
  const sent = await browser.send(kept, '/organization/tokens/create', { name: typed.name });
  assert.match(sent.text, /Copy it now/);
  const { body: after } = await ask('GET', '/tokens?limit=100');
  assert.ok(getItems(after.items).some(({ name }) => getText(name) === typed.name));
});

test('organization: nothing typed, or a kept form of another site → the switch leads to a page of ours', async () => {
  const { browser, homeToken } = await openElsewhere();
  const path = `/experiments/${order.code}`;
  const refused = await browser.post(`${path}/cancel`, { form_token: homeToken, reason: '' });
  assert.doesNotMatch(refused.text, /What you typed is kept/);
  assert.equal((await browser.send(refused, '/organizations/enter')).location, path);
  for (const foreign of ['//evil.example/x', 'https://evil.example/', 'javascript:alert(1)', '/\\evil']) {
    const fields = { form_token: homeToken, organization_id: home, path_of_form: foreign, kept_name: 'x' };
    const moved = await browser.post('/organizations/enter', fields);
    assert.deepEqual([moved.status, moved.location], [303, '/'], foreign);
  }
});
