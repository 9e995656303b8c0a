/** The script that keeps a page current, in a real browser whose clock the test moves, over streams that misbehave. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startChromium } from '#testing/chromium.ts';

const PAGE = 'http://pages.test/list';
const BETWEEN_MS = 3_000;
const HTML = `<!doctype html><title>List · Lab</title><main id="content" data-live="/live" data-between="${BETWEEN_MS}">
  <p>Rows</p></main><div class="foot"></div><script type="module" src="/live.js"></script>`;

/** Stands in for the service: notes each reading, and lets each stream behave as the test says. */
const SERVICE = `globalThis.readsAtMs = [];
globalThis.streams = [];
globalThis.fetch = async (url, { headers, signal }) => {
  if (headers.accept === 'text/html') {
    readsAtMs.push(performance.now());
    return new Response(${JSON.stringify(HTML)});
  }
  const { promise, resolve, reject } = Promise.withResolvers();
  signal.addEventListener('abort', () => reject(signal.reason));
  const stream = { answer: () => resolve(new Response(new ReadableStream({ start: (writer) => (stream.writer = writer) }))) };
  streams.push(stream);
  globalThis.behave?.(stream);
  return promise;
};`;

const chromium = await startChromium();
after(() => chromium.close());

async function openList(behavior: string): Promise<Page> {
  const page = await chromium.newPage();
  await page.clock.install();
  await page.addInitScript(`${SERVICE}\nglobalThis.behave = ${behavior};`);
  await page.route('http://pages.test/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/list') return route.fulfill({ contentType: 'text/html', body: HTML });
    const script = new URL(`../../src/ui/script${pathname}`, import.meta.url);
    return route.fulfill({ contentType: 'text/javascript', body: await readFile(script, 'utf8') });
  });
  await page.goto(PAGE);
  await page.waitForFunction('streams.length === 1');
  // Until here its clock runs by itself.
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 1_000);
  return page;
}

/** Moves the clock of the page in small steps, and lets what each step began go on. */
async function pass(page: Page, ms: number, { stepMs = 250, each = '' } = {}): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
    await page.clock.runFor(stepMs);
    await page.evaluate(each);
  }
}

const listPauses = (page: Page): Promise<number[]> =>
  page.evaluate('readsAtMs.slice(1).map((atMs, index) => atMs - readsAtMs[index])');
const countReads = (page: Page): Promise<number> => page.evaluate('readsAtMs.length');

const TELL = `new TextEncoder().encode('data: {}\\n\\n')`;
const OPENS = '(stream) => stream.answer()';

test('live: changes without a break → the page reads itself in between', async () => {
  const page = await openList(OPENS);
  await pass(page, 10_000, { stepMs: 100, each: `streams[0].writer.enqueue(${TELL})` });
  assert.ok((await countReads(page)) >= 2, `${await countReads(page)} reads in ten seconds`);
  await page.close();
});

test('live: a stream that is never answered → the page gives it up and asks again', async () => {
  const page = await openList('undefined');
  await pass(page, 60_000, { stepMs: 1_000 });
  assert.ok((await page.evaluate<number>('streams.length')) > 1);
  await page.close();
});

test('live: streams that end at once → the page asks more and more rarely, and keeps its pause', async () => {
  const page = await openList('(stream) => { stream.answer(); stream.writer.close(); }');
  await pass(page, 120_000, { stepMs: 500 });
  const pausesMs = await listPauses(page);
  assert.ok(pausesMs.length >= 2 && pausesMs.length <= 12, `${pausesMs.length} pauses`);
  assert.ok(Math.min(...pausesMs) >= BETWEEN_MS, pausesMs.join(' '));
  await page.close();
});

test('live: a tab that is hidden and shown in turn → the page keeps its pause, and reads itself in the end', async () => {
  const page = await openList(OPENS);
  const turn = `isHidden = !globalThis.isHidden;
    Object.defineProperty(document, 'hidden', { configurable: true, value: isHidden });
    document.dispatchEvent(new Event('visibilitychange'));`;
  await pass(page, 10_000, { each: turn });
  await pass(page, 4_000);
  const pausesMs = await listPauses(page);
  assert.ok((await countReads(page)) > 0);
  assert.ok(
    pausesMs.every((pauseMs) => pauseMs >= BETWEEN_MS),
    pausesMs.join(' '),
  );
  assert.equal(await page.evaluate('isHidden'), false);
  await page.close();
});
