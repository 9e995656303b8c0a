/** The page of one result in Chromium: curves and wells that are read, sequence, versions, neighbors; by mouse and by keys. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAxeContext, expectAccessibleInBothLooks } from '#testing/axe.ts';
import { signInLink } from '#testing/browser.ts';
import { createBuilders, expectStatus, VHH } from '#testing/builders.ts';
import { startChromium } from '#testing/chromium.ts';
import { getItems, getText, testService, type Json } from '#testing/service.ts';

/** A directory to put the pictures in, for people to look at. */
const { PLOTS } = process.env;
const REASON = 'The drift was within the noise.';

const chromium = await startChromium();
after(() => chromium.close());
const service = await testService();
const { ask } = service;
const { createReleased, targets } = await createBuilders(service);
const address = new URL(await service.service.app.listen({ host: '127.0.0.1', port: 0 }));
const url = `http://localhost:${address.port}`;
service.service.setBaseUrl(url);

const writeExchange = (at: number, letter: string): string => VHH.slice(0, at - 1) + letter + VHH.slice(at);
const VARIANTS = { parent: VHH, 'variant-1': writeExchange(30, 'W'), 'variant-2': writeExchange(57, 'K') };

async function measure(type: string, spec: Readonly<Record<string, unknown>> = {}) {
  const body = { experiment_type: type, n_replicates: 2, sequences: VARIANTS, ...spec };
  const { id, code } = await createReleased({ name: type, experiment_spec: body });
  return { id, code, items: await listItems(code) };
}

async function listItems(code: string): Promise<readonly Json[]> {
  return getItems(expectStatus(await ask('GET', `/experiments/${code}/results`), 200).body.items);
}

const getPath = (item: Json | undefined): string => `/results/${getText(item?.id)}`;

/** Collects what the browser refuses or complains of. */
const complaints: string[] = [];

async function openPage(isForAxe = false): Promise<Page> {
  const context = await (isForAxe
    ? createAxeContext(chromium, 'light', 1_280)
    : chromium.newContext({ viewport: { width: 1_280, height: 900 } }));
  const page = await context.newPage();
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  await page.goto(url + (await signInLink(service)));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${url}/`);
  return page;
}

/** The curves come later than the page, and move nothing in it. */
async function openResult(page: Page, path: string): Promise<void> {
  await page.goto(url + path);
  await page.locator('.curve-reader .reader-plot').first().waitFor();
  const shift: unknown = await page.evaluate(MEASURE_SHIFT);
  assert.ok(Number(shift) <= 0.05, `${path} shifts by ${String(shift)}`);
}

const MEASURE_SHIFT = `new Promise((resolve) => {
  let sum = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) sum += value;
  });
  observer.observe({ type: 'layout-shift', buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})`;

const bound = await measure('affinity', {
  target_id: targets.perSequence,
  method: 'bli',
  parameters: { sandbox: { force: 'binder' } },
});
const [best, second] = bound.items;

/** Analyzes the results anew with other settings, and releases that as an amendment. */
async function amend(): Promise<void> {
  const body = { settings: { drift: 'none' }, reason: REASON };
  expectStatus(await ask('POST', `/lab/experiments/${bound.id}/reanalyze`, { body }), 201);
  while ((await service.service.worker.runDue()) > 0);
  expectStatus(await ask('POST', `/lab/experiments/${bound.id}/amend`, { body: { reason: REASON } }), 200);
}

const readCaption = (page: Page) => page.locator('.curve-reader .reader-caption').first().textContent();

/** Photographs the page where somebody wants to look at it. */
async function takePictures(page: Page, name: string): Promise<void> {
  if (PLOTS === undefined) return;
  for (const [width, colorScheme] of [
    [1_280, 'light'],
    [1_280, 'dark'],
    [390, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 1_000 });
    await page.emulateMedia({ colorScheme });
    await page.reload();
    await page.locator('.curve-reader .reader-plot').first().waitFor();
    await page.locator('.curve-reader .reader-plot').first().hover();
    await page.screenshot({ path: `${PLOTS}/${name}-${width}-${colorScheme}.png` });
    for (const [part, selector] of [
      ['versions', 'section:has(> .card-head > #versions)'],
      ['origin', '.origin'],
    ] as const)
      if ((await page.locator(selector).count()) > 0)
        await page
          .locator(selector)
          .screenshot({ path: `${PLOTS}/${name}-${width}-${colorScheme}-${part}.png` });
    const sequence = page.locator('.sequence');
    if ((await sequence.count()) > 0)
      await sequence.screenshot({ path: `${PLOTS}/${name}-${width}-${colorScheme}-sequence.png` });
    await page.screenshot({ path: `${PLOTS}/${name}-${width}-${colorScheme}-all.png`, fullPage: true });
  }
  await page.setViewportSize({ width: 1_280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
}

test('result: the pointer on a curve, a drag over a part, a switch → values, a larger part, fewer curves; the address keeps them', async () => {
  const page = await openPage();
  await openResult(page, getPath(best));
  const plot = page.locator('.reader-plot').first();
  const before = await readCaption(page);
  await plot.hover({ position: { x: 200, y: 100 } });
  assert.notEqual(await readCaption(page), before);
  assert.match((await readCaption(page)) ?? '', /^At [\d.]+ s: Replicate \d at .+ nm, fit /);
  assert.equal(await page.locator('.curve-reader tr.near').count(), 1);
  const rows = page.locator('.curve-reader tbody tr');
  const all = await rows.count();
  await page.getByRole('checkbox', { name: '2', exact: true }).uncheck();
  assert.equal(await rows.count(), all / 2, 'one of two replicates');
  await page.getByRole('checkbox', { name: 'Residuals' }).uncheck();
  assert.equal(await page.locator('[data-panel=residual]').count(), 0);
  const box = await plot.boundingBox();
  assert.ok(box !== null);
  await page.mouse.move(box.x + 150, box.y + 80);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 90, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/#switch=.*residual.*from=[\d.]+&to=[\d.]+/);
  await page.reload();
  await rows.first().waitFor();
  assert.equal(await rows.count(), all / 2);
  assert.ok(!(await page.getByRole('checkbox', { name: 'Residuals' }).isChecked()));
  await page.getByRole('button', { name: 'Whole range' }).click();
  await page.waitForURL(({ hash }) => !hash.includes('from='));
  assert.ok(await page.locator('.plot.behind').isHidden(), 'the figure is for print');
  await page.emulateMedia({ media: 'print' });
  assert.ok(await page.locator('.plot.behind').isVisible());
  assert.ok(await page.locator('.curve-reader').isHidden());
  await page.context().close();
});

test('result: keys alone → the slider reads, + enlarges, 0 shows all, and the next result is reached', async () => {
  const page = await openPage();
  await openResult(page, getPath(best));
  const slider = page.locator('.curve-reader input[type=range]').first();
  await slider.focus();
  const before = await slider.getAttribute('aria-valuetext');
  await page.keyboard.press('PageUp');
  assert.notEqual(await slider.getAttribute('aria-valuetext'), before);
  await page.keyboard.press('+');
  await page.waitForURL(/#from=/);
  await page.keyboard.press('0');
  await page.waitForURL(({ hash }) => !hash.includes('from='));
  await page.getByRole('link', { name: /^Next/ }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(url + getPath(second));
  await page.getByText('2 of 3, best first').waitFor();
  await page.getByRole('link', { name: /^Previous/ }).click();
  await page.waitForURL(url + getPath(best));
  await page.context().close();
});

test('result: a variant beside its parent → the exchange is marked and named, and the copy is the sequence alone', async () => {
  const page = await openPage();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const variant = bound.items.find((item) => getText(item.sequence_name) === 'variant-1');
  await openResult(page, `${getPath(variant)}?beside=parent`);
  const card = page.locator('.sequence');
  assert.equal(await card.locator('mark').textContent(), 'W');
  assert.deepEqual(await card.locator('.differences li').allTextContents(), [`${VHH[29] ?? ''}30W`]);
  await card.getByRole('button', { name: 'Copy the sequence' }).click();
  await card.getByText('Copied.').waitFor();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), VARIANTS['variant-1']);
  await card.getByLabel('Differences from').selectOption('variant-2');
  await card.getByRole('button', { name: 'Show' }).click();
  await page.waitForURL(/beside=variant-2/);
  assert.equal(await card.locator('.differences li').count(), 2);
  await page.context().close();
});

test('result: the curves cannot be read → the figure stands in their place', async () => {
  const page = await openPage();
  await page.route('**/curves.json', (route) => route.abort());
  await page.goto(url + getPath(best));
  await page.locator('.plot.behind').waitFor({ state: 'detached' });
  await page.locator('.plot img').waitFor();
  assert.ok(await page.locator('.curve-reader').isHidden());
  await page.context().close();
});

test('shared link: a stranger opens it → the curves are read without a session; its pages and the designs are accessible', async () => {
  const context = await createAxeContext(chromium, 'light', 1_280);
  const page = await context.newPage();
  const made = await ask('POST', '/shares', { body: { experiment_id: bound.code, shows_sequences: true } });
  const { pathname } = new URL(getText(expectStatus(made, 201).body.link));
  await page.goto(url + pathname);
  await expectAccessibleInBothLooks(page, 'shared experiment');
  await page.getByRole('link', { name: 'variant-1' }).click();
  await page.locator('.curve-reader .reader-plot').first().waitFor();
  await expectAccessibleInBothLooks(page, 'shared result');
  const asked: unknown = await page.evaluate(
    'performance.getEntriesByType("resource").map(({ name }) => name)',
  );
  assert.ok(Array.isArray(asked) && asked.length > 0);
  for (const each of asked.map(String)) assert.match(new URL(each).pathname, /^\/(?:shared|assets)\//);
  await page.goto(`${url}/shared/${'a'.repeat(32)}`);
  await expectAccessibleInBothLooks(page, 'ended link');
  await context.close();
  const own = await openPage(true);
  await own.goto(`${url}/organization/shares?experiment_id=${bound.code}`);
  await expectAccessibleInBothLooks(own, 'shared links');
  await own.goto(`${url}/designs`);
  await own.getByRole('link', { name: 'similar ones' }).first().click();
  await own
    .getByRole('status')
    .getByText(/designs match/)
    .waitFor();
  await expectAccessibleInBothLooks(own, 'designs');
  await own.context().close();
});

test('result: melts, plates, captures and an amendment → each is read in its way, and axe finds nothing', async () => {
  await amend();
  const page = await openPage(true);
  const [newest] = await listItems(bound.code);
  await openResult(page, getPath(newest));
  await page.getByRole('heading', { name: 'Beside version 1' }).waitFor();
  assert.ok(
    (await page.locator('table:has-text("Reason of the lab")').first().textContent())?.includes(REASON),
  );
  assert.match((await page.locator('.origin').textContent()) ?? '', /Subtracted[A-Z][^.]* subtracted[^.]*\./);
  await takePictures(page, 'affinity');
  await expectAccessibleInBothLooks(page, 'affinity');
  for (const [type, expected] of [
    ['thermostability', /°C: Replicate/],
    ['expression', /s: Replicate/],
    ['fluorescence', /^[A-P]\d+: /],
  ] as const) {
    const { items } = await measure(type);
    await openResult(page, getPath(items[0]));
    await page.locator('.reader-plot').first().hover();
    assert.match((await readCaption(page)) ?? '', expected, type);
    if (type === 'thermostability') {
      await page.getByRole('checkbox', { name: 'Baselines' }).check();
      assert.ok((await page.locator('.reader-base').count()) > 0);
      assert.ok((await page.locator('[data-panel=derivative] path').count()) > 0);
    }
    await takePictures(page, type);
    await expectAccessibleInBothLooks(page, type);
  }
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('result: expression → the wells of its replicates on their plates, each read under the pointer; no other sample stands there', async () => {
  const { items } = await measure('expression');
  const page = await openPage(true);
  await openResult(page, getPath(items[0]));
  const parts = page.locator('.plate-part.small');
  await parts.first().waitFor();
  const captions = await parts.locator('.reader-caption').allTextContents();
  const names = new Set(captions.map((caption) => /^[A-P]\d+: ([\w-]+), replicate \d+: /.exec(caption)?.[1]));
  assert.deepEqual([...names], [getText(items[0]?.sequence_name)]);
  assert.match(captions[0] ?? '', /ng\/µL.*, signal minus no-DNA [\d.]+ nm\/s$/);
  assert.equal(await page.locator('.well').count(), 2);
  const well = page.locator('.well').last();
  await well.hover();
  assert.match((await well.getAttribute('class')) ?? '', /near/);
  await expectAccessibleInBothLooks(page, 'result of expression');
  await page.context().close();
});
