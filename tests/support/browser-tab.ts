/** A signed-in tab of a real browser on a service of the test, which ends with the test file. */
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { createAxeContext } from './axe.ts';
import { signInLink } from './browser.ts';
import { startChromium } from './chromium.ts';
import type { TestService } from './service.ts';

export interface BrowserTab {
  readonly tab: Page;
  /** The address of the service. */
  readonly url: string;
  /** Errors of scripts. */
  readonly errors: readonly string[];
}

/** Lets the service listen and signs its founder, or somebody else, in. */
export async function openBrowserTab(service: TestService, userId?: string): Promise<BrowserTab> {
  const chromium = await startChromium();
  after(() => chromium.close());
  const { port } = new URL(await service.service.app.listen({ host: '127.0.0.1', port: 0 }));
  const url = `http://localhost:${port}`;
  service.service.setBaseUrl(url);
  const context = await createAxeContext(chromium, 'light', 1_280);
  const tab = await context.newPage();
  const errors: string[] = [];
  tab.on('pageerror', ({ message }) => errors.push(message));
  await tab.goto(url + (await signInLink(service, userId)));
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByRole('button', { name: 'Sign out' }).waitFor();
  return { tab, url, errors };
}
