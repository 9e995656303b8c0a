/** What ends with a token, what a token may end, and that a revocation can be repeated. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { readTokenId } from '#testing/requests.ts';
import { getItems, testService, getText, type TestAnswer } from '#testing/service.ts';

const service = await testService();
const { ask, clock, issueToken, token: founderToken } = service;
const { database } = service.service;

async function create(token: string, role = 'member'): Promise<string> {
  const body = { name: 'made', role, expires_in: '7d' };
  return getText(expectStatus(await ask('POST', '/tokens', { token, body }), 201).body.token);
}

function attenuate(by: string, from: string, attenuation: object = {}): Promise<TestAnswer> {
  const body = { token: from, name: 'derived', attenuation };
  return ask('POST', '/tokens/attenuate', { token: by, body });
}

async function derive(token: string, attenuation: object = {}): Promise<string> {
  return getText(expectStatus(await attenuate(token, token, attenuation), 201).body.token);
}

const revoke = (token: string) => ask('POST', '/tokens/revoke', { token, body: {} });
const revokeOne = (by: string, token: string) =>
  ask('POST', `/tokens/${readTokenId(token)}/revoke`, { token: by, body: {} });

async function expectDead(...tokens: readonly string[]): Promise<void> {
  for (const token of tokens) expectFailure(await ask('GET', '/whoami', { token }), 401, 'token_revoked');
}

async function expectAlive(...tokens: readonly string[]): Promise<void> {
  for (const token of tokens) expectStatus(await ask('GET', '/whoami', { token }), 200);
}

test('lineage: a root is revoked → every token made or derived from it ends', async () => {
  const root = await issueToken({ role: 'member' });
  const made = await create(root);
  const derived = await derive(made);
  const madeAgain = await create(made);
  const below = await derive(madeAgain, { read_only: true });
  await expectAlive(root, made, derived, madeAgain, below);
  const revoked = expectStatus(await revoke(root), 200);
  assert.deepEqual([revoked.body.token_id, revoked.body.children_revoked], [readTokenId(root), 4]);
  await expectDead(root, made, derived, madeAgain, below);
});

test('lineage: an administrator revokes a token by id → what it made ends', async () => {
  const root = await issueToken({ role: 'member' });
  const made = await create(root);
  const leaf = await derive(made);
  assert.equal(expectStatus(await revokeOne(founderToken, root), 200).body.children_revoked, 2);
  await expectDead(root, made, leaf);
});

test('lineage: a token whose own row missed the stamp → ends through the token that made it', async () => {
  const root = await issueToken({ role: 'member' });
  const leaf = await derive(await create(root));
  await database.read.query('update tokens set revoked_at = now() where id = $1', [readTokenId(root)]);
  await expectDead(leaf);
});

test('lineage: a token that was made by another → ends itself and its descendants, not its maker', async () => {
  const root = await issueToken({ role: 'member' });
  const made = await create(root);
  const leaf = await derive(made);
  const revoked = expectStatus(await revoke(leaf), 200);
  assert.deepEqual([revoked.body.token_id, revoked.body.children_revoked], [readTokenId(made), 1]);
  await expectDead(made, leaf);
  await expectAlive(root);
});

test('lineage: GET /tokens → shows the maker of a token as its parent', async () => {
  const root = await issueToken({ role: 'member' });
  const made = await create(root);
  const listed = await ask('GET', `/tokens?filter=eq(id,${readTokenId(made)})`, { token: root });
  const [row] = getItems(expectStatus(listed, 200).body.items);
  assert.deepEqual([row?.kind, row?.parent_token_id], ['root', readTokenId(root)]);
});

test('lineage: a body token whose maker was revoked → invalid_attenuation', async () => {
  const root = await issueToken({ role: 'member' });
  const maker = await create(root);
  const made = await create(maker);
  expectStatus(await attenuate(root, made), 201);
  expectStatus(await revokeOne(root, maker), 200);
  const refused = expectFailure(await attenuate(root, made), 400, 'invalid_attenuation');
  assert.match(getText(refused.body.error), /token: has been revoked/);
});

test('lineage: 64 tokens that make one another → the next is refused', async () => {
  let token = await issueToken({ role: 'member' });
  for (let length = 1; length < 64; length++) token = await create(token);
  await expectAlive(token);
  const body = { name: 'one more', role: 'member', expires_in: '7d' };
  expectFailure(await ask('POST', '/tokens', { token, body }), 403, 'token_restricted');
  expectFailure(await attenuate(token, token), 400, 'invalid_attenuation');
});

const limits: Readonly<Record<string, object>> = {
  max_spend_cents: { max_spend_cents: 5 },
  expires_at: { expires_at: '2026-03-05T00:00:00.000Z' },
  resource_ids: { resource_ids: [UNKNOWN_ID] },
  allowed_actions: { allowed_actions: ['revoke', 'read'] },
  allowed_resources: { allowed_resources: ['token'] },
  non_destructive: { non_destructive: true },
};

for (const [name, attenuation] of Object.entries(limits)) {
  test(`revoke_token: a token limited by ${name} → ends itself and its descendants, never its root`, async () => {
    const root = await issueToken({ role: 'admin' });
    const sibling = await derive(root);
    const limited = await derive(root, attenuation);
    const child =
      name === 'allowed_actions' || name === 'allowed_resources' ? limited : await derive(limited);
    // By id, what is above or beside it does not exist for it, its holder being an administrator or not.
    for (const other of [root, sibling, founderToken])
      expectFailure(await revokeOne(limited, other), 404, 'token_not_found');
    const revoked = expectStatus(await revoke(limited), 200);
    assert.equal(revoked.body.token_id, readTokenId(limited));
    await expectDead(limited, child);
    await expectAlive(root, sibling, founderToken);
  });
}

const silent: Readonly<Record<string, object>> = {
  read_only: { read_only: true },
  'allowed_actions without revoke': { allowed_actions: ['read', 'list'] },
  'allowed_resources without token': { allowed_resources: ['experiment'] },
};

for (const [name, attenuation] of Object.entries(silent)) {
  test(`revoke_token: a token limited by ${name} → its holder can still end it, never its root`, async () => {
    const root = await issueToken({ role: 'admin' });
    const limited = await derive(root, attenuation);
    expectFailure(await revokeOne(limited, root), 403, 'permission_denied');
    assert.equal(expectStatus(await revoke(limited), 200).body.token_id, readTokenId(limited));
    await expectDead(limited);
    await expectAlive(root);
  });
}

test('revoke_token: a token with a spending limit of its payment policy → ends itself alone', async () => {
  const root = await issueToken();
  const policy = { methods: ['x402-exact'], max_spend_cents: 5 };
  const body = { name: 'machine', role: 'member', expires_in: '7d', payment_policy: policy };
  const machine = getText(expectStatus(await ask('POST', '/tokens', { token: root, body }), 201).body.token);
  const child = await derive(machine);
  assert.equal(expectStatus(await revoke(child), 200).body.token_id, readTokenId(child));
  assert.equal(expectStatus(await revoke(machine), 200).body.token_id, readTokenId(machine));
  await expectAlive(root);
});

test('revoke_token: repeated with the revoked token → 200 with the first time and no children', async () => {
  const root = await issueToken({ role: 'member' });
  const child = await derive(root);
  const first = expectStatus(await revoke(child), 200);
  clock.advance(60_000);
  for (const token of [root, child]) {
    const again = expectStatus(await revoke(token), 200);
    assert.deepEqual(again.body, { ...first.body, children_revoked: 0 });
  }
});

test('revoke_token: a token that is already revoked → ends nothing that still lives', async () => {
  const root = await issueToken({ role: 'member' });
  const child = await derive(root);
  expectStatus(await revokeOne(root, child), 200);
  const again = expectStatus(await revoke(child), 200);
  assert.deepEqual([again.body.token_id, again.body.children_revoked], [readTokenId(child), 0]);
  await expectAlive(root);
});

test('token_revoked: any operation but POST /tokens/revoke, or its holder is gone → 401', async () => {
  const root = await issueToken({ role: 'member' });
  expectStatus(await revoke(root), 200);
  for (const [method, path] of [
    ['GET', '/whoami'],
    ['GET', '/tokens'],
    ['POST', `/tokens/${readTokenId(root)}/revoke`],
    ['POST', '/tokens'],
  ] as const) {
    const body = method === 'GET' ? {} : { body: {} };
    expectFailure(await ask(method, path, { token: root, ...body }), 401, 'token_revoked');
  }
  const userId = `(select user_id from tokens where id = '${readTokenId(root)}')`;
  await database.read.query(`delete from memberships where user_id = ${userId}`);
  expectFailure(await revoke(root), 401, 'token_revoked');
});

test('invalid_token: a token that is revoked, expired or unreadable → WWW-Authenticate names the error; none → it names none', async () => {
  const challenge = async (token: string | null, path = '/whoami') =>
    expectStatus(await ask(path === '/whoami' ? 'GET' : 'POST', path, { token, body: {} }), 401).headers[
      'www-authenticate'
    ];
  const write = (sentence: string) => `error="invalid_token", error_description="${sentence}"`;
  const root = await issueToken();
  const soon = new Date(clock.now().getTime() + 60_000).toISOString();
  const brief = getText(
    expectStatus(
      await ask('POST', '/tokens/attenuate', {
        token: root,
        body: { token: root, name: 'brief', attenuation: { expires_at: soon } },
      }),
      201,
    ).body.token,
  );
  clock.advance(60_000);
  const expired = write('The access token has expired; create a new one.');
  assert.equal(await challenge(brief), `Bearer ${expired}`);
  await revoke(root);
  const revoked = write('The access token has been revoked; create a new one.');
  assert.equal(await challenge(root), `Bearer ${revoked}`);
  assert.match(
    (await challenge(root, '//mcp/')) ?? '',
    new RegExp(`^Bearer resource_metadata="[^"]+", ${revoked}$`),
  );
  assert.match(
    (await challenge('nonsense')) ?? '',
    /^Bearer error="invalid_token", error_description="[^"]+"$/,
  );
  assert.equal(await challenge(null), 'Bearer');
});

test('token_expired: a revoked token that has expired revokes again → 401', async () => {
  const soon = new Date(clock.now().getTime() + 60_000).toISOString();
  const brief = await derive(await issueToken(), { expires_at: soon });
  expectStatus(await revoke(brief), 200);
  clock.advance(60_000);
  expectFailure(await revoke(brief), 401, 'token_expired');
});

test('token_restricted: a token limited to experiments lists tokens, by REST or as a tool → refused', async () => {
  const root = await issueToken();
  const limited = await derive(root, { resource_ids: [UNKNOWN_ID] });
  expectFailure(await ask('GET', '/tokens', { token: limited }), 403, 'token_restricted');
  const answer = await service.service.app.inject({
    method: 'POST',
    url: '/mcp/',
    headers: { authorization: `Bearer ${limited}`, accept: 'application/json, text/event-stream' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tokens', arguments: {} } },
  });
  assert.match(answer.body, /token_restricted/);
  assert.ok(!answer.body.includes(readTokenId(root)));
});

test('race: a token is made or derived while its maker is revoked → it is dead, counted and stamped', async () => {
  for (let round = 0; round < 12; round++) {
    const root = await issueToken({ role: 'member' });
    const made = await create(root);
    const body = { name: 'late', role: 'member', expires_in: '7d' };
    const [births, revoked] = await Promise.all([
      Promise.all([
        ask('POST', '/tokens', { token: made, body }),
        attenuate(made, made),
        ask('POST', '/tokens', { token: root, body }),
      ]),
      revoke(root),
    ]);
    expectStatus(revoked, 200);
    const born = births.filter(({ status }) => status === 201).map((answer) => getText(answer.body.token));
    await expectDead(root, made, ...born);
    const living = await database.read.query(
      'select id from tokens where user_id = (select user_id from tokens where id = $1) and revoked_at is null',
      [readTokenId(root)],
    );
    assert.deepEqual(living, [], `round ${round}`);
    assert.equal(revoked.body.children_revoked, 1 + born.length);
  }
});

test('token_restricted: a limited token removes its own holder → refused, and every token of the holder lives', async () => {
  const root = await issueToken({ ownOrganization: true });
  const limited = await derive(root, { max_spend_cents: 0, allowed_resources: ['user'] });
  const me = expectStatus(await ask('GET', '/whoami', { token: root }), 200).body.user_id;
  const removed = await ask('DELETE', `/organization/members/${getText(me)}`, { token: limited });
  expectFailure(removed, 403, 'token_restricted');
  await expectAlive(root, limited);
});
