/** The header of every page with names of any length, as a browser lays it out. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { signInLink } from '#testing/browser.ts';
import { createAxeContext, expectAccessible } from '#testing/axe.ts';
import { startChromium } from '#testing/chromium.ts';
import { testService } from '#testing/service.ts';

const SIXTY = 'Institute for Structural Biology and Protein Engineering, UK';
const LONGEST = `${'Institute for Protein Engineering '.repeat(6).trim().slice(0, 199)}!`;
const chromium = await startChromium();
after(() => chromium.close());
const service = await testService();
const address = new URL(await service.service.app.listen({ host: '127.0.0.1', port: 0 }));
const url = `http://localhost:${address.port}`;
service.service.setBaseUrl(url);

const cases: readonly (readonly [name: string, width: number, isWhole: boolean])[] = [
  [SIXTY, 1_280, true],
  [SIXTY, 390, true],
  [LONGEST, 1_280, false],
  [LONGEST, 390, true],
];

for (const [name, width, isWhole] of cases)
  test(`header: the organization has a name of ${name.length} characters, ${width} px wide → ${isWhole ? 'all of it is shown' : 'three lines and an ellipsis, and all of it in tooltip and footer'}`, async () => {
    const { database, founder } = service.service;
    await database.read.query('update organizations set name = $1 where id = $2', [
      name,
      founder.organizationId,
    ]);
    const context = await createAxeContext(chromium, 'light', width);
    const page = await context.newPage();
    await page.goto(url + (await signInLink(service)));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    for (const path of ['/targets', '/lab/targets']) {
      await page.goto(url + path);
      const link = page.locator('.who .organization');
      const hidden = await link.evaluate(
        (element) => element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth,
      );
      assert.equal(hidden, !isWhole, path);
      assert.equal(await link.getAttribute('title'), name);
      assert.ok((await page.locator('.foot').textContent())?.includes(name), path);
      if (width === 1_280) {
        const box = await link.boundingBox();
        assert.ok((box?.height ?? 0) <= 3 * 20 + 4, `${path}: ${box?.height} px high`);
      }
      await expectAccessible(page, path);
    }
    await context.close();
  });
