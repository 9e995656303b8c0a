import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '#core/clock.ts';
import { createSealer } from '#core/sealer.ts';
import { roles } from '#core/permissions.ts';
import { buildPrincipal, createRootClaims } from '#features/tokens/rules.ts';
import { createToken } from '#features/tokens/create-token.ts';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { readTokenId } from '#testing/requests.ts';
import { getItems, getText } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken, clock, token: founderToken } = service;

test('whoami: a viewer → the caller, the active organization and the permissions of the role', async () => {
  const viewer = await ask('GET', '/whoami', { token: await issueToken({ role: 'viewer' }) });
  const [organization, ...others] = getItems(viewer.body.organizations);
  assert.equal(others.length, 0);
  assert.equal(organization?.active, true);
  assert.equal(organization?.role, 'viewer');
  assert.equal(organization?.id, viewer.body.active_organization_id);
  assert.ok(viewer.text.includes('experiment:read'));
  assert.ok(!viewer.text.includes('experiment:create'));
  assert.equal(viewer.body.token_expires_at, '2026-05-31T09:00:00.000Z');
});

test('list_tokens: the own tokens → with their lineage, without their value', async () => {
  const listed = expectStatus(await ask('GET', '/tokens'), 200);
  const [own] = getItems(listed.body.items);
  assert.equal(own?.kind, 'root');
  assert.equal(own?.root_token_id, own?.id);
  assert.ok(!listed.text.includes(founderToken.slice(0, 40)));
});

test('invalid_query: tokens are filtered by an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/tokens?filter=eq(color,red)'), 400, 'invalid_query');
});

test('revoke_token: a token revokes itself → its family ends, other tokens live', async () => {
  const token = await issueToken({ role: 'member' });
  const revoked = expectStatus(await ask('POST', '/tokens/revoke', { token, body: {} }), 200);
  assert.equal(revoked.body.children_revoked, 0);
  assert.equal(revoked.body.revoked_at, '2026-03-02T09:00:00.000Z');
  expectFailure(await ask('GET', '/whoami', { token }), 401, 'token_revoked');
  expectStatus(await ask('GET', '/whoami'), 200);
});

test('create_token: a role and a lifetime → a root token whose value is shown once', async () => {
  const body = { name: 'pipeline', role: 'member', expires_in: '30d' };
  const made = expectStatus(await ask('POST', '/tokens', { body }), 201);
  assert.equal(made.body.expires_at, '2026-04-01T09:00:00.000Z');
  const token = getText(made.body.token);
  assert.equal(readTokenId(token), made.body.id);
  const me = expectStatus(await ask('GET', '/whoami', { token }), 200);
  assert.ok(me.text.includes('experiment:create') && !me.text.includes('user:delete'));
  assert.ok(!(await ask('GET', '/tokens')).text.includes(token));
});

test('create_token: a token asks for a longer life than its own → the new one ends with it, also after several steps', async () => {
  const make = async (token: string, expiresIn: string) =>
    expectStatus(
      await ask('POST', '/tokens', { token, body: { name: 'x', role: 'member', expires_in: expiresIn } }),
      201,
    ).body;
  const week = await make(await issueToken({ role: 'member' }), '7d');
  const end = '2026-03-09T09:00:00.000Z';
  assert.equal(week.expires_at, end);
  let last = week;
  for (const expiresIn of ['1y', '90d', '7d']) {
    clock.advance(DAY_MS);
    last = await make(getText(last.token), expiresIn);
    assert.equal(last.expires_at, end);
    const me = expectStatus(await ask('GET', '/whoami', { token: getText(last.token) }), 200);
    assert.equal(me.body.token_expires_at, end);
  }
  clock.advance(4 * DAY_MS);
  for (const { token } of [week, last])
    expectFailure(await ask('GET', '/whoami', { token: getText(token) }), 401, 'token_expired');
});

test('create_token: a person in the browser → the token may outlive the session', async () => {
  const { database, keyring, work, founder } = service.service;
  const soon = new Date(clock.now().getTime() + DAY_MS);
  const claims = createRootClaims(
    'sandbox',
    { ...founder, id: readTokenId(founderToken), role: 'admin', expiresAt: soon },
    clock.now(),
  );
  const standing = {
    revoked: false,
    member_role: 'admin',
    user_email: 'demo@example.org',
    staff_roles: [],
    is_partner: false,
    organization_slug: 'DEMO',
  } as const;
  const body = { name: 'x', role: 'member', expires_in: '30d' } as const;
  const input = { params: {}, query: {}, body, headers: {} };
  const sealer = createSealer(Buffer.alloc(32, 1));
  for (const [credential, days] of [
    ['session', 30],
    ['token', 1],
  ] as const) {
    const principal = buildPrincipal(claims, standing, { credential });
    const made = await database.runTransaction((tx) =>
      createToken(input, {
        ...work,
        tx,
        principal,
        keyring,
        sealer,
        requestId: 'r',
        setAuditOrganization: () => undefined,
        addAuditDetails: () => undefined,
      }),
    );
    assert.equal(Date.parse(made.expires_at) - clock.now().getTime(), days * DAY_MS);
  }
});

test('token_role_exceeded: a role beyond that of the calling token → 403', async () => {
  const role: Record<string, readonly string[]> = {
    member: ['viewer', 'member'],
    billing: ['viewer', 'billing'],
    admin: ['viewer', 'member', 'billing', 'admin'],
  };
  for (const [own, allowed] of Object.entries(role)) {
    const token = await issueToken({ role: roles.find((known) => known === own) ?? 'viewer' });
    for (const requested of roles) {
      const body = { name: 'x', role: requested, expires_in: '7d' };
      const answer = await ask('POST', '/tokens', { token, body });
      if (allowed.includes(requested)) expectStatus(answer, 201);
      else expectFailure(answer, 403, 'token_role_exceeded');
    }
  }
});

test('token_restricted: a derived token, or one with a payment policy, makes a root token → 403', async () => {
  const body = { name: 'x', role: 'viewer', expires_in: '7d' };
  const attenuation = { token: founderToken, name: 'narrow', attenuation: {} };
  const child = await ask('POST', '/tokens/attenuate', { body: attenuation });
  const policy = { ...body, role: 'admin', payment_policy: { methods: ['mpp-spt'] } };
  const machine = await ask('POST', '/tokens', { body: policy });
  for (const made of [child, machine]) {
    const token = getText(expectStatus(made, 201).body.token);
    expectFailure(await ask('POST', '/tokens', { token, body }), 403, 'token_restricted');
  }
});

test('token_restricted: a derived token derives from its ancestor → 403; from itself or its descendants → allowed', async () => {
  const root = await issueToken({ role: 'member' });
  const derive = (token: string, from: string) =>
    ask('POST', '/tokens/attenuate', { token, body: { token: from, name: 'x', attenuation: {} } });
  const child = getText(expectStatus(await derive(root, root), 201).body.token);
  expectFailure(await derive(child, root), 403, 'token_restricted');
  const leaf = getText(expectStatus(await derive(child, child), 201).body.token);
  expectStatus(await derive(child, leaf), 201);
});

test('attenuate_token: a derived token → listed with its lineage and its specification as given', async () => {
  const token = await issueToken({ role: 'member' });
  const attenuation = { read_only: true, allowed_resources: ['experiment'], allowed_actions: null };
  const body = { token, name: 'reads', attenuation, attenuated_parent_token_id: readTokenId(token) };
  const made = expectStatus(await ask('POST', '/tokens/attenuate', { token, body }), 201);
  const listed = await ask('GET', '/tokens?filter=eq(kind,attenuated)', { token });
  const [child] = getItems(expectStatus(listed, 200).body.items);
  assert.equal(child?.id, made.body.id);
  assert.equal(child?.parent_token_id, readTokenId(token));
  assert.equal(child?.root_token_id, readTokenId(token));
  assert.deepEqual(child?.attenuation_spec, attenuation);
  const me = await ask('GET', '/whoami', { token: getText(made.body.token) });
  assert.deepEqual(me.body.permissions, ['experiment:list', 'experiment:read']);
});

test('invalid_attenuation: the token to derive from is unreadable → 400', async () => {
  for (const token of ['x', founderToken.slice(0, -1)]) {
    const answer = await ask('POST', '/tokens/attenuate', { body: { token, name: 'x', attenuation: {} } });
    expectFailure(answer, 400, 'invalid_attenuation');
  }
});

test('revoke_token_by_id: a derived token → its branch ends, its ancestors live', async () => {
  const token = await issueToken({ role: 'member' });
  const derive = async (from: string) =>
    getText(
      (await ask('POST', '/tokens/attenuate', { token, body: { token: from, name: 'x', attenuation: {} } }))
        .body.token,
    );
  const middle = await derive(token);
  const leaf = await derive(middle);
  const path = `/tokens/${readTokenId(middle)}/revoke`;
  const revoked = expectStatus(await ask('POST', path, { token }), 200);
  assert.deepEqual([revoked.body.token_id, revoked.body.children_revoked], [readTokenId(middle), 1]);
  assert.equal((await ask('POST', path, { token })).body.children_revoked, 0);
  for (const dead of [middle, leaf])
    expectFailure(await ask('GET', '/whoami', { token: dead }), 401, 'token_revoked');
  expectStatus(await ask('GET', '/whoami', { token }), 200);
});

test('token_not_found: a token of another person is revoked without administrator rights → 404', async () => {
  const [mine, theirs] = [await issueToken({ role: 'member' }), await issueToken({ role: 'viewer' })];
  const stranger = await issueToken({ ownOrganization: true });
  const path = `/tokens/${readTokenId(theirs)}/revoke`;
  for (const token of [mine, stranger])
    expectFailure(await ask('POST', path, { token }), 404, 'token_not_found');
  expectStatus(await ask('GET', '/whoami', { token: theirs }), 200);
  expectStatus(await ask('POST', path, { token: await issueToken() }), 200);
  expectFailure(await ask('GET', '/whoami', { token: theirs }), 401, 'token_revoked');
});

test('list_tokens: administrators of the lab → tokens of everybody; others → their own', async () => {
  const token = await issueToken({ ownOrganization: true });
  const own = await ask('GET', '/tokens', { token });
  assert.equal(own.body.total, 1);
  const filter = encodeURIComponent(
    `eq(organization_id,${getText(getItems(own.body.items)[0]?.organization_id)})`,
  );
  const seen = await ask('GET', `/tokens?filter=${filter}`);
  assert.equal(getItems(seen.body.items)[0]?.id, readTokenId(token));
  assert.equal((await ask('GET', `/tokens?filter=${filter}`, { token: await issueToken() })).body.total, 0);
});

test('list_tokens: a token before and after its first request → last_used_at is null, then the time to the minute', async () => {
  const token = await issueToken({ role: 'viewer' });
  const id = readTokenId(token);
  const readUse = async () => {
    const { body } = expectStatus(await ask('GET', `/tokens?filter=eq(id,${id})`), 200);
    return getItems(body.items)[0]?.last_used_at;
  };
  assert.equal(await readUse(), null);
  const first = clock.now().toISOString();
  expectStatus(await ask('GET', '/whoami', { token }), 200);
  assert.equal(await readUse(), first);
  clock.advance(30_000);
  expectStatus(await ask('GET', '/whoami', { token }), 200);
  assert.equal(await readUse(), first);
  clock.advance(30_000);
  expectStatus(await ask('GET', '/whoami', { token }), 200);
  assert.equal(await readUse(), clock.now().toISOString());
});

test('list_tokens: another transaction holds the token → its request does not wait, and is noted later', async () => {
  const token = await issueToken({ role: 'viewer' });
  const id = readTokenId(token);
  await service.service.database.runTransaction(async (tx) => {
    await tx.query('select 1 from tokens where id = $1 for update', [id]);
    expectStatus(await ask('GET', '/whoami', { token }), 200);
  });
  const { body } = await ask('GET', `/tokens?filter=eq(id,${id})`);
  assert.equal(getItems(body.items)[0]?.last_used_at, null);
});

proveCoverage('tokens');
