/** The lab in a real browser: the keys, the menu of a narrow screen, and the checks of axe-core on every screen. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAxeContext, expectAccessible } from '#testing/axe.ts';
import { createBuilders } from '#testing/builders.ts';
import { signInLink } from '#testing/browser.ts';
import { startChromium } from '#testing/chromium.ts';
import { testService } from '#testing/service.ts';

const chromium = await startChromium();
after(() => chromium.close());
const service = await testService();
const build = await createBuilders(service);
const address = new URL(await service.service.app.listen({ host: '127.0.0.1', port: 0 }));
const url = `http://localhost:${address.port}`;
service.service.setBaseUrl(url);
await build.createUnpriced();
await build.createQueued();
const waiting = await build.createPaid();
const run = await build.createStoredRun();
const details = [
  `/lab/experiments/${waiting.code}`,
  `/lab/experiments/${waiting.code}/materials`,
  `/lab/price-lists/${await build.createPriceList()}`,
  '/lab/price-lists/import',
  `/lab/runs/${run}`,
];

async function signIn(page: Page): Promise<void> {
  await page.goto(url + (await signInLink(service)));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${url}/`);
}

const readPath = (page: Page): string => new URL(page.url()).pathname;

test('keys: "/", "g q" and "?" → search, queue and the list; in a field they are letters; switched off they do nothing', async () => {
  const page = await chromium.newPage();
  const refused: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) refused.push(message.text());
  });
  await signIn(page);
  await page.goto(`${url}/lab`);
  await page.keyboard.press('/');
  await page.keyboard.type('g?q');
  assert.equal(await page.getByLabel('Search orders').inputValue(), 'g?q');
  await page.locator('body').click();
  await page.keyboard.press('g');
  await page.keyboard.press('q');
  await page.waitForURL(`${url}/lab/experiments`);
  const list = page.getByRole('heading', { name: 'Keyboard' });
  await page.keyboard.press('?');
  await list.waitFor();
  await page.getByLabel('Letters are keys in this browser').uncheck();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'hidden' });
  await page.keyboard.press('?');
  assert.ok(await list.isHidden());
  await page.goto(`${url}/lab`);
  await page.keyboard.press('g');
  await page.keyboard.press('q');
  assert.equal(readPath(page), '/lab');
  assert.deepEqual(refused, []);
  await page.close();
});

for (const [scheme, width] of [
  ['light', 1_280],
  ['dark', 1_280],
  ['light', 390],
  ['dark', 390],
] as const) {
  test(`axe: every screen of the lab and its detail pages, ${scheme}, ${width} px wide → no violation and no horizontal scrolling`, async () => {
    const context = await createAxeContext(chromium, scheme, width);
    const page = await context.newPage();
    await signIn(page);
    await page.goto(`${url}/lab`);
    const paths = await page
      .locator('[data-key]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    assert.ok(paths.length > 1);
    for (const path of [...paths, ...details]) {
      await page.goto(url + path);
      await expectAccessible(page, path);
    }
    await page
      .getByRole('button', { name: 'Menu' })
      .or(page.getByRole('button', { name: 'Keyboard' }))
      .first()
      .click();
    await expectAccessible(page, 'the open menu');
    await context.close();
  });
}
