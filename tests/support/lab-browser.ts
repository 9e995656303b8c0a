/** The staff of a lab in Chromium: who is signed in, the forms that they send, and the files that they drop. */
import assert from 'node:assert/strict';
import type { Browser, Locator, Page } from 'playwright-core';
import { signInLink } from './browser.ts';
import type { EncodedFile } from './shared-files.ts';
import { getText, type TestService } from './service.ts';

export interface Person {
  readonly id: string;
  readonly email: string;
}

export async function createPerson({ service, ask, issueToken }: TestService): Promise<Person> {
  const token = await issueToken({ ownOrganization: true });
  const id = getText((await ask('GET', '/whoami', { token })).body.user_id);
  const [person] = await service.database.read.query<{ email: string }>(
    'select email from users where id = $1',
    [id],
  );
  return { id, email: person?.email ?? '' };
}

/** Signs somebody in; nobody's browser knows another's session. */
export async function openBrowser(
  chromium: Browser,
  service: TestService,
  url: string,
  userId?: string,
): Promise<Page> {
  const page = await (await chromium.newContext({ baseURL: url })).newPage();
  await page.goto(await signInLink(service, userId));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('/');
  return page;
}

export const findButton = (page: Page | Locator, name: string): Locator =>
  page.getByRole('button', { name, exact: true });

/** Presses a button and waits for the words of the next page; a form that may finish with less gets a reason. */
export async function sendForm(page: Page, name: string, words: string | RegExp): Promise<void> {
  for (const field of await page.getByLabel('Reason for less than ordered').all())
    if (await field.isVisible()) await field.fill('The client agreed to fewer replicates.');
  await findButton(page, name).first().click();
  await page.getByText(words).first().waitFor();
}

/**
 * The page is there without these buttons, links and folded forms, which the other person uses. It is read and not drawn,
 * with the session of the browser.
 */
export async function expectWithout(page: Page, path: string, names: readonly string[]): Promise<void> {
  const answer = await page.request.get(path);
  assert.equal(answer.status(), 200, path);
  const text = await answer.text();
  for (const name of names) assert.ok(!text.includes(`>${name}<`), `${name} on ${path}`);
}

export async function expectNoPage(page: Page, path: string): Promise<void> {
  assert.equal((await page.request.get(path)).status(), 404, path);
}

/** Drags files from the desk of the person onto the form, waits until they were looked at, and adds them. */
export async function dropFiles(page: Page, files: readonly EncodedFile[]): Promise<void> {
  const dropped = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const { name, content_base64: content } of ${JSON.stringify(files)})
      transfer.items.add(new File([Uint8Array.from(atob(content), (one) => one.charCodeAt(0))], name));
    return transfer;
  })()`);
  await page.locator('form[data-upload]').dispatchEvent('drop', { dataTransfer: dropped });
  const count = files.length === 1 ? 'One file was' : `${files.length} files were`;
  await page.getByText(`${count} read. Nothing is added yet.`).waitFor();
  await findButton(page, 'Upload').click();
  for (const { name } of files) await page.getByText(name, { exact: true }).first().waitFor();
  await page.getByText('Nothing is added yet.').waitFor({ state: 'detached' });
}
