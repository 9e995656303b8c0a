import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builders, expectFailure, expectStatus, problemPaths, UNKNOWN_ID } from '#testing/builders.ts';
import { proveCoverage, recordedService } from '#testing/recorder.ts';
import { itemsOf, numberOf, testService, textOf } from '#testing/service.ts';

const service = await recordedService();
const { ask, newToken, clock } = service;
const build = await builders(service);
const withoutMail = await recordedService({ ENVIRONMENT: 'live' });

const invite = (email: string, role = 'member') =>
  ask('POST', '/organization/invitations', { body: { email, role } });

async function idOfCaller(token: string): Promise<string> {
  return textOf((await ask('GET', '/whoami', { token })).body.user_id);
}

test('list_members: everybody with their role, and a filter on it', async () => {
  const id = await build.member();
  const listed = expectStatus(await ask('GET', '/organization/members?role=member'), 200);
  assert.ok(
    itemsOf(listed.body.items).some(
      (member) => textOf(member.user_id) === id && textOf(member.role) === 'member',
    ),
  );
  expectFailure(await ask('GET', '/organization/members?filter=eq(password,x)'), 400, 'invalid_query');
});

test('change_member_role: the next request of the member’s token has the new role at most', async () => {
  const token = await newToken({ role: 'member' });
  const path = `/organization/members/${await idOfCaller(token)}`;
  const changed = expectStatus(await ask('PATCH', path, { body: { role: 'viewer' } }), 200);
  assert.equal(changed.body.role, 'viewer');
  const refused = await ask('POST', '/tokens', {
    token,
    body: { name: 'x', role: 'viewer', expires_in: '7d' },
  });
  expectFailure(refused, 403, 'permission_denied');
});

test('remove_member: ends the tokens of the member here, derived ones included, and says how many', async () => {
  const token = await newToken({ role: 'member' });
  const body = { token, name: 'child', attenuation: {} };
  const child = textOf((await ask('POST', '/tokens/attenuate', { token, body })).body.token);
  const path = `/organization/members/${await idOfCaller(token)}`;
  const removed = expectStatus(await ask('DELETE', path), 200);
  assert.equal(removed.body.tokens_revoked, 2);
  for (const dead of [token, child])
    expectFailure(await ask('GET', '/whoami', { token: dead }), 401, 'token_revoked');
  expectFailure(await ask('DELETE', path), 404, 'member_not_found');
});

test('member_not_found: an unknown person, and one of another organization', async () => {
  const stranger = await idOfCaller(await newToken({ ownOrganization: true }));
  for (const id of [UNKNOWN_ID, stranger]) {
    const path = `/organization/members/${id}`;
    expectFailure(await ask('PATCH', path, { body: { role: 'viewer' } }), 404, 'member_not_found');
    expectFailure(await ask('DELETE', path), 404, 'member_not_found');
  }
});

test('last_administrator: can neither be demoted nor removed, also when two do it to each other at once', async () => {
  const token = await newToken({ ownOrganization: true });
  const path = `/organization/members/${await idOfCaller(token)}`;
  const demotion = { token, body: { role: 'viewer' } };
  expectFailure(await ask('PATCH', path, demotion), 409, 'last_administrator');
  expectFailure(await ask('DELETE', path, { token }), 409, 'last_administrator');
  expectStatus(await ask('PATCH', path, { token, body: { role: 'admin' } }), 200);

  const alone = await testService();
  const second = await alone.newToken({ role: 'admin' });
  const whoami = async (bearer: string) =>
    textOf((await alone.ask('GET', '/whoami', { token: bearer })).body.user_id);
  const [one, two] = [await whoami(alone.token), await whoami(second)];
  const answers = await Promise.all([
    alone.ask('PATCH', `/organization/members/${two}`, { token: alone.token, body: { role: 'viewer' } }),
    alone.ask('PATCH', `/organization/members/${one}`, { token: second, body: { role: 'viewer' } }),
  ]);
  const statuses = answers.map(({ status }) => status);
  assert.ok(statuses.includes(200) && statuses.some((status) => status >= 400), statuses.join(' '));
  const admins = await alone.service.database.read.query(
    `select user_id from memberships where role = 'admin'`,
  );
  assert.equal(admins.length, 1);
});

test('invite_member: an open invitation whose secret is in the mail alone', async () => {
  const invited = expectStatus(await invite(' Guest@Example.org '), 201);
  assert.equal(invited.body.email, 'guest@example.org');
  assert.equal(invited.body.status, 'open');
  const [mail] = await service.service.database.read.query<{ content: { action: { url: string } } }>(
    `select content from mails where recipient = 'guest@example.org'`,
  );
  const secret = mail?.content.action.url.split('/').at(-1) ?? '';
  assert.ok(secret.length > 30 && !invited.text.includes(secret));
  expectFailure(await invite('guest@example.org'), 409, 'already_invited');
  const listed = expectStatus(await ask('GET', '/organization/invitations?email=guest@example.org'), 200);
  assert.equal(numberOf(listed.body.total), 1);
  assert.ok(!listed.text.includes(secret));
});

test('invite_member: an expired invitation makes room for a new one', async () => {
  expectStatus(await invite('later@example.org'), 201);
  clock.advance(7 * 86_400_000);
  const listed = await ask('GET', '/organization/invitations?email=later@example.org');
  assert.equal(textOf(itemsOf(listed.body.items)[0]?.status), 'expired');
  expectStatus(await invite('later@example.org'), 201);
});

test('invite_member: refuses what is no address, and members', async () => {
  for (const email of [
    'nonsense',
    'a b@example.org',
    'a@',
    'a@example.org\r\nBcc: x@example.org',
    '<a@example.org>',
  ])
    assert.deepEqual(
      problemPaths(expectFailure(await invite(email), 400, 'invalid_request')),
      ['email'],
      email,
    );
  expectFailure(await invite('demo@example.org'), 409, 'already_member');
});

test('list_invitations: a filter on a field that it does not have is refused', async () => {
  expectFailure(await ask('GET', '/organization/invitations?filter=eq(digest,x)'), 400, 'invalid_query');
});

test('resend_invitation: a new link, and the one before stops working; not twice within a minute', async () => {
  const made = expectStatus(await invite('again@example.org'), 201);
  const path = `/organization/invitations/${textOf(made.body.id)}/resend`;
  expectFailure(await ask('POST', path, { body: {} }), 429, 'invitation_too_soon');
  clock.advance(60_000);
  expectStatus(await ask('POST', path, { body: {} }), 200);
  const mails = await service.service.database.read.query<{ content: { action: { url: string } } }>(
    `select content from mails where recipient = 'again@example.org' order by id`,
  );
  const statuses = await Promise.all(
    mails.map(async ({ content }) => (await ask('GET', `/${new URL(content.action.url).pathname}`)).status),
  );
  assert.deepEqual(statuses, [410, 200]);
});

test('revoke_invitation: the link stops working, and the invitation is closed', async () => {
  const made = expectStatus(await invite('never@example.org'), 201);
  const path = `/organization/invitations/${textOf(made.body.id)}`;
  assert.equal(expectStatus(await ask('DELETE', path), 200).body.status, 'revoked');
  expectFailure(await ask('DELETE', path), 409, 'invitation_closed');
  expectFailure(await ask('POST', `${path}/resend`, { body: {} }), 409, 'invitation_closed');
  const [mail] = await service.service.database.read.query<{ content: { action: { url: string } } }>(
    `select content from mails where recipient = 'never@example.org'`,
  );
  assert.equal((await ask('GET', `/${new URL(mail?.content.action.url ?? '').pathname}`)).status, 410);
});

test('invitation_not_found: an unknown one, and one of another organization', async () => {
  const token = await newToken({ ownOrganization: true });
  for (const [id, options] of [
    [UNKNOWN_ID, {}],
    [await build.invitation(), { token }],
  ] as const) {
    const path = `/organization/invitations/${id}`;
    expectFailure(await ask('DELETE', path, options), 404, 'invitation_not_found');
    expectFailure(await ask('POST', `${path}/resend`, { ...options, body: {} }), 404, 'invitation_not_found');
  }
});

test('mail_not_served: without a mail server nobody is invited', async () => {
  const body = { email: 'guest@example.org', role: 'member' };
  expectFailure(await withoutMail.ask('POST', '/organization/invitations', { body }), 501, 'mail_not_served');
  const path = `/organization/invitations/${UNKNOWN_ID}/resend`;
  expectFailure(await withoutMail.ask('POST', path, { body: {} }), 501, 'mail_not_served');
});

proveCoverage('organization');
