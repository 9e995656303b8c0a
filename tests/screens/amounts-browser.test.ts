/** Amounts in a real browser: none touches the words beside it, wide or narrow. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createBuilders } from '#testing/builders.ts';
import { startChromium } from '#testing/chromium.ts';
import { openBrowser } from '#testing/lab-browser.ts';
import { getText, testService } from '#testing/service.ts';

const chromium = await startChromium();
after(() => chromium.close());
const service = await testService();
const build = await createBuilders(service);
const address = new URL(await service.service.app.listen({ host: '127.0.0.1', port: 0 }));
const url = `http://localhost:${address.port}`;
service.service.setBaseUrl(url);

const GAP_MIN_PX = 6;

/** Texts that begin less than this from the end of an amount's neighbor, in one line with it. */
const FIND_TOUCHING = `(() => {
  const boxes = [];
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    if (text === '') continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const block = walker.currentNode.parentElement.closest('dt, dd, td, th, li, p, h1, h2, label, summary, div');
    for (const box of range.getClientRects())
      if (box.width > 1) boxes.push({ text, block, left: box.left, right: box.right, top: box.top, bottom: box.bottom });
  }
  const amounts = boxes.filter(({ text }) => /^-?\\$[\\d,]+\\.\\d\\d/.test(text));
  const touching = amounts.flatMap((amount) =>
    boxes
      .filter(
        (other) =>
          other.block !== amount.block &&
          other.top < amount.bottom - 2 &&
          other.bottom > amount.top + 2 &&
          other.left < amount.left &&
          other.right > amount.left - ${GAP_MIN_PX},
      )
      .map((other) => other.text + amount.text),
  );
  return { count: amounts.length, touching };
})()`;

async function expectGaps(page: Page, path: string): Promise<void> {
  await page.goto(url + path);
  for (const width of [1_280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const found: unknown = await page.evaluate(FIND_TOUCHING);
    assert.ok(typeof found === 'object' && found !== null && 'touching' in found && 'count' in found);
    assert.ok(Number(found.count) > 0, `${path} shows an amount`);
    assert.deepEqual(found.touching, [], `${path}, ${width} px wide`);
  }
}

test('amounts: sums of many digits on every page that shows one → none touches the words beside it', async () => {
  const quoted = await build.createQuoted();
  const invoiced = await build.createInvoiced();
  const list = await build.createPriceList();
  await service.service.database.read.query(
    `update quotes set subtotal_cents = 1510000000, total_cents = 1510000000 where id = $1`,
    [quoted.quoteId],
  );
  await service.service.database.read.query(
    `update invoices set subtotal_cents = 1510000000, total_cents = 1510000000 where id = $1`,
    [invoiced.invoiceId],
  );
  const { body } = await service.ask('GET', `/lab/invoices/${invoiced.invoiceId}`);
  const page = await openBrowser(chromium, service, url);
  for (const path of [
    `/quotes/${quoted.quoteId}`,
    `/experiments/${quoted.code}`,
    `/experiments/${invoiced.code}`,
    new URL(getText(body.hosted_invoice_url)).pathname,
    '/invoices',
    '/targets',
    '/lab/invoices',
    `/lab/invoices/${invoiced.invoiceId}`,
    '/lab/quotes',
    `/lab/quotes/${quoted.quoteId}`,
    `/lab/experiments/${invoiced.code}`,
    `/lab/price-lists/${list}`,
  ])
    await expectGaps(page, path);
  await page.context().close();
});
