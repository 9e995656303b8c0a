/** The planner and the catalog in a real browser: the keys of the plate, its pointer, and the checks of axe-core. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAxeContext, expectAccessibleInBothLooks } from '#testing/axe.ts';
import { signInLink } from '#testing/browser.ts';
import { createBuilders, createSequences } from '#testing/builders.ts';
import { startChromium } from '#testing/chromium.ts';
import { getItems, getText, testService } from '#testing/service.ts';

const chromium = await startChromium();
after(() => chromium.close());
const service = await testService();
const build = await createBuilders(service);
const address = new URL(await service.service.app.listen({ host: '127.0.0.1', port: 0 }));
const url = `http://localhost:${address.port}`;
service.service.setBaseUrl(url);
const spec = { sequences: createSequences(3), n_replicates: 2 };
const { code } = await build.createQueued(build.createBody(spec));
const { quoteId } = await build.createCustomDraft();
const unpriced = await build.createUnpriced();
const request = await build.createTargetRequest();
const targets = await service.ask('GET', '/lab/targets?limit=1');
const targetId = getText(getItems(targets.body.items)[0]?.id);

async function signIn(page: Page): Promise<void> {
  await page.goto(url + (await signInLink(service)));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${url}/`);
}

async function openPlan(page: Page, size = '96'): Promise<void> {
  await page.goto(`${url}/lab/plans?experiment=${code}`);
  await page.getByLabel('Plate', { exact: true }).selectOption(size);
  await page.getByLabel('Positive control').fill('lysozyme');
  await page.getByLabel('Negative controls').fill('negative-1');
  await page.getByLabel('Concentrations in nM').fill('100, 10');
  await page.getByLabel('Seed').fill('7');
  await page.getByRole('button', { name: 'Plan the plates' }).click();
  await page.locator('[role=grid]').waitFor();
}

const readFocused = async (page: Page): Promise<string> =>
  String(await page.evaluate('document.activeElement.dataset.well ?? document.activeElement.textContent'));
const readLabel = async (page: Page, well: string): Promise<string> => {
  const label = (await page.locator(`[data-well="${well}"]`).getAttribute('aria-label')) ?? '';
  return label.replace(`${well}, `, '').replace(', has a problem', '');
};
const countSelected = (page: Page): Promise<number> =>
  page.locator('[role=gridcell][aria-selected=true]').count();

test('grid: arrows, Home, End, Ctrl and Shift → one tab stop moves, and the selection extends; Escape leaves', async () => {
  const page = await chromium.newPage();
  const refused: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) refused.push(message.text());
  });
  await signIn(page);
  await openPlan(page);
  assert.equal(await page.locator('[role=gridcell][tabindex="0"]').count(), 1);
  await page.locator('[data-well=A1]').focus();
  for (const [key, expected] of [
    ['ArrowUp', 'A1'],
    ['ArrowLeft', 'A1'],
    ['ArrowRight', 'A2'],
    ['ArrowDown', 'B2'],
    ['End', 'B12'],
    ['ArrowRight', 'B12'],
    ['Home', 'B1'],
    ['Control+End', 'H12'],
    ['ArrowDown', 'H12'],
    ['Control+Home', 'A1'],
  ] as const) {
    await page.keyboard.press(key);
    assert.equal(await readFocused(page), expected, key);
    assert.equal(await page.locator('[role=gridcell][tabindex="0"]').getAttribute('data-well'), expected);
    assert.equal(await countSelected(page), 1);
  }
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  assert.equal(await countSelected(page), 4);
  assert.equal(await page.locator('#well').inputValue(), 'A1 A2 B1 B2');
  await page.keyboard.press('Escape');
  assert.equal(await countSelected(page), 1);
  await page.keyboard.press('Shift+Space');
  assert.equal(await countSelected(page), 12);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  assert.equal(await readFocused(page), 'Pick up');
  assert.deepEqual(refused, []);
  await page.close();
});

test('grid: Enter picks a well up and puts it down → the wells swap, focus stays, Ctrl+Z undoes; Delete empties', async () => {
  const page = await chromium.newPage();
  await signIn(page);
  await openPlan(page);
  const [one, other] = [await readLabel(page, 'A1'), await readLabel(page, 'B3')];
  assert.notEqual(one, other);
  await page.locator('[data-well=A1]').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.picked').count(), 0);
  await page.keyboard.press('Enter');
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await page.locator('#plan[data-said^="Swapped"], #plan[data-said^="Moved"]').waitFor();
  assert.equal(await readLabel(page, 'A1'), other);
  assert.equal(await readLabel(page, 'B3'), one);
  await page.waitForFunction('document.activeElement.dataset.well === "B3"');
  await page.keyboard.press('Control+z');
  await page.locator('#plan[data-said^="Undone"]').waitFor();
  assert.equal(await readLabel(page, 'A1'), one);
  await page.waitForFunction('document.activeElement.dataset.well === "B3"');
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Delete');
  await page.locator('#plan[data-said^="Marked empty"]').waitFor();
  assert.equal(await readLabel(page, 'A1'), 'empty');
  await page.close();
});

test('grid: the plate of a stored run → Delete and Ctrl+Z change the stored plan, and it is there after a reload', async () => {
  const page = await chromium.newPage();
  await signIn(page);
  await page.goto(`${url}/lab/runs/${await build.createStoredRun()}`);
  await page.locator('[role=grid]').waitFor();
  const one = await readLabel(page, 'A1');
  await page.locator('[data-well=A1]').focus();
  await page.keyboard.press('Delete');
  await page.locator('#plan[data-said^="Marked empty"]').waitFor();
  await page.keyboard.press('Control+z');
  await page.locator('#plan[data-said^="Undone"]').waitFor();
  assert.equal(await readLabel(page, 'A1'), one);
  await page.waitForFunction('document.activeElement.dataset.well === "A1"');
  await page.keyboard.press('Delete');
  await page.locator('#plan[data-said^="Marked empty"]').waitFor();
  await page.goto(page.url());
  assert.equal(await readLabel(page, 'A1'), 'empty');
  await page.close();
});

test('grid: a pointer picks up by the button, or drags → the wells swap either way', async () => {
  const page = await chromium.newPage();
  await signIn(page);
  await openPlan(page);
  const [one, other] = [await readLabel(page, 'A1'), await readLabel(page, 'B3')];
  await page.locator('[data-well=A1]').click();
  await page.getByRole('button', { name: 'Pick up' }).click();
  await page.locator('[data-well=B3]').click();
  await page.locator('#plan[data-said*="A1"]').waitFor();
  assert.equal(await readLabel(page, 'B3'), one);
  await page.locator('[data-well=B3]').dragTo(page.locator('[data-well=A1]'));
  await page.locator('#plan[data-said^="Swapped B3"], #plan[data-said^="Moved B3"]').waitFor();
  assert.deepEqual([await readLabel(page, 'A1'), await readLabel(page, 'B3')], [one, other]);
  await page.close();
});

test('import: a file is chosen → its text is in the field, and nothing is sent', async () => {
  const page = await chromium.newPage();
  await signIn(page);
  await page.goto(`${url}/lab/targets/import`);
  const buffer = Buffer.from('catalog_number,stock_ug\nDEMO-0001,40\n');
  await page.getByLabel('CSV file').setInputFiles({ name: 'stock.csv', mimeType: 'text/csv', buffer });
  await page.getByText('stock.csv is in the field below').waitFor();
  assert.equal(await page.getByLabel('Rows', { exact: true }).inputValue(), buffer.toString());
  await page.close();
});

test('axe: plans, a target, an import, a request and quotes, light and dark, wide and narrow → no violation and no horizontal scrolling', async () => {
  const context = await createAxeContext(chromium, 'light', 1_280);
  const page = await context.newPage();
  await signIn(page);
  for (const size of ['96', '384']) {
    await openPlan(page, size);
    await expectAccessibleInBothLooks(page, `plan of ${size} wells`, async (width) => {
      assert.equal(await page.locator('[role=grid]').isVisible(), width >= 600);
      assert.equal(await page.locator('.well-table').isVisible(), width < 600);
    });
  }
  for (const path of [
    '/lab/targets/new',
    `/lab/targets/${targetId}`,
    '/lab/targets/import',
    `/lab/target-requests/${request}`,
    `/lab/quotes/new?experiment=${unpriced.code}`,
    `/lab/quotes/${quoteId}`,
  ]) {
    await page.goto(url + path);
    await expectAccessibleInBothLooks(page, path);
  }
  await context.close();
});
