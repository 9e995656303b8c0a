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

const PAGES: readonly (readonly [path: string, status: number])[] = [
  [`/experiments/${order.code}`, 200],
  [`/experiments/${order.id}?a=%27b`, 200],
  [`/quotes/${order.quoteId}`, 200],
  [`/invoices/${order.invoiceId}/invoice.pdf`, 303],
  [`/results/${result}`, 200],
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

test('not found: a page of another organization of its reader → like an unknown page, until the reader switches', async () => {
  for (const [path, status] of PAGES) {
    const { browser, homeToken } = await openElsewhere();
    const page = await browser.open(path);
    assert.equal(page.status, 404, path);
    assert.doesNotMatch(page.text, /Demo organization/);
    const fields = { form_token: homeToken, organization_id: home, next: path };
    const moved = await browser.post('/organizations/enter', fields);
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

test('organization: a form opened before a switch in another tab → 409 that names its organization, and nothing is done', async () => {
  const { browser, homeToken } = await openElsewhere();
  const typed = { name: 'A "token" <b>', role: 'viewer', expires_in: '7d' };
  const refused = await browser.post('/organization/tokens/create', { form_token: homeToken, ...typed });
  assert.equal(refused.status, 409);
  assert.match(refused.text, /opened for <bdi>Demo organization<\/bdi>[^]*Nothing was done/);
  const { body } = await ask('GET', '/tokens?limit=100');
  assert.ok(!getItems(body.items).some(({ name }) => getText(name) === typed.name));
  const cancellation = await browser.post(`/experiments/${order.code}/cancel`, { form_token: homeToken });
  const moved = await browser.send(cancellation, '/organizations/enter');
  assert.equal(moved.location, `/experiments/${order.code}`);
});

test('organization: a switch that names a page of another site → the first page', async () => {
  const { browser, homeToken } = await openElsewhere();
  for (const next of ['//evil.example/x', 'https://evil.example/', 'javascript:alert(1)', '/\\evil']) {
    const fields = { form_token: homeToken, organization_id: home, next };
    const moved = await browser.post('/organizations/enter', fields);
    assert.deepEqual([moved.status, moved.location], [303, '/'], next);
  }
});
