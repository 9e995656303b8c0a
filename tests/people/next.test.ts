/** The page that a person asked for: every way to sign in ends there, in this browser and in another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, type Page } from '#testing/browser.ts';
import { OAuth } from '#testing/oauth.ts';
import { testService } from '#testing/service.ts';

const service = await testService({ SIGN_IN_ATTEMPTS_PER_MINUTE: '1000' });
const { database, worker } = service.service;
const oauth = new OAuth(service);
const consentPath = oauth.authorizePath(await oauth.createClient(), 'v'.repeat(43), {
  state: 's'.repeat(700),
});

async function findMailedLink(recipient: string): Promise<string> {
  await worker.runDue();
  await worker.runDue();
  const [mail] = await database.read.query<{ url: string }>(
    `select content->'action'->>'url' as url from mails where recipient = $1 order by id desc limit 1`,
    [recipient],
  );
  return new URL(mail?.url ?? '').pathname;
}

function readNext(page: Page): string {
  const value = /name="next" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
  return value.replaceAll('&amp;', '&');
}

/** Asks for a mailed link on the page that an agent's request is answered with. */
async function askForLink(browser: Browser, page: Page): Promise<Page> {
  return browser.post('/sign-in/mail', { email: 'demo@example.org', next: readNext(page) });
}

test('next: an agent sends the browser, and its person signs in by a mailed link → the consent page follows', async () => {
  const browser = new Browser(service);
  await askForLink(browser, await browser.open(consentPath));
  const link = await findMailedLink('demo@example.org');
  const opened = await browser.send(await browser.open(link), link);
  assert.equal(opened.location, consentPath);
  const authorized = await browser.open(opened.location ?? '');
  assert.match(authorized.location ?? '', /^\/oauth\/consent\?|\/oauth\/consent\?/);
});

test('next: the mailed link is opened in another browser after a wrong password → the consent page follows there', async () => {
  const first = new Browser(service, '10.1.0.1');
  const page = await first.open(consentPath);
  const failed = await first.post('/sign-in', {
    email: 'demo@example.org',
    password: 'not the password',
    next: readNext(page),
  });
  assert.equal(failed.status, 401);
  assert.equal(readNext(failed), consentPath);
  const typo = await first.post('/sign-in/mail', { email: 'nobody', next: readNext(failed) });
  assert.ok(typo.text.includes('href="/sign-in?next=%2Fauth%2Foauth2%2Fauthorize'), typo.text);
  await askForLink(first, failed);
  const link = await findMailedLink('demo@example.org');
  const other = new Browser(service, '10.1.0.2');
  assert.equal((await other.send(await other.open(link), link)).location, consentPath);
  const spent = await first.post(link, {});
  assert.equal(spent.status, 410);
  const again = /href="(\/sign-in\?next=[^"]*)"/.exec(spent.text)?.[1] ?? '';
  assert.equal(readNext(await first.open(again)), consentPath);
});

test('next: a new password or a new account by mail → ends at the page that was asked for', async () => {
  const browser = new Browser(service, '10.1.0.3');
  const page = await browser.open(consentPath);
  const forgotten = /href="(\/password\?next=[^"]*)"/.exec(page.text)?.[1] ?? '';
  const fields = { email: 'demo@example.org', next: readNext(await browser.open(forgotten)) };
  await browser.post('/password', fields);
  const link = await findMailedLink('demo@example.org');
  const changed = await browser.post(link, { new_password: 'seven quiet otters swim' });
  assert.equal(changed.location, consentPath);

  const newcomer = new Browser(service, '10.1.0.4');
  const signUp = /href="(\/sign-up\?next=[^"]*)"/.exec((await newcomer.open(consentPath)).text)?.[1] ?? '';
  const next = readNext(await newcomer.open(signUp));
  await newcomer.post('/sign-up', { email: 'new@example.org', organization: 'New lab', next });
  const finish = await findMailedLink('new@example.org');
  const done = await newcomer.post(finish, {
    name: 'N',
    organization: 'New lab',
    new_password: 'nine loud herons stand',
  });
  assert.equal(done.location, consentPath);
});

const FOREIGN = [
  'https://attacker.example/',
  '//attacker.example/',
  '/\\attacker.example/',
  '/\tattacker.example',
  'javascript:alert(1)',
  `/${'x'.repeat(5_000)}`,
] as const;

test('open redirect: next is another site in any spelling → the first page instead', async () => {
  for (const [index, next] of FOREIGN.entries()) {
    const browser = new Browser(service, `10.2.0.${index}`);
    service.clock.advance(3_600_000);
    await browser.post('/sign-in/mail', { email: 'demo@example.org', next });
    const link = await findMailedLink('demo@example.org');
    assert.equal((await browser.send(await browser.open(link), link)).location, '/sign-in', next);
    assert.equal((await browser.open(`/sign-in?next=${encodeURIComponent(next)}`)).location, '/lab', next);
  }
});
