/** What axe-core finds on a page, and whether the page is wider than its window. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** The rules whose answer the colors of a look can change; all others read the same document. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'] as const;
/** Off by default in axe-core. */
const WITH_TARGET_SIZE = { rules: { 'target-size': { enabled: true } } };
const WIDTHS_PX = [1_280, 390] as const;

async function findViolations(page: Page, options: object): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const found: unknown = await page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  assert.ok(Array.isArray(found));
  return found.map(({ id, nodes }: Violation) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

async function expectNoOverflow(page: Page, name: string): Promise<void> {
  const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
  assert.ok(Number(overflow) <= 0, `${name} is ${String(overflow)} px too wide`);
}

/** Fails when axe finds a violation on the current page, or the page scrolls sideways. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  assert.deepEqual(await findViolations(page, WITH_TARGET_SIZE), [], name);
  await expectNoOverflow(page, name);
}

/**
 * Fails when axe finds a violation on the current page, light or dark, in a wide or a narrow window, or the page scrolls
 * sideways. Leaves the page light and wide. `seen` is asked once at each width.
 */
export async function expectAccessibleInBothLooks(
  page: Page,
  name: string,
  seen: (width_px: number) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  for (const width of WIDTHS_PX) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
    await expectAccessible(page, `${name}, light, ${width} px wide`);
    await seen(width);
    await page.emulateMedia({ colorScheme: 'dark' });
    const options = { runOnly: { type: 'rule', values: COLOR_RULES } };
    assert.deepEqual(await findViolations(page, options), [], `${name}, dark, ${width} px wide`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: WIDTHS_PX[0], height: 900 });
}

/** Opens a context in which a test may put axe into a page, which the policy of the page rightly forbids. */
export function createAxeContext(
  chromium: Browser,
  colorScheme: 'light' | 'dark',
  width: number,
): Promise<BrowserContext> {
  return chromium.newContext({ bypassCSP: true, colorScheme, viewport: { width, height: 900 } });
}
