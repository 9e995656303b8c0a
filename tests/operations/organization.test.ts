import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createBuilders,
  expectFailure,
  expectStatus,
  listProblemPaths,
  UNKNOWN_ID,
} from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getNumber, testService, getText } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken, clock } = service;
const build = await createBuilders(service);
const withoutMail = await createRecordedService({ ENVIRONMENT: 'live' });

const invite = (email: string, role = 'member') =>
  ask('POST', '/organization/invitations', { body: { email, role } });

async function readCallerId(token: string): Promise<string> {
  return getText((await ask('GET', '/whoami', { token })).body.user_id);
}

test('list_members: filter by role → the members with that role; by an unknown field → 400', async () => {
  const id = await build.createMember();
  const listed = expectStatus(await ask('GET', '/organization/members?role=member'), 200);
  assert.ok(
    getItems(listed.body.items).some(
      (member) => getText(member.user_id) === id && getText(member.role) === 'member',
    ),
  );
  expectFailure(await ask('GET', '/organization/members?filter=eq(password,x)'), 400, 'invalid_query');
});

test('change_member_role: a member becomes viewer → the next request of the member’s token is refused', async () => {
  const token = await issueToken({ role: 'member' });
  const path = `/organization/members/${await readCallerId(token)}`;
  const changed = expectStatus(await ask('PATCH', path, { body: { role: 'viewer' } }), 200);
  assert.equal(changed.body.role, 'viewer');
  const refused = await ask('POST', '/tokens', {
    token,
    body: { name: 'x', role: 'viewer', expires_in: '7d' },
  });
  expectFailure(refused, 403, 'permission_denied');
});

test('remove_member: a member with a derived token → both tokens are revoked and counted', async () => {
  const token = await issueToken({ role: 'member' });
  const body = { token, name: 'child', attenuation: {} };
  const child = getText((await ask('POST', '/tokens/attenuate', { token, body })).body.token);
  const path = `/organization/members/${await readCallerId(token)}`;
  const removed = expectStatus(await ask('DELETE', path), 200);
  assert.equal(removed.body.tokens_revoked, 2);
  for (const dead of [token, child])
    expectFailure(await ask('GET', '/whoami', { token: dead }), 401, 'token_revoked');
  expectFailure(await ask('DELETE', path), 404, 'member_not_found');
});

test('member_not_found: an unknown person, or one of another organization → 404', async () => {
  const stranger = await readCallerId(await issueToken({ ownOrganization: true }));
  for (const id of [UNKNOWN_ID, stranger]) {
    const path = `/organization/members/${id}`;
    expectFailure(await ask('PATCH', path, { body: { role: 'viewer' } }), 404, 'member_not_found');
    expectFailure(await ask('DELETE', path), 404, 'member_not_found');
  }
});

test('last_administrator: the last one is demoted or removed, also by two at once → 409, and one remains', async () => {
  const token = await issueToken({ ownOrganization: true });
  const path = `/organization/members/${await readCallerId(token)}`;
  const demotion = { token, body: { role: 'viewer' } };
  expectFailure(await ask('PATCH', path, demotion), 409, 'last_administrator');
  expectFailure(await ask('DELETE', path, { token }), 409, 'last_administrator');
  expectStatus(await ask('PATCH', path, { token, body: { role: 'admin' } }), 200);

  const alone = await testService();
  const second = await alone.issueToken({ role: 'admin' });
  const whoami = async (bearer: string) =>
    getText((await alone.ask('GET', '/whoami', { token: bearer })).body.user_id);
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

test('invite_member: a new address → an open invitation whose secret is only in the mail', async () => {
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
  assert.equal(getNumber(listed.body.total), 1);
  assert.ok(!listed.text.includes(secret));
});

test('invite_member: the earlier invitation has expired → a new one is allowed', async () => {
  expectStatus(await invite('later@example.org'), 201);
  clock.advance(7 * 86_400_000);
  const listed = await ask('GET', '/organization/invitations?email=later@example.org');
  assert.equal(getText(getItems(listed.body.items)[0]?.status), 'expired');
  expectStatus(await invite('later@example.org'), 201);
});

test('invite_member: a malformed address or a member → refused', async () => {
  for (const email of [
    'nonsense',
    'a b@example.org',
    'a@',
    'a@example.org\r\nBcc: x@example.org',
    '<a@example.org>',
  ])
    assert.deepEqual(
      listProblemPaths(expectFailure(await invite(email), 400, 'invalid_request')),
      ['email'],
      email,
    );
  expectFailure(await invite('demo@example.org'), 409, 'already_member');
});

test('invalid_query: invitations are filtered by an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/organization/invitations?filter=eq(digest,x)'), 400, 'invalid_query');
});

test('resend_invitation: a minute later → a new link, and the old one stops; within the minute → 429', async () => {
  const made = expectStatus(await invite('again@example.org'), 201);
  const path = `/organization/invitations/${getText(made.body.id)}/resend`;
  const early = expectFailure(await ask('POST', path, { body: {} }), 429, 'invitation_too_soon');
  assert.equal(early.headers['retry-after'], '60');
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

test('revoke_invitation: an open invitation → its link stops and it is closed', async () => {
  const made = expectStatus(await invite('never@example.org'), 201);
  const path = `/organization/invitations/${getText(made.body.id)}`;
  assert.equal(expectStatus(await ask('DELETE', path), 200).body.status, 'revoked');
  expectFailure(await ask('DELETE', path), 409, 'invitation_closed');
  expectFailure(await ask('POST', `${path}/resend`, { body: {} }), 409, 'invitation_closed');
  const [mail] = await service.service.database.read.query<{ content: { action: { url: string } } }>(
    `select content from mails where recipient = 'never@example.org'`,
  );
  assert.equal((await ask('GET', `/${new URL(mail?.content.action.url ?? '').pathname}`)).status, 410);
});

test('invitation_not_found: an unknown invitation, or one of another organization → 404', async () => {
  const token = await issueToken({ ownOrganization: true });
  for (const [id, options] of [
    [UNKNOWN_ID, {}],
    [await build.createInvitation(), { token }],
  ] as const) {
    const path = `/organization/invitations/${id}`;
    expectFailure(await ask('DELETE', path, options), 404, 'invitation_not_found');
    expectFailure(await ask('POST', `${path}/resend`, { ...options, body: {} }), 404, 'invitation_not_found');
  }
});

test('mail_not_served: an invitation without a mail server → 501', async () => {
  const body = { email: 'guest@example.org', role: 'member' };
  expectFailure(await withoutMail.ask('POST', '/organization/invitations', { body }), 501, 'mail_not_served');
  const path = `/organization/invitations/${UNKNOWN_ID}/resend`;
  expectFailure(await withoutMail.ask('POST', path, { body: {} }), 501, 'mail_not_served');
});

test('invite_member: delivery link without a mail server → the link once; renewed → the earlier one stops', async () => {
  const body = { email: 'hand@example.org', role: 'viewer', delivery: 'link' };
  const made = expectStatus(await withoutMail.ask('POST', '/organization/invitations', { body }), 201);
  const first = new URL(getText(made.body.link)).pathname;
  const listed = await withoutMail.ask('GET', '/organization/invitations?email=hand@example.org');
  assert.equal(getItems(listed.body.items)[0]?.delivery, 'link');
  assert.ok(!listed.text.includes(first));
  const path = `/organization/invitations/${getText(made.body.id)}/resend`;
  const renewed = expectStatus(await withoutMail.ask('POST', path, { body: { delivery: 'link' } }), 200);
  const second = new URL(getText(renewed.body.link)).pathname;
  const open = async (url: string) => (await withoutMail.service.app.inject({ url })).statusCode;
  assert.deepEqual([await open(first), await open(second)], [410, 200]);
  const { body: trail } = await withoutMail.ask('GET', '/audit?filter=eq(operation,invite_member)');
  const [entry] = getItems(trail.items);
  assert.deepEqual(entry?.details, { email: 'hand@example.org', role: 'viewer', delivery: 'link' });
  assert.ok(!JSON.stringify(trail).includes(first.slice(13)));
});

test('token_restricted: a derived token invites by a link to copy → 403, and no invitation is made', async () => {
  const { body: derived } = expectStatus(
    await ask('POST', '/tokens/attenuate', {
      body: { token: service.token, name: 'derived', attenuation: { non_destructive: true } },
    }),
    201,
  );
  const body = { email: 'never-made@example.org', role: 'viewer', delivery: 'link' };
  const refused = await ask('POST', '/organization/invitations', { token: getText(derived.token), body });
  expectFailure(refused, 403, 'token_restricted');
  const listed = await ask('GET', '/organization/invitations?email=never-made@example.org');
  assert.equal(listed.body.total, 0);
});

proveCoverage('organization');
