/** The lab in a real browser: the keys, the menu of a narrow screen, and the checks of axe-core on every screen. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAxeContext, expectAccessible, expectAccessibleInBothLooks } from '#testing/axe.ts';
import { createBuilders, createSequences } from '#testing/builders.ts';
import { signInLink } from '#testing/browser.ts';
import { startChromium } from '#testing/chromium.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import { getItems, getText, testService } from '#testing/service.ts';

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
const recorded = await build.createRecordedRun();
const details = [
  `/lab/experiments/${waiting.code}`,
  `/lab/experiments/${waiting.code}/materials`,
  `/lab/price-lists/${await build.createPriceList()}`,
  '/lab/price-lists/import',
  `/lab/runs/${run}`,
  `/lab/runs/${recorded}`,
  `/lab/runs/${recorded}/raw-files`,
];
const recording = await build.createRunning();
const { id, code } = await build.createReviewed();
const results = await service.ask('GET', `/lab/experiments/${id}/results`);
const result = `/lab/experiments/${code}/results/${getText(getItems(results.body.items)[0]?.id)}`;
const charts = await service.ask('GET', '/lab/control-charts');
const chart = `/lab/control-charts/${getText(getItems(charts.body.charts)[0]?.chart_id)}`;
const raw = createRawFile(createSequences(1));

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
  // The second letter counts for a moment, which passes when the test says so.
  const now = new Date();
  await page.clock.install({ time: now });
  await page.clock.pauseAt(new Date(now.getTime() + 60_000));
  await page.goto(`${url}/lab`);
  await page.keyboard.press('/');
  await page.keyboard.type('g?q');
  assert.equal(await page.getByLabel('Search orders').inputValue(), 'g?q');
  // A click may meet a link of the page.
  await page.getByLabel('Search orders').blur();
  await page.keyboard.press('g');
  await page.clock.runFor(1_500);
  await page.keyboard.press('q');
  assert.equal(readPath(page), '/lab', 'the moment had passed');
  await page.keyboard.press('g');
  await page.clock.runFor(1_400);
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

test('review: j, x and a reason → the row is excluded, saved and analyzed again; in the reason letters are text', async () => {
  const page = await chromium.newPage();
  await signIn(page);
  await page.goto(`${url}/lab/experiments/${code}/review`);
  await page.keyboard.press('j');
  await page.locator('.replicate.current').waitFor();
  await page.keyboard.press('x');
  await page.keyboard.type('jar x');
  const row = page.locator('.replicate').first();
  assert.equal(await row.locator('input:checked').inputValue(), 'exclude');
  assert.equal(await row.locator('input[type=text]').inputValue(), 'jar x');
  await page.keyboard.press('Escape');
  await page.keyboard.press('a');
  assert.equal(await row.locator('input:checked').inputValue(), 'accept');
  await page.keyboard.press('x');
  await page.getByRole('button', { name: 'Save the decisions' }).click();
  await page.getByText('The decisions are kept').waitFor();
  await page.goto(url + result);
  const reader = page.locator('.curve-reader');
  await reader.locator('table').waitFor();
  const ticks = await reader.locator('[data-panel=signal] text').allTextContents();
  assert.ok(ticks.includes('0') && ticks.includes('300'), ticks.join(', '));
  assert.doesNotMatch(ticks.join(' '), /-|\d\.\d{3}/);
  const before = await reader.locator('td').first().textContent();
  await reader.locator('.reader-plot').hover({ position: { x: 60, y: 60 } });
  await page.locator('.curve-reader tr.near').waitFor();
  assert.notEqual(await reader.locator('td').first().textContent(), before);
  await page.close();
});

test('review: settings that are no JSON, at the end of a long page → the browser shows why they were refused', async () => {
  const page = await chromium.newPage();
  await signIn(page);
  await page.setViewportSize({ width: 1_280, height: 500 });
  await page.goto(`${url}/lab/experiments/${code}/review`);
  await page.getByText('Change the settings and analyze again').click();
  const form = page.locator('form[action$="/review/reanalyze"]');
  await form.getByLabel('Reason').fill('See it without drift.');
  await form.getByLabel('Settings of the analysis').fill('{');
  await form.getByRole('button', { name: 'Analyze again' }).click();
  const refused = page.getByText('Nothing was changed; see below.');
  await refused.waitFor();
  await page.waitForFunction('document.activeElement?.getAttribute("role") === "alert"');
  const box = await refused.boundingBox();
  assert.ok(box !== null && box.y >= 0 && box.y < 500, `${box?.y} px from the top`);
  await page.close();
});

test('raw files: a file is chosen on the page of the order → its wells stand there before it is added', async () => {
  const page = await chromium.newPage();
  await signIn(page);
  await page.goto(`${url}/lab/experiments/${recording.code}`);
  const buffer = Buffer.from(raw.content_base64, 'base64');
  const file = { mimeType: 'text/csv', buffer };
  await page.locator('input[type=file]').setInputFiles([
    { ...file, name: raw.name },
    { ...file, name: 'other.csv', buffer: Buffer.from('nothing') },
  ]);
  await page.getByRole('heading', { name: `${raw.name}, not added yet` }).waitFor();
  await page.getByText('2 files were read. Nothing is added yet.').waitFor();
  await page.getByText('Cannot be analyzed').waitFor();
  await page.locator('input[type=file]').setInputFiles({ ...file, name: raw.name });
  await page.getByText('One file was read').waitFor();
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByText('The file was read and stored').waitFor();
  await page.close();
});

test('axe: every screen of the lab and its detail pages, light and dark, wide and narrow → no violation and no horizontal scrolling', async () => {
  const context = await createAxeContext(chromium, 'light', 1_280);
  const page = await context.newPage();
  await signIn(page);
  await page.goto(`${url}/lab`);
  const paths = await page
    .locator('[data-key]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  assert.ok(paths.length > 1);
  const more = [
    `/lab/experiments/${code}/review`,
    result,
    chart,
    `/lab/experiments/${recording.code}`,
    `/lab/experiments/${recording.code}/raw-files`,
  ];
  for (const path of [...paths, ...details, ...more]) {
    await page.goto(url + path);
    await expectAccessibleInBothLooks(page, path);
  }
  for (const [width, name] of [
    [1_280, 'Keyboard'],
    [390, 'Menu'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(url + paths[0]);
    await page.getByRole('button', { name }).click();
    await expectAccessible(page, `the list behind ${name}`);
  }
  await context.close();
});
