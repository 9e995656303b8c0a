/** Choosing mails without the API: the links in mails, the page of a person, and the daily mail. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '#core/clock.ts';
import { addUpdate } from '#features/experiments/transition-experiment.ts';
import { Browser, openSignedIn } from '#testing/browser.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { readStopPath, takeMails, type KeptMail } from '#testing/notices.ts';
import { getItems, getText, testService } from '#testing/service.ts';

const service = await testService();
const { ask, clock, issueToken } = service;
const { app, database, founder, work } = service.service;
const build = await createBuilders(service);
const order = await build.create();
const DEMO = 'demo@example.org';
const MEMBER = 'person-1@example.org';
const memberToken = await issueToken({ role: 'member' });
const memberId = getText((await ask('GET', '/whoami', { token: memberToken })).body.user_id);
const PAGE = '/account/notifications';

type Told = 'results.amended' | 'materials.delayed' | 'experiment.created';

async function announce(event: Told = 'results.amended'): Promise<void> {
  const experiment = { ...order, organization_id: founder.organizationId };
  const status = event === 'experiment.created' ? 'waiting_for_confirmation' : null;
  await database.runTransaction((tx) =>
    addUpdate(work, tx, experiment, {
      event,
      name: 'News',
      description: 'It happened.',
      status,
      actor: 'lab',
    }),
  );
}

const findMailTo = (mails: readonly KeptMail[], to: string): KeptMail => {
  const found = mails.find(({ recipient }) => recipient === to);
  assert.ok(found !== undefined, `no mail to ${to}`);
  return found;
};

async function readChoice(event: string, token = memberToken): Promise<string> {
  const { body } = expectStatus(await ask('GET', '/notifications', { token }), 200);
  return getText(getItems(body.events).find((each) => getText(each.event) === event)?.mail);
}

const choose = async (mail: Readonly<Record<string, string>>, token = memberToken) =>
  expectStatus(await ask('PATCH', '/notifications', { token, body: { mail } }), 200);

/** As a mail program sends it: without a cookie, a session or a page before (RFC 8058 §3.2). */
const stopAtOnce = (path: string, type = 'application/x-www-form-urlencoded') =>
  app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': type },
    payload:
      type === 'application/x-www-form-urlencoded'
        ? 'List-Unsubscribe=One-Click'
        : '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
  });

async function takeStopPath(event?: Told, to = MEMBER): Promise<string> {
  await announce(event);
  return readStopPath(findMailTo(await takeMails(service), to));
}

test('unsubscribe: the link is opened ten times, as programs that check mails do → nothing changes, and a button is shown', async () => {
  const path = await takeStopPath();
  for (let look = 0; look < 10; look++) {
    const page = await new Browser(service).open(path);
    assert.equal(page.status, 200);
    assert.match(page.text, /Stop mails of “Amendment”\?/);
  }
  assert.equal((await app.inject({ method: 'HEAD', url: path })).statusCode, 200);
  assert.equal(await readChoice('amendment'), 'at_once');
});

test('unsubscribe: one click without signing in, once and again → the mails stop for this person and event alone, with one entry in the trail', async () => {
  const path = await takeStopPath();
  for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=b']) {
    const answer = await stopAtOnce(path, type);
    assert.equal(answer.statusCode, 200, answer.body);
    assert.equal(answer.headers.location, undefined);
    assert.equal(answer.headers['set-cookie'], undefined);
  }
  assert.deepEqual([await readChoice('amendment'), await readChoice('results')], ['none', 'at_once']);
  await announce();
  const mails = await takeMails(service);
  assert.deepEqual(
    mails.map(({ recipient }) => recipient),
    [DEMO],
  );
  const { body } = await ask('GET', '/audit?filter=eq(operation,stop_mail)');
  const entries = getItems(body.items).filter((entry) => getText(entry.operation) === 'stop_mail');
  assert.equal(entries.length, 1, JSON.stringify(body));
  await choose({ amendment: 'at_once' });
});

test('unsubscribe: the button of the page is pressed → the mails stop, and the page says so', async () => {
  const path = await takeStopPath('materials.delayed');
  const browser = new Browser(service);
  const [, action = ''] = /<form method="post" action="([^"]+)"/.exec((await browser.open(path)).text) ?? [];
  assert.equal(action.replaceAll('&amp;', '&').replaceAll('&#38;', '&'), path);
  const done = await browser.post(path, {});
  assert.match(done.text, /You get no more mails of “Delay”/);
  assert.equal(await readChoice('delay'), 'none');
});

test('link_invalid: a link is changed to another person, place or event, or its signature is → 403 for reading and stopping', async () => {
  const path = await takeStopPath();
  const changed = [
    path.replace(memberId, founder.userId),
    path.replace(founder.organizationId, 'lab'),
    path.replace('/amendment?', '/results?'),
    path.replace('/amendment?', '/everything?'),
    path.replace(/signature=../, 'signature=00'),
    path.replace(/expires=\d/, 'expires=9'),
    path.split('?')[0] ?? '',
  ];
  for (const url of changed) {
    assert.equal((await stopAtOnce(url)).statusCode, 403, url);
    assert.equal((await new Browser(service).open(url)).status, 403, url);
  }
  assert.equal(await readChoice('amendment'), 'at_once');
  assert.equal(await readChoice('amendment', service.token), 'at_once');
});

test("unsubscribe: somebody else's link while signed in → it stops the mails of the person it names, not of the sender", async () => {
  const path = await takeStopPath();
  const browser = await openSignedIn(service);
  assert.equal((await browser.post(path, {})).status, 200);
  assert.equal(await readChoice('amendment', service.token), 'at_once');
  assert.equal(await readChoice('amendment'), 'none');
  await choose({ amendment: 'at_once' });
});

test('daily: three facts in a day, of which one is no longer wanted → one mail at the hour of the person, and nothing before', async () => {
  const token = await issueToken({ role: 'member' });
  const to = 'person-2@example.org';
  const mail = { amendment: 'daily', delay: 'daily', results: 'daily' };
  expectStatus(await ask('PATCH', '/notifications', { token, body: { digest_hour: 6, mail } }), 200);
  await takeMails(service);
  for (const event of ['results.amended', 'materials.delayed', 'materials.delayed'] as const) {
    await announce(event);
    clock.advance(HOUR_MS);
    assert.ok(!(await takeMails(service)).some(({ recipient }) => recipient === to));
  }
  const now = clock.now().getTime();
  const six = Math.ceil((now - 6 * HOUR_MS) / DAY_MS) * DAY_MS + 6 * HOUR_MS;
  clock.advance(six - now - 1);
  assert.ok(!(await takeMails(service)).some(({ recipient }) => recipient === to));
  await choose({ amendment: 'none' }, token);
  clock.advance(1);
  const digests = (await takeMails(service)).filter(({ recipient }) => recipient === to);
  assert.equal(digests.length, 1);
  const [digest] = digests;
  assert.equal(digest?.subject, 'Today at Demo organization: 2 pieces of news');
  assert.equal(digest?.content?.items?.length, 2);
  clock.advance(DAY_MS);
  assert.ok(!(await takeMails(service)).some(({ recipient }) => recipient === to));
});

test('daily: its link → every event that came daily stops, the others stay', async () => {
  const token = await issueToken({ role: 'member' });
  await choose({ amendment: 'daily', delay: 'daily' }, token);
  await announce();
  await takeMails(service);
  clock.advance(DAY_MS);
  const digest = findMailTo(await takeMails(service), 'person-3@example.org');
  assert.equal((await stopAtOnce(readStopPath(digest))).statusCode, 200);
  const choices = [];
  for (const event of ['amendment', 'delay', 'results']) choices.push(await readChoice(event, token));
  assert.deepEqual(choices, ['none', 'none', 'at_once']);
});

test('update_notifications, update_lab_notifications: the page of a person of the staff → both lists are shown and saved, and no mail comes that was switched off', async () => {
  const browser = await openSignedIn(service);
  const page = await browser.open(PAGE);
  assert.match((await browser.open('/account')).text, new RegExp(PAGE));
  const saved = await browser.send(page, `${PAGE}/organization`, {
    'mail:amendment': 'none',
    digest_hour: '9',
  });
  assert.equal(saved.location, `${PAGE}?done=saved`);
  await browser.send(page, `${PAGE}/lab`, { 'mail:new_order': 'daily' });
  const shown = await browser.open(`${PAGE}?done=saved`);
  assert.match(shown.text, /Your choice is saved/);
  assert.match(shown.text, /<option value="9" selected>09:00 UTC/);
  assert.equal(await readChoice('amendment', service.token), 'none');
  const lab = expectStatus(await ask('GET', '/lab/notifications'), 200).body;
  assert.equal(getText(getItems(lab.events)[0]?.mail), 'daily');
  await announce();
  assert.ok(!(await takeMails(service)).some(({ recipient }) => recipient === DEMO));
});

test('notifications: a client opens the page → there is no list of the lab, and its form is refused', async () => {
  const browser = await openSignedIn(service, memberId);
  const page = await browser.open(PAGE);
  assert.doesNotMatch(page.text, /mail:late_run/);
  const [, formToken = ''] = /name="form_token" value="([^"]+)"/.exec(page.text) ?? [];
  const refused = await browser.post(`${PAGE}/lab`, { form_token: formToken, 'mail:late_run': 'none' });
  assert.equal(refused.status, 403);
});

test('links in mails: opened signed out, and in another organization → after signing in and switching the page is there; a stranger gets 404', async () => {
  await choose({ delay: 'at_once' });
  await announce('materials.delayed');
  const { content } = findMailTo(await takeMails(service), MEMBER);
  const url = new URL(content?.action?.url ?? '');
  const path = url.pathname + url.search;
  const signedOut = await new Browser(service).open(path);
  assert.equal(signedOut.status, 401);
  assert.ok(signedOut.text.includes(`name="next" value="${path.replaceAll('&', '&amp;')}"`), signedOut.text);
  const stranger = await issueToken({ ownOrganization: true });
  const strangerId = getText((await ask('GET', '/whoami', { token: stranger })).body.user_id);
  assert.equal((await (await openSignedIn(service, strangerId)).open(path)).status, 404);
  const { body } = await ask('GET', '/whoami', { token: stranger });
  await database.read.query(
    `insert into memberships (organization_id, user_id, role, created_at) values ($1, $2, 'viewer', $3)`,
    [body.active_organization_id, memberId, clock.now()],
  );
  const browser = await openSignedIn(service, memberId);
  await browser.send(await browser.open('/organizations'), '/organizations/enter', {
    organization_id: getText(body.active_organization_id),
  });
  const offer = await browser.open(path);
  assert.match(offer.text, /Switch to <bdi>Demo organization<\/bdi>\?/);
  const moved = await browser.send(offer, '/organizations/enter');
  assert.equal(moved.location, `/experiments/${order.code}`);
  assert.equal((await browser.open(moved.location ?? '')).status, 200);
});

test('link_expired: a link after 400 days → 410, and before it works', async () => {
  const path = await takeStopPath();
  clock.advance(400 * DAY_MS);
  assert.equal((await stopAtOnce(path)).statusCode, 410);
});
