/** Pages that move by themselves, in a real browser: an order to its end without a reload, and a service that is away meanwhile. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { signInLink } from '#testing/browser.ts';
import { startChromium } from '#testing/chromium.ts';
import { getText, testService } from '#testing/service.ts';
import type { Service } from '../../src/main.ts';

const LIMIT_MS = 90_000;

const chromium = await startChromium();
/** The service that the browser knows; what happens comes from another, over the same database. */
const front: { service?: Service; port: number; url: string } = { port: 0, url: '' };
// Registered first, so that the service is closed before its database is checked for leaks.
after(async () => {
  await chromium.close();
  await front.service?.close();
});
const world = await testService();
const build = await createBuilders(world);
const { ask } = world;
await open();

async function open(): Promise<void> {
  const service = await world.openAnother();
  front.service = service;
  const address = new URL(await service.app.listen({ host: '127.0.0.1', port: front.port }));
  front.port = Number(address.port);
  front.url = `http://localhost:${address.port}`;
  service.setBaseUrl(front.url);
  world.service.setBaseUrl(front.url);
}

async function signIn(page: Page): Promise<void> {
  page.setDefaultTimeout(LIMIT_MS);
  await page.goto(front.url + (await signInLink(world)));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${front.url}/`);
}

const waitForStep = (page: Page, step: string): Promise<void> =>
  page.locator('.stepper .now', { hasText: step }).waitFor();

/** A reload would lose it. */
const mark = (page: Page): Promise<void> => page.evaluate(`globalThis.isMarked = true`);
const isMarked = (page: Page): Promise<boolean> => page.evaluate<boolean>(`globalThis.isMarked === true`);

test('live: an order from the draft to its results, the service away in between → the open page shows each step without a reload', async () => {
  const page = await chromium.newPage();
  const refused: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) refused.push(message.text());
  });
  await signIn(page);
  await mark(page);
  const body = build.createBody({ n_replicates: 1, parameters: { sandbox: { force: 'binder' } } });
  const { id, code } = await build.create({ ...body, name: 'Moves by itself' });
  await page.getByRole('link', { name: 'Moves by itself' }).waitFor();
  assert.ok(await isMarked(page), 'the list was not reloaded');

  await page.getByRole('link', { name: 'Moves by itself' }).click();
  await waitForStep(page, 'Draft');
  await mark(page);
  const message = page.locator('form[action$="/messages"] [name=text]');
  await message.fill('half a sen');
  expectStatus(await ask('POST', `/experiments/${id}/submit`), 200);
  await waitForStep(page, 'Quote');
  assert.equal(await message.inputValue(), 'half a sen');
  assert.ok(await message.evaluate((field) => field === field.ownerDocument.activeElement));
  assert.match((await page.locator('.foot [role=status]').first().textContent()) ?? '', /Moves by itself/);
  await message.fill('');
  await message.blur();

  const quote = expectStatus(await ask('GET', `/experiments/${id}/quote`), 200);
  const quoteId = getText(quote.body.quote_id);
  const confirmed = expectStatus(await ask('POST', `/quotes/${quoteId}/confirm`, { body: {} }), 200);
  await page.getByRole('heading', { name: 'Invoice' }).waitFor();
  const invoiceId = getText(confirmed.body.invoice_id);

  await front.service?.close();
  await page.getByText('The connection is lost.').waitFor();
  await build.pay({ id, code, quoteId, invoiceId });
  await world.runLab();
  await open();
  await page.getByRole('heading', { name: 'Results', exact: true }).waitFor();
  await page.getByText('The connection is lost.').waitFor({ state: 'hidden' });
  assert.ok(await isMarked(page), 'the page was not reloaded');
  assert.match(await page.title(), /: Done/);
  assert.deepEqual(refused, []);
  await page.close();
});

test('live: a lab page in a hidden tab, a note of the lab, a switch, the end of the session → no stream; it moves without a reload; the page of the earlier organization and the lab page say so', async () => {
  const context = await chromium.newContext();
  const page = await context.newPage();
  await signIn(page);
  const { code, quoteId } = await build.createQuoted();
  const opened = page.waitForRequest(/\/lab\/live\?/);
  await page.goto(`${front.url}/lab/experiments/${code}`);
  await opened;
  await mark(page);
  const hide = (isHidden: boolean): Promise<void> =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
      document.dispatchEvent(new Event('visibilitychange'));`);
  const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/lab/live?'));
  await hide(true);
  await ended;
  expectStatus(await ask('POST', `/quotes/${quoteId}/confirm`, { body: {} }), 200);
  const again = page.waitForRequest(/\/lab\/live\?/);
  await hide(false);
  await waitForStep(page, 'Materials');
  await again;
  // Clients learn nothing of a note, so no update of theirs can have moved the page.
  const note = 'The antigen stands in the cold room.';
  expectStatus(await ask('POST', `/lab/experiments/${code}/notes`, { body: { note } }), 201);
  await page.getByText(note).waitFor();
  assert.ok(await isMarked(page));

  const list = await context.newPage();
  await list.goto(`${front.url}/`);
  const other = await context.newPage();
  await other.goto(`${front.url}/organizations`);
  await other.getByText('Create another organization').click();
  await other.getByLabel('Name').fill('Second organization');
  await other.getByRole('button', { name: 'Create the organization' }).click();
  await other.waitForURL(`${front.url}/`);
  await build.create();
  await list.getByText('You are now in another organization.').waitFor();
  assert.ok((await list.locator(`a[href="/experiments/${code}"]`).count()) > 0, 'the list is as it was');
  assert.equal(await page.getByText('You are now in another organization.').count(), 0);

  await other.goto(`${front.url}/account`);
  await other.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('You are signed out.').waitFor();
  await context.close();
});

test('reference: words are typed → the page narrows without a reload, as the search of the service does; cleared → whole again', async () => {
  const page = await chromium.newPage();
  page.setDefaultTimeout(LIMIT_MS);
  const shown = page.locator('.calls > li[id]');
  const box = page.getByRole('searchbox');
  const listShown = () =>
    page.evaluate<string[]>(
      '[...document.querySelectorAll(".calls > li[id], .operation > div[id]")].map(({ id }) => id)',
    );
  await page.goto(`${front.url}/docs?search=invoice_not_found`);
  const found = await listShown();
  assert.ok(found.length > 3, found.join(' '));
  await page.goto(`${front.url}/docs`);
  const whole = await shown.count();
  await box.fill('invoice_not_found');
  await page.getByText(`${found.length} operations with “invoice_not_found”`).waitFor();
  assert.deepEqual(await listShown(), found);
  assert.ok(page.url().endsWith('/docs?search=invoice_not_found'));
  assert.equal(await page.getByRole('heading', { name: 'How to call it' }).isVisible(), false);
  await box.fill('cost-estimate');
  await page.getByText('1 operation with “cost-estimate”').waitFor();
  assert.equal(await page.locator('.operation').getAttribute('open'), '');
  await page.reload();
  assert.deepEqual(await listShown(), ['cost_estimate']);
  await box.fill('');
  await shown.nth(whole - 1).waitFor();
  assert.equal(await shown.count(), whole);
  await page.locator('#whoami > a').click();
  await page.locator('#whoami-curl').waitFor();
  assert.equal(await page.locator('#whoami [data-copy=whoami-curl]').isVisible(), true);
  await page.locator('#whoami').getByLabel('CLI').check();
  assert.equal(await page.locator('#whoami-cli').textContent(), 'assayer tokens whoami');
  assert.equal(await page.locator('#whoami-curl').isVisible(), false);
  await page.close();
});

test('live: changes follow one another → Today reads itself at most once in three seconds', async () => {
  const page = await chromium.newPage();
  await signIn(page);
  const reads: Request[] = [];
  await page.goto(`${front.url}/lab`);
  page.on('request', (request) => {
    if (request.url() === `${front.url}/lab`) reads.push(request);
  });
  for (let burst = 0; burst < 2; burst += 1) {
    const read = page.waitForRequest(`${front.url}/lab`);
    for (let n = 0; n < 5; n += 1) await build.create();
    await read;
  }
  await assertReadsApart(reads);
  await page.close();
});

test('live: a page is looked at again and again → it leaves three seconds between two reads', async () => {
  const page = await chromium.newPage();
  await signIn(page);
  const reads: Request[] = [];
  await page.route(`${front.url}/lab`, async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    await route.fulfill({ response, body: text.replace(' data-between=', ' data-poll="300" data-between=') });
  });
  await page.goto(`${front.url}/lab`);
  page.on('request', (request) => {
    if (request.url() === `${front.url}/lab`) reads.push(request);
  });
  assert.equal(await page.locator('#content').getAttribute('data-poll'), '300');
  for (let read = 0; read < 2; read += 1) await page.waitForRequest(`${front.url}/lab`);
  await assertReadsApart(reads);
  await page.close();
});

async function assertReadsApart(reads: readonly Request[]): Promise<void> {
  // By the clock of the browser, because this process hears of its requests late when it is busy.
  await Promise.all(reads.map((request) => request.response()));
  const readsAtMs = reads.map((request) => request.timing().startTime);
  const pausesMs = readsAtMs.slice(1).map((atMs, index) => atMs - (readsAtMs[index] ?? 0));
  assert.ok(pausesMs.length > 0, 'it was read twice');
  for (const pauseMs of pausesMs) assert.ok(pauseMs > 2_900, `${pauseMs} ms`);
}
