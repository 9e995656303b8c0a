/** What a token that was narrowed tries in order to get back what was taken from it: one test per way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus } from '#testing/builders.ts';
import { readFormToken, openSignedIn } from '#testing/browser.ts';
import { OAuth } from '#testing/oauth.ts';
import { testService, getText } from '#testing/service.ts';

const service = await testService();
const { ask, clock, issueToken } = service;
const { database, founder } = service.service;
const build = await createBuilders(service);
const oauth = new OAuth(service);

async function derive(token: string, attenuation: object): Promise<string> {
  const body = { token, name: 'narrow', attenuation };
  return getText(expectStatus(await ask('POST', '/tokens/attenuate', { token, body }), 201).body.token);
}

async function countAdministrators(): Promise<number> {
  const [row] = await database.read.query<{ n: number }>(
    `select (select count(*) from memberships where role = 'admin')
       + (select count(*) from invitations where role = 'admin' and accepted_at is null and revoked_at is null) as n`,
  );
  return row?.n ?? 0;
}

test('token_restricted: a derived token that may only create people invites an administrator → 403', async () => {
  const narrow = await derive(await issueToken(), {
    max_spend_cents: 0,
    expires_at: new Date(clock.now().getTime() + 600_000).toISOString(),
    allowed_actions: ['create'],
    allowed_resources: ['user'],
  });
  const before = await countAdministrators();
  const body = { email: 'mine@example.org', role: 'admin' };
  const refused = await ask('POST', '/organization/invitations', { token: narrow, body });
  expectFailure(refused, 403, 'token_restricted');
  assert.match(getText(refused.body.error), /it was derived from another, and cannot invite anybody/);
  assert.equal(await countAdministrators(), before);
});

test('token_restricted: a derived token resends an invitation → 403', async () => {
  const id = await build.createInvitation();
  const narrow = await derive(await issueToken(), { allowed_actions: ['create'] });
  const answer = await ask('POST', `/organization/invitations/${id}/resend`, { token: narrow, body: {} });
  expectFailure(answer, 403, 'token_restricted');
});

test('token_restricted: a derived token makes a member administrator → 403', async () => {
  const member = await build.createMember();
  const narrow = await derive(await issueToken(), { non_destructive: true });
  const path = `/organization/members/${member}`;
  const answer = await ask('PATCH', path, { token: narrow, body: { role: 'admin' } });
  expectFailure(answer, 403, 'token_restricted');
  const [row] = await database.read.query('select role from memberships where user_id = $1', [member]);
  assert.deepEqual(row, { role: 'member' });
});

test('token_restricted: a token with a payment policy invites an administrator → 403', async () => {
  const admin = await issueToken();
  for (const policy of [{ methods: ['x402-exact'] }, { methods: ['x402-exact'], max_spend_cents: 5 }]) {
    const body = { name: 'machine', role: 'admin', expires_in: '7d', payment_policy: policy };
    const made = expectStatus(await ask('POST', '/tokens', { token: admin, body }), 201);
    const path = `/organization/members/${await build.createMember()}`;
    const answer = await ask('PATCH', path, { token: getText(made.body.token), body: { role: 'admin' } });
    expectFailure(answer, 403, 'token_restricted');
  }
});

test('token_restricted: a derived token of a partner mints a client token → 403', async () => {
  const partner = await issueToken({ isPartner: true });
  const narrow = await derive(partner, { allowed_actions: ['mint_token'], expires_at: addOneHour() });
  const body = {
    org: { type: 'new_org', name: 'Mine' },
    user: { email: 'client@example.org' },
    role: 'admin',
  };
  expectFailure(await ask('POST', '/partners/mint-token', { token: narrow, body }), 403, 'token_restricted');
});

function addOneHour(): string {
  return new Date(clock.now().getTime() + 3_600_000).toISOString();
}

test('permission_denied: a partner who is no longer administrator mints a token → 403', async () => {
  const partner = await issueToken({ isPartner: true });
  const userId = getText((await ask('GET', '/whoami', { token: partner })).body.user_id);
  await database.read.query(`update memberships set role = 'viewer' where user_id = $1`, [userId]);
  const body = { org: { type: 'new_org', name: 'Theirs' }, user: { email: 'theirs@example.org' } };
  const answer = await ask('POST', '/partners/mint-token', { token: partner, body });
  expectFailure(answer, 403, 'permission_denied');
});

test('token_restricted: a program over OAuth gives rights or makes tokens → refused', async () => {
  const browser = await oauth.openBrowser();
  const { access } = await oauth.redeemTokens(await oauth.runDance(browser));
  const member = await build.createMember();
  const before = await countAdministrators();
  const calls: readonly (readonly [string, object])[] = [
    ['invite_member', { email: 'agent@example.org', role: 'admin' }],
    ['resend_invitation', { invitation_id: await build.createInvitation() }],
    ['change_member_role', { user_id: member, role: 'admin' }],
    ['create_token', { name: 'x', role: 'viewer', expires_in: '7d' }],
    ['attenuate_token', { token: service.token, name: 'x', attenuation: {} }],
  ];
  for (const [tool, args] of calls) {
    const answer = await oauth.call(access, tool, args);
    assert.match(answer.text, /token_restricted/, `${tool}: ${answer.text}`);
    assert.match(answer.text, /admitted over OAuth/, tool);
  }
  assert.equal(await countAdministrators(), before);
});

test('tools/list: a restricted token, or a program over OAuth → shows no tool that gives rights', async () => {
  const admin = await issueToken({ isPartner: true });
  const { access } = await oauth.redeemTokens(await oauth.runDance(await oauth.openBrowser()));
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const readShown = async (token: string): Promise<string[]> => {
    const answer = await service.service.app.inject({
      method: 'POST',
      url: '/mcp/',
      headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' },
      payload: message,
    });
    const names = ['invite_member', 'change_member_role', 'create_token', 'mint_token', 'attenuate_token'];
    return names.filter((name) => answer.body.includes(`"name":"${name}"`));
  };
  assert.equal((await readShown(admin)).length, 5);
  assert.deepEqual(await readShown(await derive(admin, {})), ['attenuate_token']);
  assert.deepEqual(await readShown(access), []);
});

test('permission_denied: a program over OAuth revokes tokens → only its own ends, and nobody is signed out', async () => {
  const browser = await oauth.openBrowser();
  const { access } = await oauth.redeemTokens(await oauth.runDance(browser));
  const own = await issueToken();
  const other = await oauth.call(access, 'revoke_token_by_id', { token_id: readId(own) });
  assert.match(other.text, /permission_denied|unknown|not found/i);
  assert.match((await oauth.call(access, 'revoke_token')).text, /"children_revoked":0/);
  assert.equal((await oauth.call(access)).status, 401);
  expectStatus(await ask('GET', '/whoami', { token: own }), 200);
  assert.equal((await browser.open('/account')).status, 200);
});

function readId(token: string): string {
  const [, payload = ''] = token.split('.');
  return getText(JSON.parse(Buffer.from(payload, 'base64url').toString()).tid);
}

test('pages: a token in the header instead of a session → 401 at every page that gives rights', async () => {
  const browser = await openSignedIn(service);
  const form = await readFormToken(browser);
  const before = await countAdministrators();
  for (const [path, fields] of [
    ['/oauth/consent', { intent: 'allow', oauth_query: 'client_id=x' }],
    [
      '/device/decision',
      { intent: 'approve', user_code: 'BBBB-BBBB', scope: `${founder.organizationId}:admin` },
    ],
    ['/organization/invite', { email: 'page@example.org', role: 'admin' }],
    ['/organization/tokens/create', { name: 'x', role: 'admin', expires_in: '1y' }],
  ] as const) {
    const answer = await service.service.app.inject({
      method: 'POST',
      url: path,
      headers: {
        authorization: `Bearer ${service.token}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams({ ...fields, form_token: form }).toString(),
    });
    assert.equal(answer.statusCode, 401, path);
  }
  assert.equal(await countAdministrators(), before);
});
