/** Two services over one database: what one of them ends is ended in the other at the next request. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { VirtualClock } from '#testing/virtual-clock.ts';
import { grantByOperator } from '#core/grants.ts';
import { createIds } from '#core/ids.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { insertUser, setMembership } from '#features/organizations/store.ts';
import { createLogger } from '#transports/log.ts';
import { issueRootToken } from '#features/tokens/issue-root-token.ts';
import { rotateSigningKeys } from '#features/tokens/signing-keys.ts';
import { Browser, openSignedIn } from '#testing/browser.ts';
import { testDatabase } from '#testing/database.ts';
import { readTokenId } from '#testing/requests.ts';
import { createService, type Service } from '../../src/main.ts';
import { readSettings } from '#settings/settings.ts';

const services: Service[] = [];
after(() => Promise.all(services.map((service) => service.close())));
const { connection, database } = await testDatabase();
const clock = new VirtualClock(new Date('2026-03-02T09:00:00.000Z'));

async function start(): Promise<Service> {
  const settings = readSettings({ RATE_LIMIT_PER_SECOND: '0', DATA_DIR: '/nonexistent' });
  const log = createLogger('silent', { write: () => undefined });
  const service = await createService(settings, { clock, ids: createIds(clock), log }, connection);
  services.push(service);
  return service;
}

const one = await start();
const two = await start();

async function createRootToken(
  role: 'member' | 'admin' = 'member',
): Promise<{ token: string; userId: string }> {
  const userId = one.work.ids.createUuid();
  const { organizationId } = one.founder;
  const at = clock.now();
  return database.runTransaction(async (tx) => {
    const email = `${userId}@example.org`;
    await insertUser(tx, { id: userId, email, name: null, created_at: at });
    const grant = grantByOperator({ organizationId, role });
    await setMembership(createOrganizationScope(organizationId), tx, grant, { user_id: userId, at });
    const person = { userId, name: 'root', lifetimeMs: 1_000_000 };
    return { token: (await issueRootToken(one.work, tx, one.keyring, grant, person)).value, userId };
  });
}

async function send(service: Service, token: string, path: string, body?: object): Promise<[number, string]> {
  const answer = await service.app.inject({
    method: body === undefined ? 'GET' : 'POST',
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { payload: body }),
  });
  return [answer.statusCode, answer.body];
}

/** The tool protocol, asked for its tools. */
async function askTools(service: Service, token: string): Promise<number> {
  const { statusCode } = await service.app.inject({
    method: 'POST',
    url: '/mcp/',
    headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  });
  return statusCode;
}

async function derive(service: Service, from: string): Promise<string> {
  const body = { token: from, name: 'child', attenuation: {} };
  const [status, text] = await send(service, from, '/tokens/attenuate', body);
  assert.equal(status, 201, text);
  const made: unknown = JSON.parse(text);
  assert.ok(typeof made === 'object' && made !== null && 'token' in made);
  return String(made.token);
}

async function createFamily(): Promise<[root: string, middle: string, leaf: string]> {
  const { token: root } = await createRootToken();
  const middle = await derive(two, root);
  return [root, middle, await derive(one, middle)];
}

async function assertAlive(tokens: readonly string[], isAlive: boolean): Promise<void> {
  for (const token of tokens) {
    for (const service of [one, two]) {
      const [status, text] = await send(service, token, '/whoami');
      assert.equal(status, isAlive ? 200 : 401, text);
      const tools = await askTools(service, token);
      if (isAlive) assert.notEqual(tools, 401);
      else assert.equal(tools, 401);
    }
  }
}

test('revocation: of a root, in one process → the whole family ends in both', async () => {
  const tokens = await createFamily();
  await assertAlive(tokens, true);
  const [status] = await send(one, tokens[2], '/tokens/revoke', {});
  assert.equal(status, 200);
  await assertAlive(tokens, false);
});

test('revocation: of a middle token → its descendants end, its ancestors live', async () => {
  const [root, middle, leaf] = await createFamily();
  await assertAlive([root, middle, leaf], true);
  const [status] = await send(two, root, `/tokens/${readTokenId(middle)}/revoke`, {});
  assert.equal(status, 200);
  await assertAlive([middle, leaf], false);
  await assertAlive([root], true);
});

test('revocation: a child whose own row missed the stamp → ends through its ancestor', async () => {
  const [root, middle, leaf] = await createFamily();
  await database.read.query('update tokens set revoked_at = now() where id = $1', [readTokenId(middle)]);
  await assertAlive([middle, leaf], false);
  await assertAlive([root], true);
});

test('membership: a demotion, then a removal → a derived token shrinks, then ends, in both processes', async () => {
  const { token, userId } = await createRootToken('admin');
  const child = await derive(one, token);
  await assertAlive([token, child], true);
  const scope = createOrganizationScope(one.founder.organizationId);
  const viewer = grantByOperator({ ...one.founder, role: 'viewer' });
  await setMembership(scope, database.read, viewer, { user_id: userId, at: clock.now() });
  for (const service of [one, two]) {
    const [status, text] = await send(service, child, '/tokens', {
      name: 'x',
      role: 'viewer',
      expires_in: '7d',
    });
    assert.equal(status, 403, text);
  }
  await database.read.query('delete from memberships where user_id = $1', [userId]);
  await assertAlive([token, child], false);
});

/** A browser signed in through one of the processes, and the same cookie at the other. */
async function openBrowsers(userId: string): Promise<[Browser, Browser]> {
  const here = await openSignedIn({ service: one }, userId);
  const there = new Browser({ service: two });
  there.cookie = here.cookie;
  return [here, there];
}

test('sign-out: in one process → the session and its token end in both at the next request', async () => {
  const { userId, token } = await createRootToken('admin');
  const [here, there] = await openBrowsers(userId);
  const other = await openSignedIn({ service: two }, userId);
  assert.equal((await there.open('/account')).status, 200);
  const startedMs = performance.now();
  await here.send(await here.open('/account'), '/sign-out');
  assert.equal((await there.open('/account')).status, 401);
  const tookMs = performance.now() - startedMs;
  assert.equal((await other.open('/account')).status, 200);
  const left = await database.read.query(
    'select id from tokens where user_id = $1 and session_id is not null and revoked_at is null',
    [userId],
  );
  assert.equal(left.length, 1);
  // What a program holds is ended by revoking it, not by closing a browser.
  await assertAlive([token], true);
  console.log(`sign-out in one process, refused in the other: ${tookMs.toFixed(0)} ms for three requests`);
});

test('sign-out everywhere: in one process → every session ends in both', async () => {
  const { userId } = await createRootToken('admin');
  const [here, there] = await openBrowsers(userId);
  const other = await openSignedIn({ service: two }, userId);
  await here.send(await here.open('/account'), '/account/sessions/end-all');
  for (const browser of [here, there, other]) assert.equal((await browser.open('/account')).status, 401);
});

test('membership: a demotion by the API, then a removal → the session shrinks, then ends, in the other process', async () => {
  const admin = await createRootToken('admin');
  const { userId } = await createRootToken('admin');
  const [here, there] = await openBrowsers(userId);
  assert.match((await there.open('/organization')).text, /Invite somebody/);
  const path = `/api/v1/organization/members/${userId}`;
  const headers = { authorization: `Bearer ${admin.token}` };
  const demoted = await one.app.inject({ method: 'PATCH', url: path, headers, payload: { role: 'viewer' } });
  assert.equal(demoted.statusCode, 200, demoted.body);
  assert.doesNotMatch((await there.open('/organization')).text, /Invite somebody/);
  const removed = await two.app.inject({ method: 'DELETE', url: path, headers });
  assert.equal(removed.statusCode, 200, removed.body);
  for (const browser of [here, there]) assert.equal((await browser.open('/')).location, '/organizations');
});

test('rotation: a new key → a running process verifies it at once and signs with it after its next chores', async () => {
  const { token: old } = await createRootToken();
  const actor = { actorKind: 'operator', actor: 'root', origin: { address: 'lab-1' } } as const;
  await rotateSigningKeys({ clock, ids: createIds(clock), actor }, database);
  const three = await start();
  const derived = await derive(three, old);
  await assertAlive([old, derived], true);
  const getKid = (token: string): string => token.slice(0, token.indexOf('.'));
  assert.notEqual(getKid(old), getKid(derived));
  assert.equal(getKid(await derive(one, old)), getKid(derived));
});
