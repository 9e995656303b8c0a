/** What a hostile caller tries at the doors of tokens: one test per trick. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectFailure, expectStatus, listProblemPaths, UNKNOWN_ID } from '#testing/builders.ts';
import { readTokenId } from '#testing/requests.ts';
import { getItems, testService, getText, type TestAnswer } from '#testing/service.ts';

const service = await testService({ LOG_LEVEL: 'debug' });
const { ask, clock, issueToken, logLines, token: founderToken } = service;
const member = await issueToken({ role: 'member' });

interface Attempt {
  readonly by?: string;
  readonly token?: string;
  readonly parent?: string | null;
}

function attenuate(
  attenuation: unknown,
  { by = member, token = by, parent }: Attempt = {},
): Promise<TestAnswer> {
  const named = parent === undefined ? {} : { attenuated_parent_token_id: parent };
  return ask('POST', '/tokens/attenuate', { token: by, body: { token, name: 'x', attenuation, ...named } });
}

async function derive(attenuation: unknown, by = member): Promise<string> {
  return getText(expectStatus(await attenuate(attenuation, { by }), 201).body.token);
}

async function readPermissions(token: string): Promise<string> {
  return getItems((await ask('GET', '/whoami', { token })).body.permissions).length === 0 ? 'none' : 'some';
}

const afterItsParent = new Date(clock.now().getTime() + 365 * 24 * 3_600_000).toISOString();
const malformed: readonly [what: string, attenuation: unknown, path: string][] = [
  ['a misspelled limit', { alowed_actions: ['read'] }, 'attenuation.alowed_actions'],
  ['an unknown action', { allowed_actions: ['fly'] }, 'attenuation.allowed_actions.0'],
  ['an unknown resource', { allowed_resources: ['moon'] }, 'attenuation.allowed_resources.0'],
  ['an action in upper case', { allowed_actions: ['READ'] }, 'attenuation.allowed_actions.0'],
  ['a malformed organization id', { allowed_org_ids: ['mine'] }, 'attenuation.allowed_org_ids.0'],
  ['an empty list of actions', { allowed_actions: [] }, 'attenuation.allowed_actions'],
  ['an empty list of resources', { allowed_resources: [] }, 'attenuation.allowed_resources'],
  ['an empty list of organizations', { allowed_org_ids: [] }, 'attenuation.allowed_org_ids'],
  ['an empty list of experiments', { resource_ids: [] }, 'attenuation.resource_ids'],
  ['an invalid date', { expires_at: 'garbage' }, 'attenuation.expires_at'],
  ['a later end than the parent’s', { expires_at: afterItsParent }, 'attenuation.expires_at'],
  ['an end in the past', { expires_at: '2020-01-01T00:00:00Z' }, 'attenuation.expires_at'],
  ['a negative limit', { max_spend_cents: -1 }, 'attenuation.max_spend_cents'],
  ['a fraction of a cent', { max_spend_cents: 0.5 }, 'attenuation.max_spend_cents'],
  ['text instead of a boolean', { read_only: 'yes' }, 'attenuation.read_only'],
];

for (const [what, attenuation, path] of malformed) {
  test(`specification: ${what} → 400 names the field`, async () => {
    const refused = await attenuate(attenuation);
    assert.equal(refused.status, 400, refused.text);
    assert.deepEqual(listProblemPaths(refused), [path]);
  });
}

test('specification: null sets no limit, and another organization → no permission remains', async () => {
  const free = { allowed_actions: null, allowed_resources: null, allowed_org_ids: null, expires_at: null };
  assert.equal(
    await readPermissions(await derive({ ...free, resource_ids: null, max_spend_cents: null })),
    'some',
  );
  assert.equal(await readPermissions(await derive({ allowed_org_ids: [UNKNOWN_ID] })), 'none');
});

test('attenuation: a later step allows more → nothing comes back', async () => {
  const reading = await derive({ read_only: true });
  const wide = await derive({ read_only: false, allowed_actions: ['create', 'delete', 'read'] }, reading);
  const { permissions } = (await ask('GET', '/whoami', { token: wide })).body;
  assert.doesNotMatch(JSON.stringify(permissions), /:(create|delete|list)"/);
  expectFailure(await ask('POST', '/experiments', { token: wide, body: {} }), 403, 'permission_denied');
});

test('token of the body: of another person or organization, revoked or invalid → invalid_attenuation', async () => {
  const revoked = await issueToken({ role: 'member' });
  await ask('POST', '/tokens/revoke', { token: revoked });
  for (const token of [
    founderToken,
    await issueToken({ ownOrganization: true }),
    revoked,
    'asy_test_x',
    'a.b.c',
  ])
    expectFailure(await attenuate({}, { token }), 400, 'invalid_attenuation');
});

test('parent: an id that is not that of the token → invalid_attenuation', async () => {
  expectFailure(await attenuate({}, { parent: UNKNOWN_ID }), 400, 'invalid_attenuation');
  expectFailure(await attenuate({}, { parent: readTokenId(founderToken) }), 400, 'invalid_attenuation');
  expectStatus(await attenuate({}, { parent: null }), 201);
});

test('depth: eight derivations → made; the ninth → invalid_attenuation', async () => {
  let token = member;
  for (let depth = 0; depth < 8; depth++) token = await derive({}, token);
  expectStatus(await ask('GET', '/whoami', { token }), 200);
  expectFailure(await attenuate({}, { by: member, token }), 400, 'invalid_attenuation');
});

test('escape: a token without token:read derives, or a derived one makes a root → refused', async () => {
  const blind = await derive({ allowed_resources: ['experiment'] });
  expectFailure(await attenuate({}, { by: blind }), 403, 'permission_denied');
  const body = { name: 'x', role: 'viewer', expires_in: '7d' };
  const narrow = await derive({ max_spend_cents: 5 });
  expectFailure(await ask('POST', '/tokens', { token: narrow, body }), 403, 'token_restricted');
});

test('duplicate keys: allowed_actions twice in one body → the checked value holds', async () => {
  const attenuation = '{"allowed_actions":["list","read","create"],"allowed_actions":["list"]}';
  const payload = `{"token":"${member}","name":"x","attenuation":${attenuation}}`;
  const made = await ask('POST', '/tokens/attenuate', { token: member, payload });
  if (made.status === 400) return;
  const me = await ask('GET', '/whoami', { token: getText(expectStatus(made, 201).body.token) });
  assert.doesNotMatch(JSON.stringify(me.body.permissions), /:(create|read)"/);
});

test('token_malformed: a plain JWT → 401', async () => {
  const jws = founderToken.slice('asy_test_'.length, -6);
  expectFailure(await ask('GET', '/whoami', { token: jws }), 401, 'token_malformed');
});

test('elsewhere: a token in the query or in a cookie → 401', async () => {
  for (const [path, headers] of [
    [`/whoami?access_token=${member}&token=${member}`, {}],
    ['/whoami', { cookie: `access_token=${member}; assayer_session=${member}` }],
  ] as const) {
    const answer = await ask('GET', path, { token: null, headers });
    assert.equal(answer.status, 401, answer.text);
  }
});

test('two credentials: X-Service-Api-Key and Authorization → X-Service-Api-Key counts', async () => {
  const me = getText((await ask('GET', '/whoami', { token: member })).body.user_id);
  const both = { token: founderToken, headers: { 'x-service-api-key': member } };
  assert.equal((await ask('GET', '/whoami', both)).body.user_id, me);
  const bad = { token: founderToken, headers: { 'x-service-api-key': 'asy_test_x' } };
  expectFailure(await ask('GET', '/whoami', bad), 401, 'token_malformed');
});

test('secrets: all requests of this file → no token in the log', async () => {
  expectFailure(await attenuate({}, { token: `${member}x` }), 400, 'invalid_attenuation');
  assert.doesNotMatch(logLines.join('\n'), /asy_(test|live)_\w{20}/);
});
