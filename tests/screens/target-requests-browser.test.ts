/** The pages of target requests in a real browser: the checks of axe-core, and the script that reads a structure file. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAxeContext, expectAccessibleInBothLooks } from '#testing/axe.ts';
import { createBuilders, createProductRequest, expectStatus, VHH } from '#testing/builders.ts';
import { signInLink } from '#testing/browser.ts';
import { startChromium } from '#testing/chromium.ts';
import { getItems, getText, testService } from '#testing/service.ts';

const FORM = '/target-requests/new';
const chromium = await startChromium();
after(() => chromium.close());
const service = await testService();
const { ask } = service;
const { create, createBody } = await createBuilders(service);
const address = new URL(await service.service.app.listen({ host: '127.0.0.1', port: 0 }));
const url = `http://localhost:${address.port}`;
service.service.setBaseUrl(url);

async function request(fields: object): Promise<string> {
  const body = { ...createProductRequest(), sequence: VHH, ...fields };
  return getText(expectStatus(await ask('POST', '/targets/request-custom', { body }), 201).body.id);
}

async function signIn(page: Page, userId?: string): Promise<void> {
  await page.goto(url + (await signInLink(service, userId)));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

test('axe: the pages of target requests and those that lead to them, light and dark, wide and narrow → no violation and no horizontal scrolling', async () => {
  const waiting = await request({
    name: 'A receptor '.repeat(18),
    product_id: 'X'.repeat(200),
    product_url: `https://vendor.example/${'y'.repeat(400)}`,
    note: 'word '.repeat(200),
  });
  const approved = await request({ name: 'Sold receptor' });
  const pricing = { type: 'per_sequence', price_per_sequence_cents: 900 };
  const answer = { target: { pricing }, lead_time_days: 14, note: 'We buy it.' };
  expectStatus(await ask('POST', `/lab/target-requests/${approved}/approve`, { body: answer }), 200);
  const unlisted = { target_id: null, requested_target: { name: 'A rare receptor', sequence: VHH } };
  const order = await create(createBody(unlisted));
  const listed = await ask('GET', `/targets/request-custom?filter=eq(experiment_id,${order.id})`);
  const declined = getText(getItems(listed.body.items)[0]?.id);
  const refusal = { reason: 'z'.repeat(2_000) };
  expectStatus(await ask('POST', `/lab/target-requests/${declined}/decline`, { body: refusal }), 200);

  const context = await createAxeContext(chromium, 'light', 1_280);
  const page = await context.newPage();
  await signIn(page);
  const details = [waiting, approved, declined].map((id) => `/target-requests/${id}`);
  const found = ['/targets', '/targets?search=nobody', '/experiments/new', `/experiments/${order.code}`];
  for (const path of ['/target-requests', '/target-requests?search=none', ...details, FORM, ...found]) {
    await page.goto(url + path);
    await expectAccessibleInBothLooks(page, path);
  }
  await page.goto(url + FORM);
  await page.getByLabel('Name of the protein').fill('A receptor');
  await page.getByLabel('Product number').fill('R-1');
  await page.getByLabel('PDB id').fill('EGFR');
  await page.getByRole('button', { name: 'Send the request' }).click();
  await page.getByText('1 problem to solve; nothing was sent.').waitFor();
  await expectAccessibleInBothLooks(page, 'the form with a problem');
  const viewer = await service.issueToken({ role: 'viewer' });
  await context.clearCookies();
  await signIn(page, getText((await ask('GET', '/whoami', { token: viewer })).body.user_id));
  for (const path of ['/target-requests', FORM]) {
    await page.goto(url + path);
    await expectAccessibleInBothLooks(page, `${path} of a viewer`);
  }
  await context.close();
});

test('target request: a structure file is chosen, the button pressed twice, then the browser goes back → one request with the file', async () => {
  const page = await chromium.newPage();
  const refused: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) refused.push(message.text());
  });
  await signIn(page);
  await page.goto(url + FORM);
  await page.getByLabel('Name of the protein').fill('A folded receptor');
  await page.getByLabel('Product number').fill('FOLDED-1');
  await page.getByText('Structure file', { exact: true }).click();
  const text = 'HEADER    RECEPTOR\nATOM      1  N   GLU A   1\nEND\n';
  const file = { name: 'receptor.pdb', mimeType: 'chemical/x-pdb', buffer: Buffer.from(text) };
  const large = { ...file, name: 'large.pdb', buffer: Buffer.alloc(2 * 1024 * 1024, 'ATOM ') };
  await page.locator('input[type=file]').setInputFiles(large);
  await page.getByText('large.pdb is too large for this page').waitFor();
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('receptor.pdb is in the field below').waitFor();
  await page.getByRole('button', { name: 'Send the request' }).dblclick();
  await page.getByText('The lab reviews it').waitFor();
  const { pathname } = new URL(page.url());
  await page.goBack();
  await page.getByRole('heading', { name: 'Request a target' }).waitFor();
  await page.getByLabel('Name of the protein').fill('A folded receptor');
  await page.getByLabel('Product number').fill('FOLDED-1');
  await page.getByLabel('PDB id').fill('1IVO');
  await page.getByRole('button', { name: 'Send the request' }).click();
  await page.getByText('Your organization has requested this product before.').waitFor();
  await page.getByRole('link', { name: 'Show the earlier request' }).click();
  await page.getByRole('link', { name: 'A folded receptor' }).click();
  assert.equal(new URL(page.url()).pathname, pathname);
  const read = await ask('GET', pathname.replace('/target-requests', '/targets/request-custom'));
  assert.equal(read.body.pdb_file, text);
  assert.equal((await ask('GET', '/targets/request-custom?filter=eq(product_id,FOLDED-1)')).body.total, 1);
  assert.deepEqual(refused, []);
  await page.close();
});
