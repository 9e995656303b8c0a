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

async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found: unknown = await page.evaluate(
    "axe.run({ rules: { 'target-size': { enabled: true } } }).then(({ violations }) => violations)",
  );
  assert.ok(Array.isArray(found));
  return found.map(({ id, nodes }: Violation) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** Fails when axe finds a violation on the present page, or the page scrolls sideways. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  assert.deepEqual(await findViolations(page), [], name);
  const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
  assert.ok(Number(overflow) <= 0, `${name} is ${String(overflow)} px too wide`);
}

/** Opens a context in which a test may put axe into a page, which the policy of the page rightly forbids. */
export function createAxeContext(
  chromium: Browser,
  colorScheme: 'light' | 'dark',
  width: number,
): Promise<BrowserContext> {
  return chromium.newContext({ bypassCSP: true, colorScheme, viewport: { width, height: 900 } });
}
