/** Passwords, links and sessions, as a browser without a script meets them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, openSignedIn, type Page } from '#testing/browser.ts';
import { testService } from '#testing/service.ts';

const PASSWORD = 'seven quiet otters swim';
const service = await testService({ SIGN_IN_ATTEMPTS_PER_MINUTE: '1000' });
const { read } = service.service.database;

interface Person {
  readonly id: string;
  readonly email: string;
}

let people = 0;

/** Somebody new in the organization, who has neither a password nor a session. */
async function addPerson(): Promise<Person> {
  await service.issueToken();
  const email = `person-${++people}@example.org`;
  const [user] = await read.query<{ id: string }>('select id from users where email = $1', [email]);
  assert.ok(user !== undefined, `there is no ${email}`);
  return { id: user.id, email };
}

async function setPassword(browser: Browser, next: string, current = ''): Promise<Page> {
  const typed = { new_password: next, ...(current === '' ? {} : { current_password: current }) };
  return browser.send(await browser.open('/account'), '/account/password', typed);
}

async function addPersonWithPassword(): Promise<Person> {
  const person = await addPerson();
  assert.equal((await setPassword(await openSignedIn(service, person.id), PASSWORD)).status, 303);
  return person;
}

async function signIn(browser: Browser, password: string, email: string): Promise<Page> {
  return browser.send(await browser.open('/sign-in'), '/sign-in', { email, password });
}

async function listAudited({ id }: Person): Promise<string[]> {
  const rows = await read.query<{ operation_id: string }>(
    `select operation_id from audit_log where user_id = $1 or subject = $1::text order by created_at, id`,
    [id],
  );
  return rows.map((row) => row.operation_id);
}

test('password: set in a session opened by a link → signs in, whatever the case of the address', async () => {
  const person = await addPerson();
  const first = await openSignedIn(service, person.id);
  assert.equal((await setPassword(first, PASSWORD)).location, '/account?done=password');
  const browser = new Browser(service);
  const answer = await signIn(
    browser,
    PASSWORD,
    ` ${person.email.replace('person', 'Person').replace('org', 'ORG')} `,
  );
  assert.equal(answer.location, '/sign-in', answer.text);
  assert.match((await browser.open('/')).text, /Experiments/);
  assert.deepEqual(await listAudited(person), ['sign_in', 'change_password', 'sign_in']);
});

test('password: changed → needs the current one and ends every other session', async () => {
  const { id, email } = await addPerson();
  const [here, there] = [await openSignedIn(service, id), await openSignedIn(service, id)];
  await setPassword(here, PASSWORD);
  assert.match((await there.open('/')).text, /id="sign-in"/);
  const other = new Browser(service);
  await signIn(other, PASSWORD, email);
  const wrong = await setPassword(here, 'another long password', 'not the current one');
  assert.equal(wrong.status, 400);
  assert.match(wrong.text, /The current password is wrong/);
  await setPassword(here, 'another long password', PASSWORD);
  assert.match((await other.open('/')).text, /id="sign-in"/);
  assert.match((await here.open('/')).text, /Experiments/);
  assert.equal((await signIn(new Browser(service), PASSWORD, email)).status, 401);
});

test('password: too short, too long, repetitive or made of the address → refused with the reason', async () => {
  const { id, email } = await addPerson();
  const browser = await openSignedIn(service, id);
  const [name] = email.split('@');
  for (const [password, reason] of [
    ['short', /at least 12 characters/],
    ['aaaaaaaaaaaaaaaaaaa', /repeats a few characters/],
    [`${name} and a word`, /may not contain your e-mail address/],
    ['x'.repeat(120).concat('abcdefghij'.repeat(10)), /at most 200 characters/],
  ] as const) {
    const answer = await setPassword(browser, password);
    assert.equal(answer.status, 400, password);
    assert.match(answer.text, reason);
  }
});

test('enumeration: a wrong password or an unknown address → the same answers and the same lock', async () => {
  const { email: known } = await addPersonWithPassword();
  const answers = new Map<string, Page[]>();
  for (const email of [known, 'nobody@example.org']) {
    const browser = new Browser(service);
    const seen: Page[] = [];
    for (let attempt = 0; attempt < 11; attempt++)
      seen.push(await signIn(browser, 'not the password', email));
    answers.set(email, seen);
  }
  const shape = (pages: readonly Page[] = []): string[] =>
    pages.map(({ status, text }) => `${status} ${text.replaceAll(/value="[^"]*@example\.org"/g, '')}`);
  assert.deepEqual(shape(answers.get(known)), shape(answers.get('nobody@example.org')));
  assert.deepEqual(
    answers.get(known)?.map(({ status }) => status),
    [...Array.from({ length: 10 }, () => 401), 429],
  );
});

test('lock-out: ten wrong passwords → the right one is refused for 15 minutes, with audit entries', async () => {
  const person = await addPersonWithPassword();
  const { id, email } = person;
  const browser = new Browser(service);
  for (let attempt = 0; attempt < 10; attempt++) await signIn(browser, 'not the password', email);
  const locked = await signIn(browser, PASSWORD, email);
  assert.equal(locked.status, 429);
  assert.match(locked.text, /Passwords are accepted again in 15 minutes/);
  while ((await service.service.worker.runDue()) > 0);
  const trail = await listAudited(person);
  assert.equal(trail.filter((entry) => entry === 'sign_in_failed').length, 10);
  assert.equal(trail.filter((entry) => entry === 'sign_in_locked').length, 1);
  assert.equal((await (await openSignedIn(service, id)).open('/')).status, 200);
  service.clock.advance(15 * 60_000 + 1);
  assert.equal((await signIn(browser, PASSWORD, email)).location, '/sign-in');
});

test('lock-out: 30 guesses at once → at most ten are tried', async () => {
  const { email } = await addPersonWithPassword();
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => new Browser(service).post('/sign-in', { email, password: 'guess' })),
  );
  const tries = answers.filter(({ status }) => status === 401).length;
  assert.equal(tries, 10);
  assert.equal(answers.filter(({ status }) => status === 429).length, 30 - tries);
  assert.equal((await signIn(new Browser(service), PASSWORD, email)).status, 429);
});

test('rate_limited: attempts of one client address for several e-mail addresses → 429 beyond its limit', async () => {
  const limited = await testService({ SIGN_IN_ATTEMPTS_PER_MINUTE: '3' });
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 5; attempt++) {
    const answer = await new Browser(limited).post('/sign-in', {
      email: `a${attempt}@example.org`,
      password: 'guess',
    });
    statuses.push(answer.status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 429, 429]);
  const elsewhere = await new Browser(limited, '192.0.2.7').post(
    '/sign-in',
    { email: 'demo@example.org', password: 'guess' },
    {
      'x-forwarded-for': '127.0.0.1',
    },
  );
  assert.equal(elsewhere.status, 401);
});

test('sessions: ended one by one or all at once → those browsers are signed out, and their tokens end', async () => {
  const person = await addPerson();
  const [here, there, third] = [
    await openSignedIn(service, person.id),
    await openSignedIn(service, person.id, '192.0.2.9'),
    await openSignedIn(service, person.id),
  ];
  const page = await here.open('/account');
  assert.match(page.text, /192\.0\.2\.9/);
  const [id = ''] = await read
    .query<{ id: string }>(`select id from sessions where ip_address = '192.0.2.9'`)
    .then((rows) => rows.map((row) => row.id));
  const ended = await here.post('/account/sessions/end', { session_id: id, form_token: getFormToken(page) });
  assert.equal(ended.location, '/account?done=session');
  assert.match((await there.open('/')).text, /id="sign-in"/);
  assert.match((await third.open('/')).text, /Experiments/);
  await here.send(await here.open('/account'), '/account/sessions/end-all');
  for (const browser of [here, there, third]) assert.equal((await browser.open('/account')).status, 401);
  const rows = await read.query(
    'select id from tokens where user_id = $1 and session_id is not null and revoked_at is null',
    [person.id],
  );
  assert.equal(rows.length, 0);
});

test('sessions: a person ends the session of someone else → it lives', async () => {
  const other = await addPerson();
  const victim = await openSignedIn(service, other.id);
  const [session] = await read.query<{ id: string }>('select id from sessions where user_id = $1', [
    other.id,
  ]);
  const browser = await openSignedIn(service);
  await browser.post('/account/sessions/end', {
    session_id: session?.id ?? '',
    form_token: getFormToken(await browser.open('/account')),
  });
  assert.match((await victim.open('/')).text, /Experiments/);
});

test('next: sign-in from a requested page → back to that page, never to another site', async () => {
  const { email } = await addPersonWithPassword();
  const browser = new Browser(service);
  const page = await browser.open('/targets?search=EGFR');
  assert.equal(page.status, 401);
  const answer = await browser.send(page, '/sign-in', { email, password: PASSWORD });
  assert.equal(answer.location, '/targets?search=EGFR');
  for (const next of ['//evil.example', '/\\evil.example', 'https://evil.example', '/%0d%0a//x\n']) {
    const away = await new Browser(service).post('/sign-in', { email, password: PASSWORD, next });
    assert.equal(away.location?.startsWith('/') === true && !/^\/[/\\]/.test(away.location), true, next);
  }
});

test('closed: routes of the sign-in library → 404 except those of passkeys', async () => {
  for (const [method, path] of [
    ['POST', '/auth/sign-in/email'],
    ['POST', '/auth/sign-up/email'],
    ['POST', '/auth/update-user'],
    ['POST', '/auth/change-email'],
    ['POST', '/auth/delete-user'],
    ['GET', '/auth/list-sessions'],
    ['GET', '/auth/get-session'],
    ['GET', '/auth/ok'],
    ['GET', '/auth/passkey/list-user-passkeys'],
    ['POST', '/auth/passkey/../sign-up/email'],
    ['POST', '/auth//sign-up/email'],
  ] as const) {
    const answer = await service.service.app.inject({
      method,
      url: path,
      headers: { 'content-type': 'application/json' },
      ...(method === 'POST'
        ? { payload: { email: 'x@example.org', password: 'a long password', name: 'x' } }
        : {}),
    });
    assert.equal(answer.statusCode, 404, `${method} ${path}: ${answer.body}`);
  }
  const options = await service.service.app.inject({
    method: 'GET',
    url: '/auth/passkey/generate-authenticate-options',
  });
  assert.equal(options.statusCode, 200, options.body);
});

test('session cookie: a changed signature or another value → 401', async () => {
  const browser = await openSignedIn(service);
  const good = browser.cookie;
  const [name = '', value = ''] = good.split('=', 2);
  const rest = good.slice(name.length + 1);
  for (const bad of [`${rest.slice(0, -6)}AAAAAA`, `x${rest}`, value.split('.')[0] ?? '', '', '.', 'a.b']) {
    browser.cookie = `${name}=${bad}`;
    assert.equal((await browser.open('/account')).status, 401, bad);
  }
  browser.cookie = good;
  assert.equal((await browser.open('/account')).status, 200);
});

function getFormToken(page: Page): string {
  return /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
}
