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

proveCoverage('partners');
