/** RFC 8628: a program without a browser is let in by a person, and by nobody else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '#core/clock.ts';
import { parseUserCode, createUserCode } from '#features/people/devices/rules.ts';
import { expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { Browser, readFormToken, openSignedIn } from '#testing/browser.ts';
import { readTokenId } from '#testing/requests.ts';
import { getItems, getNumber, testService, getText, type TestAnswer } from '#testing/service.ts';

const service = await testService();
const { ask, clock, issueToken, logLines } = service;
const { founder, database } = service.service;
const person = await openSignedIn(service);

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const CLIENT = { client_id: 'assayer-cli' };
const postForm = (
  path: string,
  fields: Readonly<Record<string, string>>,
  type = 'application/x-www-form-urlencoded',
) =>
  ask('POST', `/${path}`, {
    token: null,
    payload: new URLSearchParams(fields).toString(),
    headers: { 'content-type': type },
  });

async function begin(deviceName = 'laptop'): Promise<{ deviceCode: string; userCode: string }> {
  // Past the allowance of an address.
  clock.advance(60_000);
  const begun = expectStatus(
    await postForm('/device/authorization', { ...CLIENT, device_name: deviceName }),
    200,
  );
  assert.equal(begun.headers['cache-control'], 'no-store');
  return { deviceCode: getText(begun.body.device_code), userCode: getText(begun.body.user_code) };
}

function poll(deviceCode: string): Promise<TestAnswer> {
  clock.advance(6_000);
  return postForm('/device/token', { ...CLIENT, grant_type: GRANT, device_code: deviceCode });
}

async function decide(
  userCode: string,
  intent: 'approve' | 'deny',
  { by = person, scope = `${founder.organizationId}:member`, lifetime = '30d' } = {},
) {
  clock.advance(60_000);
  const fields = { form_token: await readFormToken(by), user_code: userCode, intent, scope, lifetime };
  return by.post('/device/decision', fields);
}

function expectRefusal(answer: TestAnswer, error: string, status = 400): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.body.error, error, answer.text);
}

test('device login: the person approves → the program gets one token of the chosen role, listed and revocable', async () => {
  const { deviceCode, userCode } = await begin('laptop-7');
  assert.match(userCode, /^[B-Z]{4}-[B-Z]{4}$/);
  expectRefusal(await poll(deviceCode), 'authorization_pending');
  const page = await person.open(`/device?user_code=${userCode}`);
  assert.equal(page.status, 200);
  for (const shown of [userCode, 'laptop-7', '127.0.0.1', 'Demo organization', 'viewer', 'admin'])
    assert.ok(page.text.includes(shown), shown);
  const approved = await decide(userCode, 'approve', { scope: `${founder.organizationId}:viewer` });
  assert.match(approved.text, /Access granted/);

  const granted = expectStatus(await poll(deviceCode), 200);
  const token = getText(granted.body.access_token);
  assert.equal(granted.body.token_type, 'Bearer');
  assert.equal(getNumber(granted.body.expires_in), (30 * DAY_MS) / 1_000);
  const me = expectStatus(await ask('GET', '/whoami', { token }), 200);
  assert.ok(me.text.includes('experiment:read') && !me.text.includes('experiment:create'));
  const listed = expectStatus(await ask('GET', `/tokens?filter=eq(id,${readTokenId(token)})`), 200);
  const [row] = getItems(listed.body.items);
  assert.equal(row?.name, 'Command line on laptop-7');
  assert.equal(row?.kind, 'root');

  // A second poll gets nothing, and the token that was given goes on.
  expectRefusal(await poll(deviceCode), 'invalid_grant');
  expectStatus(await ask('GET', '/whoami', { token }), 200);
  expectStatus(await ask('POST', `/tokens/${readTokenId(token)}/revoke`, { body: {} }), 200);
  expectFailure(await ask('GET', '/whoami', { token }), 401, 'token_revoked');

  const trail = expectStatus(await ask('GET', '/audit?search=device_login&sort=asc(created_at)'), 200);
  assert.deepEqual(
    getItems(trail.body.items).map(({ operation, actor }) => [operation, actor]),
    [
      ['approve_device_login', 'demo@example.org'],
      ['redeem_device_login', 'demo@example.org'],
    ],
  );
  assert.doesNotMatch(logLines.join('\n'), new RegExp(`${deviceCode}|${userCode}`));
});

test('device login: five polls at once → one token', async () => {
  const { deviceCode, userCode } = await begin();
  await decide(userCode, 'approve');
  const answers = await Promise.all(Array.from({ length: 5 }, () => poll(deviceCode)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
});

test('access_denied: the person refuses → the program is told, and no later approval counts', async () => {
  const { deviceCode, userCode } = await begin();
  assert.match((await decide(userCode, 'deny')).text, /Access denied/);
  expectRefusal(await poll(deviceCode), 'access_denied');
  assert.equal((await decide(userCode, 'approve')).status, 404);
  expectRefusal(await poll(deviceCode), 'access_denied');
});

test('expired_token: ten minutes pass → nothing can be approved or fetched', async () => {
  const [late, approved] = [await begin(), await begin()];
  await decide(approved.userCode, 'approve');
  clock.advance(600_000);
  assert.equal((await person.open(`/device?user_code=${late.userCode}`)).status, 404);
  assert.equal((await decide(late.userCode, 'approve')).status, 404);
  expectRefusal(await poll(late.deviceCode), 'expired_token');
  expectRefusal(await poll(approved.deviceCode), 'expired_token');
});

test('slow_down: a program polls too early → it has to wait five seconds longer each time', async () => {
  const { deviceCode } = await begin();
  const now = () => postForm('/device/token', { ...CLIENT, grant_type: GRANT, device_code: deviceCode });
  expectRefusal(await now(), 'authorization_pending');
  clock.advance(4_000);
  expectRefusal(await now(), 'slow_down');
  clock.advance(9_000);
  expectRefusal(await now(), 'slow_down');
  clock.advance(15_000);
  expectRefusal(await now(), 'authorization_pending');
});

test('device forms: what RFC 8628 does not allow → the error code of the RFC', async () => {
  const { deviceCode } = await begin();
  const fields = { ...CLIENT, grant_type: GRANT, device_code: deviceCode };
  expectRefusal(await postForm('/device/token', fields, 'application/json'), 'invalid_request');
  expectRefusal(
    await postForm('/device/token', { ...fields, grant_type: 'password' }),
    'unsupported_grant_type',
  );
  expectRefusal(await postForm('/device/token', { ...fields, client_id: 'other' }), 'invalid_client', 401);
  expectRefusal(
    await postForm('/device/token', { ...fields, device_code: `${deviceCode}x` }),
    'invalid_grant',
  );
  expectRefusal(await postForm('/device/token', { ...fields, device_code: '' }), 'invalid_grant');
  expectRefusal(await postForm('/device/authorization', { client_id: 'other' }), 'invalid_client', 401);
  const twice = await ask('POST', '//device/token', {
    token: null,
    payload: `${new URLSearchParams(fields).toString()}&device_code=x`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expectRefusal(twice, 'invalid_request');
});

test('request forgery: another site, another session or no form token → nothing is decided', async () => {
  const { deviceCode, userCode } = await begin();
  const fields = {
    user_code: userCode,
    intent: 'approve',
    scope: `${founder.organizationId}:member`,
    lifetime: '30d',
  };
  const own = await readFormToken(person);
  const other = await openSignedIn(service);
  const attempts: readonly (readonly [Browser, Record<string, string>, string])[] = [
    [person, { ...fields, form_token: own }, 'cross-site'],
    [person, { ...fields, form_token: own }, 'same-site'],
    [person, fields, 'same-origin'],
    [person, { ...fields, form_token: await readFormToken(other) }, 'same-origin'],
  ];
  for (const [browser, sent, site] of attempts)
    assert.equal((await browser.post('/device/decision', sent, { 'sec-fetch-site': site })).status, 400);
  const nobody = new Browser(service);
  assert.notEqual((await nobody.open(`/device?user_code=${userCode}`)).status, 200);
  assert.equal((await nobody.post('/device/decision', { ...fields, form_token: own })).status, 401);
  expectRefusal(await poll(deviceCode), 'authorization_pending');
});

test('guessing: one person tries many codes → 429 after ten', async () => {
  clock.advance(600_000);
  const statuses = [];
  for (let attempt = 0; attempt < 12; attempt++)
    statuses.push((await person.open('/device?user_code=BBBB-BBBB')).status);
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 404), 429, 429]);
});

test('flood: one address asks for many codes → 429 after ten', async () => {
  clock.advance(600_000);
  const statuses = [];
  for (let attempt = 0; attempt < 12; attempt++)
    statuses.push((await postForm('/device/authorization', CLIENT)).status);
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 200), 429, 429]);
});

test('approval: a role or organization beyond that of the person → refused', async () => {
  clock.advance(600_000);
  const token = await issueToken({ role: 'member' });
  const { body: me } = await ask('GET', '/whoami', { token });
  const userId = getText(me.user_id);
  const by = await openSignedIn(service, userId);
  const { deviceCode, userCode } = await begin();
  const page = await by.open(`/device?user_code=${userCode}`);
  assert.ok(!page.text.includes(':admin"') && !page.text.includes(':billing"'));
  for (const scope of [
    `${founder.organizationId}:admin`,
    `${founder.organizationId}:billing`,
    `${UNKNOWN_ID}:viewer`,
    'nonsense',
    '',
  ])
    assert.ok((await decide(userCode, 'approve', { by, scope })).status >= 400, scope);
  assert.equal((await decide(userCode, 'approve', { by, lifetime: '10y' })).status, 400);
  expectRefusal(await poll(deviceCode), 'authorization_pending');
});

test('approval: the person is demoted before the program fetches its token → the token has the lower role', async () => {
  const token = await issueToken({ role: 'admin' });
  const { body: me } = await ask('GET', '/whoami', { token });
  const userId = getText(me.user_id);
  const by = await openSignedIn(service, userId);
  const { deviceCode, userCode } = await begin();
  assert.equal(
    (await decide(userCode, 'approve', { by, scope: `${founder.organizationId}:admin` })).status,
    200,
  );
  await database.read.query(`update memberships set role = 'viewer' where user_id = $1`, [userId]);
  const granted = expectStatus(await poll(deviceCode), 200);
  const left = await ask('GET', '/whoami', { token: getText(granted.body.access_token) });
  assert.ok(!left.text.includes('experiment:create'));
});

test('device name: markup, control characters or 200 characters → one short line of text', async () => {
  const { userCode } = await begin(`<script>alert(1)</script>\u202e\n${'x'.repeat(200)}`);
  const page = await person.open(`/device?user_code=${userCode}`);
  assert.ok(page.text.includes('&lt;script&gt;') && !page.text.includes('<script'));
  assert.ok(!page.text.includes('\u202e') && !page.text.includes('x'.repeat(80)));
});

test('user codes: random bytes, and codes as people type them → unbiased letters, and every spelling is read', () => {
  assert.equal(createUserCode(Uint8Array.from({ length: 16 }, () => 255)), undefined);
  assert.equal(createUserCode(Uint8Array.of(0, 19, 20, 239, 240, 1, 2, 3, 4, 5)), 'BZBZCDFG');
  for (const typed of ['bcdf-ghjk', 'BCDFGHJK', ' bcdf ghjk '])
    assert.equal(parseUserCode(typed), 'BCDFGHJK');
  for (const typed of ['', 'BCDF-GHJ', 'BCDF-GHJA', 'BCDF-GHJKL', 'BCDF-GH1K'])
    assert.equal(parseUserCode(typed), undefined);
});
