import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectFailure, expectStatus, listProblemPaths, UNKNOWN_ID } from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getText, type Ask } from '#testing/service.ts';

const DAY_MS = 86_400_000;
const { ask, clock, issueToken, service } = await createRecordedService();
const token = await issueToken({ ownOrganization: true, isPartner: true });
const other = await issueToken({ ownOrganization: true, isPartner: true });

let people = 0;
const createPerson = () => ({ email: `scientist-${++people}@client.example`, name: 'A Scientist' });
const createNewOrg = (name = 'Client Biologics') => ({ type: 'new_org', name });
const mint = (fields: object = {}, options: Ask = {}) =>
  ask('POST', '/partners/mint-token', {
    token,
    ...options,
    body: { org: createNewOrg(), user: createPerson(), ...fields },
  });
const addDays = (days: number) => new Date(clock.now().getTime() + days * DAY_MS).toISOString();

test('permission_denied: the holder of a minted admin token is appointed to the staff → the token has no right in the lab', async () => {
  const email = 'appointed@example.org';
  const minted = expectStatus(await mint({ user: { email }, role: 'admin' }), 201);
  expectStatus(await ask('POST', '/lab/staff', { body: { email, roles: ['manager'] } }), 201);
  const token = getText(minted.body.token);
  expectFailure(await ask('GET', '/lab/staff', { token }), 403, 'permission_denied');
  expectFailure(await ask('GET', '/lab/experiments', { token }), 403, 'permission_denied');
});

test('mint_token: a new organization → a token of a new member for 90 days', async () => {
  const minted = expectStatus(await mint(), 201);
  assert.equal(minted.body.expires_at, addDays(90));
  const { body: me } = expectStatus(await ask('GET', '/whoami', { token: getText(minted.body.token) }), 200);
  const [organization, ...others] = getItems(me.organizations);
  assert.equal(others.length, 0);
  assert.equal(me.user_id, minted.body.user_id);
  assert.equal(me.active_organization_id, minted.body.organization_id);
  assert.equal(me.token_expires_at, minted.body.expires_at);
  assert.equal(organization?.name, 'Client Biologics');
  assert.equal(organization?.role, 'member');
  const permissions = new Set(getItems(me.permissions).map(getText));
  assert.ok(permissions.has('experiment:create'));
  assert.ok(!permissions.has('partner:mint_token'));
});

test('mint_token: an existing organization of the partner → further users of any role', async () => {
  const first = expectStatus(await mint(), 201);
  const org = { type: 'existing_org', organization_id: first.body.organization_id };
  for (const role of ['viewer', 'member', 'billing', 'admin']) {
    const further = expectStatus(await mint({ org, role, expires_at: addDays(365) }), 201);
    assert.equal(further.body.organization_id, first.body.organization_id);
    assert.equal(further.body.expires_at, addDays(365));
    const { body: me } = await ask('GET', '/whoami', { token: getText(further.body.token) });
    assert.equal(getItems(me.organizations)[0]?.role, role);
  }
});

test('mint_token: organizations with the same name → different short codes', async () => {
  const slugs = new Set<string>();
  for (const name of ['Twin', 'Twin', 'Twin', '株式会社', '株式会社', 'Édes', 'X']) {
    const { body } = expectStatus(await mint({ org: createNewOrg(name) }), 201);
    const [row] = await service.database.read.query<{ slug: string }>(
      'select slug from organizations where id = $1',
      [body.organization_id],
    );
    slugs.add(row?.slug ?? '');
  }
  assert.equal(slugs.size, 7);
  for (const slug of slugs) assert.match(slug, /^[A-Z0-9]{2,8}$/);
});

test('organization_not_found: an organization that is not the partner’s own → the same 404 as an unknown one', async () => {
  const theirs = expectStatus(await mint({}, { token: other }), 201);
  for (const id of [UNKNOWN_ID, service.founder.organizationId, getText(theirs.body.organization_id)]) {
    const org = { type: 'existing_org', organization_id: id };
    expectFailure(await mint({ org }), 404, 'organization_not_found');
  }
});

test('user_already_exists: a known address in another case → 409 and nothing is created', async () => {
  const user = createPerson();
  expectStatus(await mint({ user }), 201);
  const count = async () => (await service.database.read.query('select id from organizations')).length;
  const before = await count();
  const upper = { ...user, email: user.email.toUpperCase() };
  expectFailure(await mint({ user: upper }), 409, 'user_already_exists');
  assert.equal(await count(), before);
});

test('user_already_exists: eight requests for one address at once → one succeeds', async () => {
  const user = createPerson();
  const answers = await Promise.all(Array.from({ length: 8 }, () => mint({ user })));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  assert.equal(answers.filter(({ status }) => status === 409).length, 7);
});

test('invalid_request: a malformed field of mint_token → 400 names it', async () => {
  const user = createPerson();
  const wrong: readonly (readonly [path: string, fields: object])[] = [
    ['user.email', { user: { email: 'scientist' } }],
    ['user.email', { user: { email: 'a b@client.example' } }],
    ['user.phone', { user: { ...user, phone: '1' } }],
    ['org.name', { org: createNewOrg(' ') }],
    ['org.domain', { org: { ...createNewOrg(), domain: 'https://client.example' } }],
    ['role', { role: 'owner' }],
    ['expires_at', { expires_at: 'tomorrow' }],
    ['expires_at', { expires_at: clock.now().toISOString() }],
    ['expires_at', { expires_at: addDays(366) }],
    ['expire_at', { expire_at: addDays(1) }],
  ];
  for (const [path, fields] of wrong)
    assert.deepEqual(listProblemPaths(expectFailure(await mint(fields), 400, 'invalid_request')), [path]);
  for (const org of [{ type: 'new_org' }, { type: 'old_org' }, { type: 'existing_org', name: 'A' }, null])
    expectFailure(await mint({ org }), 400, 'invalid_request');
});

test('permission_denied: mint_token without an admin token of a partner → 403', async () => {
  for (const caller of [
    { role: 'admin' },
    { role: 'admin', isStaff: true },
    { role: 'member', isPartner: true },
  ] as const)
    expectFailure(await mint({}, { token: await issueToken(caller) }), 403, 'permission_denied');
  const { body: me } = await ask('GET', '/whoami', { token });
  assert.ok(getItems(me.permissions).map(getText).includes('partner:mint_token'));
});

async function deriveToken(attenuation: object): Promise<string> {
  const body = { token, name: 'derived', attenuation };
  return getText(expectStatus(await ask('POST', '/tokens/attenuate', { token, body }), 201).body.token);
}

test('token_restricted: mint_token by a derived token, whatever its limits → 403', async () => {
  for (const attenuation of [{ max_spend_cents: 1_000 }, { allowed_actions: ['mint_token'] }, {}])
    expectFailure(await mint({}, { token: await deriveToken(attenuation) }), 403, 'token_restricted');
});

test('permission_denied: mint_token by a token for one organization or experiment → 403', async () => {
  const { body: me } = await ask('GET', '/whoami', { token });
  const own = await deriveToken({ allowed_org_ids: [getText(me.active_organization_id)] });
  expectFailure(await mint({}, { token: own }), 403, 'permission_denied');
  const one = await deriveToken({ resource_ids: [UNKNOWN_ID] });
  expectFailure(await mint({}, { token: one }), 403, 'permission_denied');
});

const listTokens = async (query = '', as = token) =>
  getItems(expectStatus(await ask('GET', `/partners/tokens${query}`, { token: as }), 200).body.items);
const renew = (id: string, body: object = {}, options: Ask = {}) =>
  ask('POST', `/partners/tokens/${id}/renew`, { token, ...options, body });
const revoke = (id: string, options: Ask = {}) =>
  ask('POST', `/partners/tokens/${id}/revoke`, { token, ...options, body: {} });
const isAlive = async (value: string) => (await ask('GET', '/whoami', { token: value })).status === 200;

test('list_partner_tokens: tokens of two partners → each sees what it minted, without values', async () => {
  const mine = expectStatus(await mint({ org: createNewOrg('Listed') }), 201).body;
  const theirs = expectStatus(await mint({}, { token: other }), 201).body;
  const [item] = await listTokens(`?filter=eq(organization_id,${getText(mine.organization_id)})`);
  assert.deepEqual(item, {
    id: mine.token_id,
    name: item?.name,
    role: 'member',
    user_id: mine.user_id,
    user_email: `scientist-${people - 1}@client.example`,
    organization_id: mine.organization_id,
    organization_name: 'Listed',
    created_at: clock.now().toISOString(),
    expires_at: mine.expires_at,
    revoked_at: null,
    renewed_by: null,
  });
  const ids = new Set((await listTokens('', other)).map(({ id }) => id));
  assert.ok(ids.has(theirs.token_id) && !ids.has(mine.token_id));
  assert.equal((await listTokens('?search=listed')).length, 1);
});

test('invalid_query: an unknown field in the list of minted tokens → 400', async () => {
  expectFailure(await ask('GET', '/partners/tokens?filter=eq(token,x)', { token }), 400, 'invalid_query');
});

test('renew_partner_token: a minted token → a new value of the same user; the old one and what it made end at once', async () => {
  const first = expectStatus(await mint({ role: 'billing' }), 201).body;
  const old = getText(first.token);
  const body = { token: old, name: 'derived', attenuation: {} };
  const derived = expectStatus(await ask('POST', '/tokens/attenuate', { token: old, body }), 201);
  const renewed = expectStatus(await renew(getText(first.token_id)), 201).body;
  assert.notEqual(renewed.token_id, first.token_id);
  assert.equal(renewed.user_id, first.user_id);
  assert.equal(renewed.organization_id, first.organization_id);
  assert.equal(renewed.expires_at, addDays(90));
  assert.equal(await isAlive(getText(renewed.token)), true);
  expectFailure(await ask('GET', '/whoami', { token: old }), 401, 'token_revoked');
  assert.equal(await isAlive(getText(derived.body.token)), false);
  const { body: me } = await ask('GET', '/whoami', { token: getText(renewed.token) });
  assert.equal(me.token_expires_at, renewed.expires_at);
  const [newest, before] = await listTokens(`?filter=eq(user_id,${getText(first.user_id)})`);
  assert.equal(newest?.id, renewed.token_id);
  assert.equal(before?.renewed_by, renewed.token_id);
  assert.equal(before?.revoked_at, clock.now().toISOString());
});

test('renew_partner_token: an expired or revoked token → renewed all the same; expires_at follows the rules of minting', async () => {
  const brief = expectStatus(await mint({ expires_at: addDays(1) }), 201).body;
  clock.advance(2 * DAY_MS);
  assert.equal(await isAlive(getText(brief.token)), false);
  const expected = addDays(365);
  const renewed = expectStatus(await renew(getText(brief.token_id), { expires_at: expected }), 201).body;
  assert.equal(renewed.expires_at, expected);
  expectStatus(await revoke(getText(renewed.token_id)), 200);
  const again = expectStatus(await renew(getText(renewed.token_id), { expires_at: null }), 201).body;
  assert.equal(await isAlive(getText(again.token)), true);
  for (const expiresAt of ['tomorrow', clock.now().toISOString(), addDays(366)]) {
    const refused = await renew(getText(again.token_id), { expires_at: expiresAt });
    assert.deepEqual(listProblemPaths(expectFailure(refused, 400, 'invalid_request')), ['expires_at']);
  }
  assert.equal(await isAlive(getText(again.token)), true);
});

test('expires_at: time passes while a partner token is made → it ends exactly when asked', async () => {
  const now = clock.now.bind(clock);
  clock.now = () => {
    clock.advance(3);
    return now();
  };
  try {
    const expected = addDays(30);
    const minted = expectStatus(await mint({ expires_at: expected }), 201).body;
    const renewed = expectStatus(await renew(getText(minted.token_id), { expires_at: expected }), 201).body;
    assert.deepEqual([minted.expires_at, renewed.expires_at], [expected, expected]);
    const listed = await listTokens(`?filter=eq(user_id,${getText(minted.user_id)})`);
    assert.deepEqual(
      listed.map(({ expires_at: end }) => end),
      [expected, expected],
    );
  } finally {
    clock.now = now;
  }
});

test('token_renewed_already: renewed twice, one after the other or eight at once → one new token', async () => {
  const { token_id: id } = expectStatus(await mint(), 201).body;
  const answers = await Promise.all(Array.from({ length: 8 }, () => renew(getText(id))));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  for (const answer of answers.filter(({ status }) => status !== 201))
    expectFailure(answer, 409, 'token_renewed_already');
});

test('renew_partner_token: the same Idempotency-Key again → the same value', async () => {
  const { token_id: id } = expectStatus(await mint(), 201).body;
  const headers = { 'idempotency-key': 'renew-once' };
  const first = expectStatus(await renew(getText(id), {}, { headers }), 201);
  const second = expectStatus(await renew(getText(id), {}, { headers }), 201);
  assert.equal(second.body.token, first.body.token);
  assert.equal(second.headers['idempotency-replayed'], 'true');
  expectFailure(
    await renew(getText(id), { expires_at: addDays(3) }, { headers }),
    422,
    'idempotency_key_reused',
  );
});

test('token_holder_left: the user has left the organization → 409 and nothing changes', async () => {
  const minted = expectStatus(await mint(), 201).body;
  await service.database.read.query('delete from memberships where user_id = $1', [minted.user_id]);
  expectFailure(await renew(getText(minted.token_id)), 409, 'token_holder_left');
});

test('revoke_partner_token: a minted token → dead at once; a repeat → the first time', async () => {
  const minted = expectStatus(await mint(), 201).body;
  const first = expectStatus(await revoke(getText(minted.token_id)), 200).body;
  assert.equal(first.token_id, minted.token_id);
  assert.equal(await isAlive(getText(minted.token)), false);
  clock.advance(1_000);
  assert.deepEqual(expectStatus(await revoke(getText(minted.token_id)), 200).body, first);
});

test('token_not_found: a token that this partner did not mint → the same 404 for renewing and revoking', async () => {
  const theirs = expectStatus(await mint({}, { token: other }), 201).body;
  const { body: own } = await ask('GET', '/tokens', { token });
  const ownId = getText(getItems(own.items)[0]?.id);
  for (const id of [getText(theirs.token_id), ownId, UNKNOWN_ID]) {
    expectFailure(await renew(id), 404, 'token_not_found');
    expectFailure(await revoke(id), 404, 'token_not_found');
  }
  assert.equal(await isAlive(getText(theirs.token)), true);
});

test('token_restricted: a derived token of a partner → renews nothing', async () => {
  const { token_id: id } = expectStatus(await mint(), 201).body;
  const narrow = await deriveToken({ max_spend_cents: 1_000 });
  expectFailure(await renew(getText(id), {}, { token: narrow }), 403, 'token_restricted');
  const experiments = await deriveToken({ resource_ids: [UNKNOWN_ID] });
  for (const answer of [
    await ask('GET', '/partners/tokens', { token: experiments }),
    await revoke(getText(id), { token: experiments }),
  ])
    assert.equal(answer.status, 403, answer.text);
});

test('permission_denied: minted tokens without a token of a partner → 403', async () => {
  const plain = await issueToken({ role: 'admin' });
  for (const answer of [
    await ask('GET', '/partners/tokens', { token: plain }),
    await renew(UNKNOWN_ID, {}, { token: plain }),
    await revoke(UNKNOWN_ID, { token: plain }),
  ])
    expectFailure(answer, 403, 'permission_denied');
});

test('audit: a token is renewed and revoked → entries in the trails of the partner and of the client', async () => {
  const minted = expectStatus(await mint(), 201).body;
  const renewed = expectStatus(await renew(getText(minted.token_id)), 201).body;
  expectStatus(await revoke(getText(renewed.token_id)), 200);
  const { body: me } = await ask('GET', '/whoami', { token });
  for (const organization of [minted.organization_id, me.active_organization_id]) {
    const rows = await service.database.read.query<{ operation_id: string; subject: string }>(
      `select operation_id, subject from audit_log
       where organization_id = $1 and subject = any($2) order by created_at, id`,
      [organization, [minted.token_id, renewed.token_id]],
    );
    const entries = rows.map(({ operation_id: id, subject }) => [id, subject]);
    assert.deepEqual(
      entries.filter(([id]) => id !== 'mint_token'),
      [
        ['renew_partner_token', minted.token_id],
        ['revoke_partner_token', renewed.token_id],
      ],
    );
  }
});

proveCoverage('partners');
