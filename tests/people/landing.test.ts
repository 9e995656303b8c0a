/** The first page after signing in, where no other was asked for: the lab for its staff, the portal for clients. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, openSignedIn, type Page } from '#testing/browser.ts';
import type { NewPerson } from '#testing/people.ts';
import { testService } from '#testing/service.ts';

const PASSWORD = 'seven quiet otters swim';
const service = await testService({ SIGN_IN_ATTEMPTS_PER_MINUTE: '1000' });
const { read } = service.service.database;

let people = 0;

/** The address of somebody new, who has a password. */
async function addPerson(person: NewPerson): Promise<string> {
  await service.issueToken(person);
  const email = `person-${++people}@example.org`;
  const [user] = await read.query<{ id: string }>('select id from users where email = $1', [email]);
  const browser = await openSignedIn(service, user?.id);
  const typed = { new_password: PASSWORD };
  const kept = await browser.send(await browser.open('/account'), '/account/password', typed);
  assert.equal(kept.location, '/account?done=password', kept.text);
  return email;
}

async function findMailedLink(recipient: string): Promise<string> {
  await service.service.worker.runDue();
  await service.service.worker.runDue();
  const [mail] = await read.query<{ url: string }>(
    `select content->'action'->>'url' as url from mails where recipient = $1 order by id desc limit 1`,
    [recipient],
  );
  return new URL(mail?.url ?? '').pathname;
}

/** The first page that the browser shows at the end of the redirects. */
async function follow(browser: Browser, sent: Page): Promise<{ path: string; status: number }> {
  assert.equal(sent.status, 303, sent.text);
  const path = sent.location ?? '';
  const page = await browser.open(path);
  return page.status === 303 ? follow(browser, page) : { path, status: page.status };
}

async function signIn(email: string, path = '/sign-in') {
  const browser = new Browser(service);
  const page = await browser.open(path);
  const next = /name="next" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
  return follow(browser, await browser.post('/sign-in', { email, password: PASSWORD, next }));
}

async function signInByMail(email: string) {
  const browser = new Browser(service);
  await browser.post('/sign-in/mail', { email });
  const link = await findMailedLink(email);
  return follow(browser, await browser.send(await browser.open(link), link));
}

const cases: readonly (readonly [who: string, person: NewPerson, path: string])[] = [
  ['an operator', { staffRoles: ['operator'] }, '/lab'],
  ['a manager', { staffRoles: ['manager'] }, '/lab'],
  ['somebody of finance', { staffRoles: ['finance'] }, '/lab'],
  ['staff with an organization of their own', { staffRoles: ['operator'], ownOrganization: true }, '/lab'],
  ['staff who only read in their organization', { staffRoles: ['operator'], role: 'viewer' }, '/'],
  ['an admin of a client', { ownOrganization: true }, '/'],
  ['a viewer of a client', { role: 'viewer' }, '/'],
];

for (const [who, person, path] of cases)
  test(`landing: ${who} signs in and asked for no page → ${path}; a page that was asked for comes first`, async () => {
    const email = await addPerson(person);
    assert.deepEqual(await signIn(email), { path, status: 200 });
    assert.deepEqual(await signIn(email, '/'), { path, status: 200 });
    assert.deepEqual(await signInByMail(email), { path, status: 200 });
    assert.deepEqual(await signIn(email, '/targets'), { path: '/targets', status: 200 });
    assert.deepEqual(await signIn(email, '/sign-in?next=%2F'), { path: '/', status: 200 });
  });

test('landing: the sign-in page is opened again by somebody who is signed in → the same first page', async () => {
  const staff = await openSignedIn(service);
  assert.equal((await staff.open('/sign-in')).location, '/lab');
  assert.equal((await staff.open('/sign-in?next=%2Ftargets')).location, '/targets');
});

test('landing: a passkey signs in → its script goes on to the page that every way to sign in ends at', async () => {
  const stranger = new Browser(service);
  assert.match((await stranger.open('/sign-in')).text, /data-passkey="sign-in" data-next="\/sign-in"/);
  assert.match((await stranger.open('/targets')).text, /data-passkey="sign-in" data-next="\/targets"/);
});

test('landing: a person without an organization signs in → the page that says so', async () => {
  const email = await addPerson({ role: 'member' });
  await read.query('delete from memberships where user_id = (select id from users where email = $1)', [
    email,
  ]);
  assert.deepEqual(await signIn(email), { path: '/organizations', status: 200 });
});
