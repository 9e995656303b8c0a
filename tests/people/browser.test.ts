/** What takes a real browser: passkeys with a virtual authenticator (WebAuthn §11), and the checks of axe-core. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { buildMessage } from '#features/notifications/mail/rules.ts';
import { createAxeContext, expectAccessible } from '#testing/axe.ts';
import { signInLink } from '#testing/browser.ts';
import { startChromium } from '#testing/chromium.ts';
import { readStopPath, takeMails } from '#testing/notices.ts';
import { testService, type TestService } from '#testing/service.ts';
import { createWebhookBuilders } from '#testing/webhook-builders.ts';

const chromium = await startChromium();
after(() => chromium.close());

/** A service that listens, at a name for which browsers have passkeys. */
async function startListening(): Promise<TestService & { readonly url: string }> {
  const service = await testService();
  const address = new URL(await service.service.app.listen({ host: '127.0.0.1', port: 0 }));
  const url = `http://localhost:${address.port}`;
  service.service.setBaseUrl(url);
  return { ...service, url };
}

async function addAuthenticator(page: Page, isVerified: boolean): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: isVerified,
      automaticPresenceSimulation: true,
    },
  });
}

async function signInByLink(service: TestService & { readonly url: string }, page: Page): Promise<void> {
  await page.goto(service.url + (await signInLink(service)));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${service.url}/`);
}

test('passkey: added on the account page → signs in; removed → no longer', async () => {
  const service = await startListening();
  const page = await chromium.newPage();
  const refused: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) refused.push(message.text());
  });
  await addAuthenticator(page, true);
  await signInByLink(service, page);
  await page.goto(`${service.url}/account`);
  await page.getByLabel('Name of the new passkey').fill('My laptop');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('The passkey is added.').waitFor();
  await page.getByText('My laptop').waitFor();

  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.goto(`${service.url}/sign-in?next=/targets`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL(`${service.url}/targets`);
  const trail = await service.service.database.read.query<{ operation_id: string; by: string | null }>(
    `select operation_id, details->>'by' as by from audit_log where operation_id in ('sign_in', 'add_passkey') order by id`,
  );
  assert.deepEqual(trail, [
    { operation_id: 'sign_in', by: 'link' },
    { operation_id: 'add_passkey', by: null },
    { operation_id: 'sign_in', by: 'passkey' },
  ]);

  await page.goto(`${service.url}/account`);
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('The passkey is removed.').waitFor();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.goto(`${service.url}/sign-in`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByText('No passkey of this device opened an account here.').waitFor();
  assert.deepEqual(refused, []);
  await page.close();
});

test('script: any page → only those that need one may run it, and it is ours', async () => {
  const service = await startListening();
  const page = await chromium.newPage();
  await signInByLink(service, page);
  for (const [path, isAllowed] of [
    ['/account', true],
    ['/', true],
    ['/invoices', true],
    ['/organization', false],
    ['/organization/tokens', false],
    ['/organization/webhooks', false],
    ['/targets', false],
  ] as const) {
    const answer = await page.goto(service.url + path);
    const policy = answer?.headers()['content-security-policy'] ?? '';
    assert.equal(policy.includes("script-src 'self'"), isAllowed, path);
    assert.equal(await page.locator('script').count(), isAllowed ? 1 : 0, path);
    assert.ok(!policy.includes('unsafe'), path);
  }
  await page.close();
});

for (const [scheme, width] of [
  ['light', 1_280],
  ['dark', 320],
] as const) {
  test(`axe: pages about people, ${scheme}, ${width} px wide → no violation and no horizontal scrolling`, async () => {
    const service = await startListening();
    const context = await createAxeContext(chromium, scheme, width);
    const page = await context.newPage();
    const check = async (path: string): Promise<void> => {
      await page.goto(service.url + path);
      await expectAccessible(page, path);
    };
    for (const path of ['/sign-in', '/sign-up', '/password', await signInLink(service)]) await check(path);
    await signInByLink(service, page);
    await service.ask('POST', '/organization/invitations', {
      body: { email: 'a-rather-long-address-of-somebody@laboratory.example.org', role: 'member' },
    });
    await service.issueToken({ role: 'viewer' });
    const { createDelivery, createWebhook } = createWebhookBuilders(service);
    const webhooks = '/organization/webhooks';
    const endpoint = `${webhooks}/${await createWebhook()}`;
    const delivery = `${webhooks}/deliveries/${await createDelivery()}`;
    await service.service.worker.runDue();
    await service.service.sender.runDue();
    const settings = ['/organization', '/organization/tokens', webhooks, endpoint, delivery];
    await service.ask('POST', '/targets/request-custom', {
      body: { name: 'A target', product_id: 'OWN-1', pdb_id: '1IVO' },
    });
    const [mail] = await takeMails(service);
    assert.ok(mail?.content !== undefined && mail.content !== null);
    const mails = ['/account/notifications', readStopPath(mail)];
    for (const path of ['/account', ...settings, ...mails, '/organizations', '/mailbox']) await check(path);
    const { id, recipient: to, subject, content } = mail;
    await page.setContent(buildMessage(id, { to, subject, content }).html);
    await expectAccessible(page, 'the mail');
    await context.close();
  });
}
