/** A name of a sequence that is one long word, as a browser lays it out: it breaks, and the values stay in sight. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createAxeContext, expectAccessible } from '#testing/axe.ts';
import { signInLink } from '#testing/browser.ts';
import { createBuilders, createSequences, expectStatus } from '#testing/builders.ts';
import { startChromium } from '#testing/chromium.ts';
import { testService } from '#testing/service.ts';

const LONG = `long_${'x'.repeat(120)}`;

const chromium = await startChromium();
after(() => chromium.close());
const service = await testService();
const build = await createBuilders(service);
const [sequence = ''] = Object.values(createSequences(1));
const { code } = await build.createReviewed(build.createBody({ sequences: { [LONG]: sequence } }));
expectStatus(
  await service.ask('POST', `/lab/experiments/${code}/release`, {
    body: { reason: 'Less than ordered is enough.' },
  }),
  200,
);
const address = new URL(await service.service.app.listen({ host: '127.0.0.1', port: 0 }));
const url = `http://localhost:${address.port}`;
service.service.setBaseUrl(url);

const pages = [
  `/lab/experiments/${code}/review`,
  `/lab/experiments/${code}/sequences`,
  `/experiments/${code}`,
] as const;

for (const width of [1_280, 390])
  test(`long names: one word of ${LONG.length} letters, ${width} px wide → no page scrolls sideways, and the column after the name begins in sight`, async () => {
    const context = await createAxeContext(chromium, 'light', width);
    const page = await context.newPage();
    await page.goto(url + (await signInLink(service)));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    for (const path of pages) {
      await page.goto(url + path);
      await expectAccessible(page, path);
      const names = await page.locator('tbody th[scope="row"]', { hasText: LONG }).all();
      assert.ok(names.length > 0, path);
      const display = await page.evaluate('getComputedStyle(document.querySelector("tbody th")).display');
      // A table that a narrow window folds has the name in a line of its own.
      const end = display === 'block' ? width : 0.75 * width;
      for (const name of names) {
        const { x, width: own } = (await name.boundingBox()) ?? { x: 0, width: Infinity };
        assert.ok(x + own <= end, `${path}: the name ends at ${x + own} px`);
      }
    }
    await context.close();
  });
