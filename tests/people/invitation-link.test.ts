/** Invitations that are handed over as copied links: they prove no address and open no account of others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '#core/clock.ts';
import { Browser, openSignedIn } from '#testing/browser.ts';
import { getItems, getText, testService, type TestAnswer, type TestService } from '#testing/service.ts';

const PASSWORD = 'seven quiet otters swim';
const GUEST = 'guest@example.org';

/** Makes a link in the browser of the administrator, who sees it once. */
async function copyLink(service: TestService, email = GUEST): Promise<string> {
  const admin = await openSignedIn(service);
  const shown = await admin.send(await admin.open('/organization'), '/organization/invite', {
    email,
    role: 'viewer',
    delivery: 'link',
  });
  assert.equal(shown.status, 200, shown.text);
  const link = /<code class="secret" id="secret">([^<]+)<\/code>/.exec(shown.text)?.[1] ?? '';
  const { pathname } = new URL(link);
  assert.ok(!(await admin.open('/organization')).text.includes(pathname));
  return pathname;
}

async function isProven(service: TestService, email: string): Promise<unknown> {
  const { body } = await service.ask('GET', `/organization/members?filter=eq(email,${email})`);
  return getItems(body.items)[0]?.is_address_proven;
}

async function join(service: TestService, link: string): Promise<Browser> {
  const guest = new Browser(service);
  const joined = await guest.send(await guest.open(link), link, { name: 'A Guest', new_password: PASSWORD });
  assert.equal(joined.status, 303, joined.text);
  return guest;
}

async function findUserId(service: TestService, email: string): Promise<string | undefined> {
  const rows = await service.service.database.read.query<{ id: string }>(
    'select id from users where email = $1',
    [email],
  );
  return rows[0]?.id;
}

async function countSignIns(service: TestService): Promise<number> {
  const answer = await new Browser(service).post('/sign-in', { email: GUEST, password: PASSWORD });
  return answer.status === 303 ? 1 : 0;
}

/** Opens a sign-in link that was mailed to the address. */
async function openMailedLink(service: TestService): Promise<void> {
  await new Browser(service).post('/sign-in/mail', { email: GUEST });
  await service.service.worker.runDue();
  const [mail] = await service.service.database.read.query<{ content: { action: { url: string } } }>(
    'select content from mails where recipient = $1 order by id desc limit 1',
    [GUEST],
  );
  const { pathname } = new URL(mail?.content.action.url ?? '');
  const reader = new Browser(service);
  await reader.send(await reader.open(pathname), pathname);
}

test('copied invitation: a new person in live without mail → joins once with its role, with an unproven address', async () => {
  const service = await testService({ ENVIRONMENT: 'live' });
  const link = await copyLink(service);
  const guest = await join(service, link);
  assert.match((await guest.open('/organization')).text, /You are <strong>Viewer<\/strong>/);
  assert.equal(await isProven(service, GUEST), false);
  assert.equal((await new Browser(service).post(link, { new_password: PASSWORD })).status, 410);
  const { body } = await service.ask('GET', '/audit?filter=eq(operation,accept_invitation)');
  assert.deepEqual(getItems(body.items)[0]?.details, { role: 'viewer', delivery: 'link' });
});

test('copied invitation: seven days later → it no longer works', async () => {
  const service = await testService();
  const link = await copyLink(service);
  service.clock.advance(7 * DAY_MS);
  assert.equal((await new Browser(service).open(link)).status, 410);
});

test('copied invitation: the address has an account → nobody but its owner, signed in, joins by it', async () => {
  const service = await testService();
  await service.issueToken({ ownOrganization: true });
  const link = await copyLink(service, 'person-1@example.org');
  const stranger = new Browser(service);
  assert.match((await stranger.open(link)).text, /has an account already\. Sign in to it/);
  const refused = await stranger.post(link, { new_password: PASSWORD });
  assert.match(refused.text, /has an account already/);
  assert.equal((await stranger.open('/account')).status, 401);
  const browser = await openSignedIn(service, await findUserId(service, 'person-1@example.org'));
  assert.equal((await browser.send(await browser.open(link), link)).location, '/');
  assert.match((await browser.open('/account')).text, /Demo organization/);
});

test('copied invitation: its reader signs in first → the secret is in no address and no mail, and the way back leads to joining', async () => {
  const service = await testService();
  await service.issueToken({ ownOrganization: true });
  const email = 'person-1@example.org';
  const link = await copyLink(service, email);
  const secret = link.split('/').at(-1) ?? '';
  const browser = new Browser(service);
  const offer = await browser.open(link);
  assert.match(String(offer.headers['set-cookie']), /Path=\/invitations; HttpOnly; SameSite=Lax/);
  const signInPath = /href="(\/sign-in[^"]*)"/.exec(offer.text)?.[1] ?? '';
  assert.equal(signInPath, '/sign-in?next=%2Finvitations%2Fcontinue');
  const page = await browser.open(signInPath);
  assert.ok(!offer.text.includes(secret) && !page.text.includes(secret));
  await browser.post('/sign-in/mail', { email, next: '/invitations/continue' });
  await service.service.worker.runDue();
  const kept = await service.service.database.read.query<{ next: string }>(
    `select next from person_links where next is not null and next <> '/'`,
  );
  assert.deepEqual(kept, [{ next: '/invitations/continue' }]);
  const [mail] = await service.service.database.read.query<{ content: { action: { url: string } } }>(
    'select content from mails where recipient = $1 order by id desc limit 1',
    [email],
  );
  const { pathname } = new URL(mail?.content.action.url ?? '');
  const signedIn = await browser.send(await browser.open(pathname), pathname);
  assert.equal(signedIn.location, '/invitations/continue');
  const form = await browser.open('/invitations/continue');
  assert.ok(!form.text.includes(secret));
  const joined = await browser.send(form, '/invitations/continue');
  assert.equal(joined.location, '/', joined.text);
  assert.match((await browser.open('/account')).text, /Demo organization/);
  assert.doesNotMatch(browser.cookie, /assayer_invitation/);
  assert.equal((await browser.open('/invitations/continue')).status, 410);
});

test('copied invitation: the answer is repeated under its key → the link is not shown again, and the repeat says so', async () => {
  const service = await testService();
  const body = { email: GUEST, role: 'viewer', delivery: 'link' };
  const invite = (key: string): Promise<TestAnswer> =>
    service.ask('POST', '/organization/invitations', { body, headers: { 'idempotency-key': key } });
  const first = await invite('one');
  const again = await invite('one');
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.equal(first.body.link_was_shown, false);
  assert.match(getText(first.body.link), /\/invitations\//);
  assert.deepEqual(again.body, { ...first.body, link: null, link_was_shown: true });
  const resend = (): Promise<TestAnswer> =>
    service.ask('POST', `/organization/invitations/${getText(first.body.id)}/resend`, {
      body: { delivery: 'link' },
      headers: { 'idempotency-key': 'two' },
    });
  const renewed = await resend();
  assert.match(getText(renewed.body.link), /\/invitations\//);
  assert.deepEqual((await resend()).body, { ...renewed.body, link: null, link_was_shown: true });
});

test('mailed invitation: the answer is repeated under its key → it never had a link, and none was shown', async () => {
  const service = await testService();
  const send = (): Promise<TestAnswer> =>
    service.ask('POST', '/organization/invitations', {
      body: { email: GUEST, role: 'viewer' },
      headers: { 'idempotency-key': 'mailed' },
    });
  const first = await send();
  assert.equal(first.body.link_was_shown, false);
  assert.deepEqual((await send()).body, first.body);
});

test('copied invitation: the address is proved by a mailed link → what its unproven holder set up ends', async () => {
  const service = await testService();
  const guest = await join(service, await copyLink(service));
  assert.equal(await countSignIns(service), 1);
  await openMailedLink(service);
  assert.equal(await isProven(service, GUEST), true);
  assert.equal(await countSignIns(service), 0);
  assert.equal((await guest.open('/account')).status, 401);
});

test('mailed invitation: the address is proved by a mailed link → its password stays', async () => {
  const service = await testService();
  await service.ask('POST', '/organization/invitations', { body: { email: GUEST, role: 'viewer' } });
  await service.service.worker.runDue();
  const [mail] = await service.service.database.read.query<{ content: { action: { url: string } } }>(
    'select content from mails where recipient = $1',
    [GUEST],
  );
  await join(service, new URL(mail?.content.action.url ?? '').pathname);
  assert.equal(await isProven(service, GUEST), true);
  await openMailedLink(service);
  assert.equal(await countSignIns(service), 1);
});

/** Lets a second administrator invite the guest by a copied link; returns their id and the link. */
async function inviteBySecond(service: TestService): Promise<{ id: string; link: string; resend: string }> {
  const token = await service.issueToken({ role: 'admin' });
  const { user_id: id } = (await service.ask('GET', '/whoami', { token })).body;
  const body = { email: GUEST, role: 'admin', delivery: 'link' };
  const made = await service.ask('POST', '/organization/invitations', { token, body });
  assert.equal(made.status, 201, made.text);
  const resend = `/organization/invitations/${getText(made.body.id)}/resend`;
  return { id: getText(id), link: new URL(getText(made.body.link)).pathname, resend };
}

for (const [what, reason, change] of [
  ['is removed', 'sender_left', { method: 'DELETE' }],
  ['becomes a member', 'sender_role', { method: 'PATCH', body: { role: 'member' } }],
] as const) {
  test(`invitation: its sender ${what} → it is withdrawn, and nobody joins by it until another administrator sends it again`, async () => {
    const service = await testService();
    const { id, link, resend } = await inviteBySecond(service);
    const guest = new Browser(service);
    assert.equal((await guest.open(link)).status, 200);
    const path = `/organization/members/${id}`;
    const changed = await service.ask(change.method, path, 'body' in change ? { body: change.body } : {});
    assert.equal(changed.status, 200, changed.text);
    const typed = { name: 'A Guest', new_password: PASSWORD };
    for (const page of [await guest.open(link), await guest.post(link, typed)]) {
      assert.equal(page.status, 410);
      assert.match(page.text, /Ask another administrator/);
    }
    assert.equal(await isProven(service, GUEST), undefined);
    const [listed] = getItems((await service.ask('GET', '/organization/invitations')).body.items);
    assert.deepEqual([listed?.status, listed?.withdrawn_because], ['withdrawn', reason]);
    const admin = await openSignedIn(service);
    assert.match((await admin.open('/organization')).text, /no longer counts: whoever sent it/);
    const again = await service.ask('POST', resend, { body: { delivery: 'link' } });
    const [renewed] = getItems((await service.ask('GET', '/organization/invitations')).body.items);
    assert.deepEqual([renewed?.status, renewed?.withdrawn_because], ['open', null]);
    await join(service, new URL(getText(again.body.link)).pathname);
    assert.equal(await isProven(service, GUEST), false);
  });
}

test('already_invited, already_member: an address is invited twice, or is that of a member → 409 beside the address', async () => {
  const service = await testService();
  const admin = await openSignedIn(service);
  const members = await service.ask('GET', '/organization/members');
  const own = getText(getItems(members.body.items)[0]?.email);
  const page = await admin.open('/organization');
  const invite = (email: string) =>
    admin.send(page, '/organization/invite', { email, role: 'viewer', delivery: 'link' });
  assert.equal((await invite('twice@example.org')).status, 200);
  for (const [email, sentence] of [
    ['Twice@example.org', 'There is an open invitation to this address'],
    [own, 'The person is already a member of the organization'],
  ] as const) {
    const refused = await invite(email);
    assert.equal(refused.status, 409, refused.text);
    assert.match(refused.text, /role="alert">Nothing was changed; see below\.</);
    assert.ok(refused.text.includes(`email-problem"><li>${sentence}`), sentence);
  }
});
