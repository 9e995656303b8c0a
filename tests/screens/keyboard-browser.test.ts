/** The keyboard on the pages of clients and of the lab: what Tab reaches, in which order, and whether it can be seen. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { toRecord } from '#core/records.ts';
import { createBuilders } from '#testing/builders.ts';
import { startChromium } from '#testing/chromium.ts';
import { openBrowser } from '#testing/lab-browser.ts';
import { testService } from '#testing/service.ts';

const PAGES_MIN = 50;
/** A date has a stop for each of its parts, and one for its calendar. */
const STOPS_IN_A_FIELD_MAX = 6;

const chromium = await startChromium();
after(() => chromium.close());
const service = await testService();
const build = await createBuilders(service);
const address = new URL(await service.service.app.listen({ host: '127.0.0.1', port: 0 }));
const url = `http://localhost:${address.port}`;
service.service.setBaseUrl(url);
await build.createUnpriced();
await build.createQuoted();
await build.createQueued();
await build.createPaid();
await build.createStoredRun();
await build.createRecordedRun();
await build.createPriceList();
await build.createReviewed();

const LINKS = `[...document.links].filter((link) => link.origin === location.origin).map((link) => link.pathname + link.search)`;

/** Unfolds the page and keeps what Tab has to reach; of radio buttons that is the one that is chosen. */
const STOPS = `(() => {
  for (const folded of document.querySelectorAll('details')) folded.open = true;
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')];
  const isStop = (element) => {
    if (element.disabled || element.tabIndex < 0 || !element.checkVisibility({ visibilityProperty: true })) return false;
    if (element.type !== 'radio') return true;
    const group = all.filter(({ type, name, form }) => type === 'radio' && name === element.name && form === element.form);
    return element === (group.find(({ checked }) => checked) ?? group[0]);
  };
  window.stops = all.filter(isStop);
  document.activeElement?.blur();
  return window.stops.map(({ outerHTML }) => outerHTML.slice(0, 160));
})()`;

/** Where the focus is among the stops, -1 outside of them, and whether a person sees it. */
const FOCUS = `(() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  const { width, height } = element.getBoundingClientRect();
  const isMarked = (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
  return { index: window.stops.indexOf(element), isSeen: isMarked && width > 0 && height > 0 };
})()`;

/** Presses Tab through the page, and lists what is wrong on the way. */
async function walkByTab(page: Page): Promise<string[]> {
  const problems: string[] = [];
  const stops: unknown = await page.evaluate(STOPS);
  assert.ok(Array.isArray(stops));
  let next = 0;
  let presses = 0;
  while (next < stops.length && presses <= STOPS_IN_A_FIELD_MAX) {
    await page.keyboard.press('Tab');
    const { index, isSeen } = toRecord(await page.evaluate(FOCUS));
    presses += 1;
    // Chromium stops at what scrolls, too.
    if (index === next - 1 || index === -1) continue;
    if (index !== next)
      return [...problems, `${String(stops[next])}: Tab comes to ${String(stops[Number(index)])}`];
    if (isSeen !== true) problems.push(`${String(stops[next])}: the focus is not seen`);
    next += 1;
    presses = 0;
  }
  if (next < stops.length) problems.push(`${String(stops[next - 1])}: Tab does not leave it`);
  return problems;
}

/** One page stands for all whose addresses differ in their queries, ids and codes. */
const toShape = (path: string): string =>
  path.replace(/\?.*$/, '').replaceAll(/\/(?=[\w-]*\d)[\w-]+/g, '/:id');

test('keyboard: Tab on every page that links reach → each link, button and field in its order, seen, and left again', async () => {
  const page = await openBrowser(chromium, service, url);
  const shapes = new Set(['/', '/lab']);
  const paths = [...shapes];
  let pages = 0;
  for (const path of paths) {
    const answer = await page.request.get(path, { maxRedirects: 0 });
    if (!(answer.headers()['content-type'] ?? '').startsWith('text/html')) continue;
    await page.goto(path);
    const links: unknown = await page.evaluate(LINKS);
    assert.ok(Array.isArray(links));
    for (const link of links.map(String).filter((each) => !each.startsWith('/docs'))) {
      if (!shapes.has(toShape(link))) paths.push(link);
      shapes.add(toShape(link));
    }
    assert.deepEqual(await walkByTab(page), [], path);
    pages += 1;
  }
  assert.ok(pages >= PAGES_MIN, `${pages} pages`);
});
