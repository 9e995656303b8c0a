/** Links by mail, signing up, invitations, and the mail server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { Browser, openSignedIn, type Page } from '#testing/browser.ts';
import { getItems, testService, getText, type TestService } from '#testing/service.ts';

const PASSWORD = 'seven quiet otters swim';

interface Sent {
  readonly recipient: string;
  readonly subject: string;
  readonly content: { readonly action?: { readonly url: string } } | null;
}

async function readSent({ service }: TestService): Promise<Sent[]> {
  await service.worker.runDue();
  await service.worker.runDue();
  return service.database.read.query<Sent>('select recipient, subject, content from mails order by id');
}

async function linkTo(service: TestService, recipient: string): Promise<string> {
  const mail = (await readSent(service)).findLast((each) => each.recipient === recipient);
  assert.ok(mail?.content?.action !== undefined, `no mail to ${recipient}`);
  return new URL(mail.content.action.url).pathname;
}

async function ask(browser: Browser, path: string, email: string): Promise<Page> {
  return browser.post(path, { email });
}

test('magic link: asked for by mail → viewing does not use it, and it works once', async () => {
  const service = await testService();
  const browser = new Browser(service);
  const page = await ask(browser, '/sign-in/mail', 'Demo@example.org');
  assert.match(page.text, /Check your mail/);
  const link = await linkTo(service, 'demo@example.org');
  for (let look = 0; look < 3; look++) assert.equal((await new Browser(service).open(link)).status, 200);
  assert.equal((await browser.send(await browser.open(link), link)).location, '/sign-in');
  assert.equal((await new Browser(service).post(link, {})).status, 410);
});

test('magic link: after half an hour → 410', async () => {
  const service = await testService();
  await ask(new Browser(service), '/sign-in/mail', 'demo@example.org');
  const link = await linkTo(service, 'demo@example.org');
  service.clock.advance(30 * 60_000);
  assert.equal((await new Browser(service).post(link, {})).status, 410);
});

test('enumeration: a link for a known or an unknown address → the same answer, and only the known one gets mail', async () => {
  const service = await testService();
  for (const path of ['/sign-in/mail', '/password']) {
    const [known, unknown] = [
      await ask(new Browser(service), path, 'demo@example.org'),
      await ask(new Browser(service), path, 'none@example.org'),
    ];
    assert.equal(known.status, unknown.status);
    assert.equal(known.text.replace('demo@', 'none@'), unknown.text);
  }
  assert.deepEqual(
    (await readSent(service)).map(({ recipient }) => recipient),
    ['demo@example.org', 'demo@example.org'],
  );
});

test('mail limit: six requests for one address within an hour → 429 for the sixth, known or not', async () => {
  const service = await testService();
  for (const email of ['demo@example.org', 'none@example.org']) {
    const statuses: number[] = [];
    for (let turn = 0; turn < 6; turn++)
      statuses.push((await ask(new Browser(service), '/sign-in/mail', email)).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  }
  assert.equal((await readSent(service)).length, 5);
});

test('forgotten password: the mailed link → sets a new password once and ends every other session', async () => {
  const service = await testService();
  const thief = await openSignedIn(service);
  await ask(new Browser(service), '/password', 'demo@example.org');
  const link = await linkTo(service, 'demo@example.org');
  const browser = new Browser(service);
  const short = await browser.send(await browser.open(link), link, { new_password: 'short' });
  assert.equal(short.status, 422);
  const done = await browser.send(short, link, { new_password: PASSWORD });
  assert.equal(done.location, '/sign-in', done.text);
  assert.match((await browser.open('/')).text, /Experiments/);
  assert.equal((await thief.open('/account')).status, 401);
  assert.equal((await new Browser(service).post(link, { new_password: PASSWORD })).status, 410);
  const again = await new Browser(service).post('/sign-in', {
    email: 'demo@example.org',
    password: PASSWORD,
  });
  assert.equal(again.location, '/sign-in');
});

test('sign-up: the mailed link is used → only then a person, an organization and a session exist', async () => {
  const service = await testService();
  const { read } = service.service.database;
  const browser = new Browser(service);
  const form = { email: 'new@example.org', name: 'A Scientist', organization: 'New Biologics' };
  await browser.post('/sign-up', form);
  const link = await linkTo(service, 'new@example.org');
  assert.deepEqual(await read.query(`select id from users where email = 'new@example.org'`), []);
  const page = await browser.open(link);
  assert.match(page.text, /value="New Biologics"/);
  const done = await browser.send(page, link, { ...form, new_password: PASSWORD });
  assert.equal(done.location, '/sign-in', done.text);
  assert.match((await browser.open('/')).text, /New Biologics/);
  const [user] = await read.query('select email_verified, name from users where email = $1', [form.email]);
  assert.deepEqual(user, { email_verified: true, name: 'A Scientist' });
  assert.equal((await new Browser(service).post(link, { ...form, new_password: PASSWORD })).status, 410);
});

test('sign-up: an address with an account → a sign-in link by mail, and the same page', async () => {
  const service = await testService();
  const form = { name: 'Somebody', organization: 'Else' };
  const known = await new Browser(service).post('/sign-up', { ...form, email: 'demo@example.org' });
  const unknown = await new Browser(service).post('/sign-up', { ...form, email: 'none@example.org' });
  assert.equal(known.text.replace('demo@', 'none@'), unknown.text);
  const mails = await readSent(service);
  // The worker runs both jobs at once, so either mail may be the first.
  assert.deepEqual(mails.map(({ recipient, subject }) => `${recipient}: ${subject}`).sort(), [
    'demo@example.org: Your sign-in link',
    'none@example.org: Finish signing up for Assayer',
  ]);
});

test('sign-up: somebody claims the address of another → no account, because only its owner gets the link', async () => {
  const service = await testService();
  await new Browser(service).post('/sign-up', {
    email: 'victim@example.org',
    name: 'Thief',
    organization: 'Theft',
  });
  const refused = await new Browser(service).post('/sign-in', {
    email: 'victim@example.org',
    password: PASSWORD,
  });
  assert.equal(refused.status, 401);
  const library = await service.service.people.ask(
    { requestId: 'r', address: '127.0.0.1', userAgent: '', cookie: '' },
    '/sign-up/email',
    { email: 'victim@example.org', password: PASSWORD, name: 'Thief' },
  );
  assert.notEqual(library.status, 200);
  assert.deepEqual(
    await service.service.database.read.query(`select id from users where email = 'victim@example.org'`),
    [],
  );
});

test('SIGN_UP: invited → the sign-up page is 404', async () => {
  const service = await testService({ SIGN_UP: 'invited' });
  assert.equal((await new Browser(service).open('/sign-up')).status, 404);
  assert.equal((await new Browser(service).post('/sign-up', { email: 'x@example.org' })).status, 404);
  assert.doesNotMatch((await new Browser(service).open('/sign-in')).text, /Create an account/);
});

test('invitation: a new person → chooses a password and joins with the role, once', async () => {
  const service = await testService();
  const admin = await openSignedIn(service);
  const page = await admin.open('/organization');
  assert.equal(page.status, 200, page.text);
  const invited = await admin.send(page, '/organization/invite', {
    email: 'guest@example.org',
    role: 'viewer',
  });
  assert.equal(invited.location, '/organization?done=invite', invited.text);
  const link = await linkTo(service, 'guest@example.org');
  const guest = new Browser(service);
  const offer = await guest.open(link);
  assert.match(offer.text, /Join <bdi>Demo organization<\/bdi>.*with the role Viewer/s);
  const joined = await guest.send(offer, link, { name: 'A Guest', new_password: PASSWORD });
  assert.equal(joined.location, '/', joined.text);
  assert.match((await guest.open('/organization')).text, /You are <strong>Viewer<\/strong>/);
  assert.equal((await new Browser(service).post(link, { new_password: PASSWORD })).status, 410);
  const members = await service.ask('GET', '/organization/members?role=viewer');
  assert.equal(getText(getItems(members.body.items)[0]?.email), 'guest@example.org');
});

test('invitation: a known person → joins a second organization and switches between them', async () => {
  const service = await testService();
  await service.issueToken({ ownOrganization: true });
  const [other] = await service.service.database.read.query<{ id: string }>(
    `select id from users where email = 'person-1@example.org'`,
  );
  await service.ask('POST', '/organization/invitations', {
    body: { email: 'Person-1@example.org', role: 'member' },
  });
  const link = await linkTo(service, 'person-1@example.org');
  const browser = new Browser(service);
  assert.equal((await browser.send(await browser.open(link), link)).location, '/');
  assert.match((await browser.open('/account')).text, /Demo organization/);
  const list = await browser.open('/organizations');
  assert.match(list.text, /Organization 1/);
  assert.equal((await browser.send(list, '/organizations/enter')).location, '/');
  assert.match((await browser.open('/account')).text, /Organization 1/);
  const tokens = await service.service.database.read.query(
    'select distinct organization_id from tokens where user_id = $1 and session_id is not null',
    [other?.id],
  );
  assert.equal(tokens.length, 2);
});

test('switching: an organization of others → refused', async () => {
  const service = await testService();
  await service.issueToken({ ownOrganization: true });
  const [foreign] = await service.service.database.read.query<{ id: string }>(
    `select id from organizations where slug = 'ORG1'`,
  );
  const browser = await openSignedIn(service);
  const formToken =
    /name="form_token" value="([^"]+)"/.exec((await browser.open('/account')).text)?.[1] ?? '';
  await browser.post('/organizations/enter', { organization_id: foreign?.id ?? '', form_token: formToken });
  assert.match((await browser.open('/account')).text, /Demo organization/);
});

test('mailbox: a sandbox opened on the machine itself → shows its mails; anything else → 404', async () => {
  const service = await testService();
  await ask(new Browser(service), '/sign-in/mail', 'demo@example.org');
  await readSent(service);
  const local = { host: '127.0.0.1:8080' };
  assert.match((await new Browser(service).open('/mailbox', local)).text, /Your sign-in link/);
  assert.equal((await new Browser(service).open('/mailbox', { host: 'lab.example' })).status, 404);
  assert.equal((await new Browser(service, '192.0.2.1').open('/mailbox', local)).status, 404);
  const proxied = await testService({ BASE_URL: 'https://lab.example' });
  assert.equal((await new Browser(proxied).open('/mailbox', local)).status, 404);
  const live = await testService({ ENVIRONMENT: 'live' });
  assert.equal((await new Browser(live).open('/mailbox', local)).status, 404);
});

test('SMTP: the server refuses once → the mail is sent again under its own id, then forgotten', async () => {
  const received: string[] = [];
  let refusals = 1;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (refusals-- > 0) return done(new Error('try again'));
        received.push(Buffer.concat(chunks).toString());
        return done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    const service = await testService({
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      MAIL_FROM: 'Assayer <lab@example.org>',
    });
    await ask(new Browser(service), '/sign-in/mail', 'demo@example.org');
    await service.service.worker.runDue();
    await service.service.worker.runDue();
    assert.equal(received.length, 0);
    service.clock.advance(10_000);
    await service.service.worker.runDue();
    assert.equal(received.length, 1);
    const [text = ''] = received;
    const [mail] = await service.service.database.read.query<{
      id: string;
      content: unknown;
      sent_at: string;
    }>('select id, content, sent_at from mails');
    assert.match(text, /^From: Assayer <lab@example\.org>\r?$/m);
    assert.match(text, /^To: demo@example\.org\r?$/m);
    assert.match(text, new RegExp(`^Message-ID: <${mail?.id}@example\\.org>\\r?$`, 'm'));
    assert.match(text, /Content-Type: text\/plain/);
    assert.match(text, /Content-Type: text\/html/);
    assert.equal(mail?.content, null);
    assert.notEqual(mail?.sent_at, null);
  } finally {
    await new Promise<void>((resolve) => server.close(resolve));
  }
});
