/** Two processes of the operating system serve one database: what one ends or changes holds in the other at its next request. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { startOwnPostgres } from '#testing/own-postgres.ts';
import { startProcess, type ServiceProcess } from '#testing/process.ts';
import { readTokenId } from '#testing/requests.ts';
import { getText, type Json } from '#testing/service.ts';
import { runAssayer } from './cli-process.ts';

const LIMIT_MS = 90_000;
const directory = mkdtempSync(join(tmpdir(), 'assayer-keys-'));
const postgres = await startOwnPostgres(directory);
const { database, url: DATABASE_URL } = postgres;
const processes: ServiceProcess[] = [];
after(async () => {
  for (const each of processes) await each.stop();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
});

// Each keeps a token of its own in its data directory; the raw files are shared.
for (const each of ['one', 'two']) mkdirSync(join(directory, each));
mkdirSync(join(directory, 'blobs'));
for (const each of ['one', 'two']) symlinkSync('../blobs', join(directory, each, 'blobs'));
for (const each of ['one', 'two'])
  processes.push(await startProcess(join(directory, each), { DATABASE_URL }));

const readKid = (token: string): string =>
  decodeProtectedHeader(token.slice('asy_test_'.length, -6)).kid ?? 'none';

async function readStatus({ url }: ServiceProcess, token: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/whoami`, { headers: { authorization: `Bearer ${token}` } });
  await answer.text();
  return answer.status;
}

async function createToken(server: ServiceProcess): Promise<string> {
  const create = ['tokens', 'create', '--name', 'rotated', '--role', 'viewer', '--expires-in', '7d'];
  const made = await runAssayer([...create, '--fields', 'token'], { server });
  assert.equal(made.code, 0, made.err);
  return made.out.trim();
}

test('assayer keys rotate: two processes → old tokens stay valid, and both sign with the new key', async () => {
  const [one, two] = processes;
  assert.ok(one !== undefined && two !== undefined);
  const old = [one.token, two.token, await createToken(one), await createToken(two)];
  const rotated = await runAssayer(['keys', 'rotate'], { env: { DATABASE_URL } });
  assert.equal(rotated.code, 0, rotated.err);
  const kid = /signed by the key (\S+)\.\n$/.exec(rotated.out)?.[1];
  assert.ok(kid !== undefined, rotated.out);
  assert.ok(old.every((token) => readKid(token) !== kid));

  for (const server of [one, two]) {
    const deadline = performance.now() + LIMIT_MS;
    let fresh = await createToken(server);
    while (readKid(fresh) !== kid) {
      assert.ok(performance.now() < deadline, 'the new key was not taken up');
      fresh = await createToken(server);
    }
    for (const each of [one, two]) {
      assert.equal(await readStatus(each, fresh), 200);
      for (const token of old) assert.equal(await readStatus(each, token), 200);
    }
  }
  const [entry] = await database.read.query(
    `select actor_kind, subject from audit_log where operation_id = 'rotate_signing_keys'`,
  );
  assert.deepEqual(entry, { actor_kind: 'operator', subject: kid });
});

test('start: another directory of raw files than that of the running processes → exit code 1 with what to do', async () => {
  const args = ['start', '--port', '0', '--data-dir', join(directory, 'three')];
  const { code, err } = await runAssayer(args, { env: { DATABASE_URL, LOG_LEVEL: 'silent' } });
  assert.equal(code, 1, err);
  assert.match(
    err,
    /^DATA_DIR: \/.*\/three\/blobs is not the directory of raw files of this database: its file directory-id is missing\. Name the DATA_DIR of the other services/,
  );
  for (const each of getBoth()) assert.equal(await readStatus(each, each.token), 200);
});

interface Answer {
  readonly status: number;
  readonly body: Json;
}

async function call(
  { url }: ServiceProcess,
  token: string,
  [method, path]: readonly [string, string],
  body?: object,
): Promise<Answer> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- walked by names, as every answer in the tests
  return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Json) };
}

/** Does `act` in the first process and measures until the second has answered what was asked of it. */
async function measureTime(
  what: string,
  act: () => Promise<unknown>,
  check: () => Promise<unknown>,
): Promise<void> {
  await act();
  const startedMs = performance.now();
  await check();
  console.log(`${what}: refused by the other process after ${(performance.now() - startedMs).toFixed(0)} ms`);
}

function getBoth(): readonly [ServiceProcess, ServiceProcess] {
  const [one, two] = processes;
  assert.ok(one !== undefined && two !== undefined);
  return [one, two];
}

test('revoke_token: one process revokes a root token → the other refuses it and its child at the next request', async () => {
  const [one, two] = getBoth();
  const spec = { name: 'root', role: 'admin', expires_in: '7d' };
  const root = getText((await call(one, one.token, ['POST', '/tokens'], spec)).body.token);
  const derived = await call(two, root, ['POST', '/tokens/attenuate'], {
    token: root,
    name: 'child',
    attenuation: {},
  });
  const child = getText(derived.body.token);
  for (const token of [root, child]) assert.equal(await readStatus(two, token), 200);
  await measureTime(
    'a revoked root and its child',
    async () => assert.equal((await call(one, child, ['POST', '/tokens/revoke'], {})).status, 200),
    async () => {
      for (const token of [root, child]) assert.equal(await readStatus(two, token), 401);
    },
  );
});

test('membership: one process demotes and removes a member → the other refuses the member at the next request', async () => {
  const [one, two] = getBoth();
  const made = await runAssayer(['admin', 'make-partner', 'demo@example.org'], { env: { DATABASE_URL } });
  assert.equal(made.code, 0, made.err);
  const admin = await mint({ type: 'new_org', name: 'A client' }, 'first@example.org');
  const organization_id = getText(admin.organization_id);
  const second = await mint({ type: 'existing_org', organization_id }, 'second@example.org');
  const path = `/organization/members/${getText(second.user_id)}`;
  const token = getText(second.token);
  const spec = { name: 'x', role: 'viewer', expires_in: '7d' };
  assert.equal((await call(two, token, ['POST', '/tokens'], spec)).status, 201);
  const asAdmin = getText(admin.token);
  await measureTime(
    'a demoted member',
    async () => assert.equal((await call(one, asAdmin, ['PATCH', path], { role: 'viewer' })).status, 200),
    async () => assert.equal((await call(two, token, ['POST', '/tokens'], spec)).status, 403),
  );
  await measureTime(
    'a removed member',
    async () => assert.ok((await call(one, asAdmin, ['DELETE', path])).status < 300),
    async () => assert.equal(await readStatus(two, token), 401),
  );
});

test('assayer partner-tokens: mint, list, renew, revoke → each does what its call does', async () => {
  const [one] = getBoth();
  const made = await runAssayer(['admin', 'make-partner', 'demo@example.org'], { env: { DATABASE_URL } });
  assert.equal(made.code, 0, made.err);
  const run = async (...args: readonly string[]): Promise<string> => {
    const answer = await runAssayer(['partner-tokens', ...args], { server: one });
    assert.equal(answer.code, 0, answer.err);
    return answer.out.trim();
  };
  const organization = ['--org.type', 'new_org', '--org.name', 'By command'];
  const value = ['--yes', '--fields', 'token'];
  const minted = await run('mint', ...organization, '--user.email', 'cli@client.example', ...value);
  assert.match(minted, /^asy_test_/);
  assert.match(
    await run('list', '--fields', 'user_email,organization_name'),
    /^cli@client\.example\tBy command$/m,
  );
  const renewed = await run('renew', readTokenId(minted), ...value);
  assert.equal(await readStatus(one, minted), 401);
  assert.equal(await readStatus(one, renewed), 200);
  assert.match(await run('list', '--fields', 'renewed_by'), new RegExp(`^${readTokenId(renewed)}$`, 'm'));
  assert.match(await run('revoke', readTokenId(renewed), '--yes'), /^revoked at/m);
  assert.equal(await readStatus(one, renewed), 401);
});

async function mint(org: object, email: string): Promise<Json> {
  const [one] = getBoth();
  const minted = await call(one, one.token, ['POST', '/partners/mint-token'], {
    org,
    user: { email },
    role: 'admin',
  });
  assert.equal(minted.status, 201, JSON.stringify(minted.body));
  return minted.body;
}

test('sign-out: one process ends a browser session → the other answers 401 at the next request', async () => {
  const [one, two] = getBoth();
  const link = await runAssayer(['admin', 'sign-in-link', 'demo@example.org'], { env: { DATABASE_URL } });
  assert.equal(link.code, 0, link.err);
  const opened = await postForm(one, new URL(link.out.trim(), one.url).pathname, {}, '');
  const cookie = opened.headers
    .getSetCookie()
    .map((set) => set.split(';')[0] ?? '')
    .join('; ');
  const account = async (server: ServiceProcess) =>
    fetch(`${server.url}/account`, { headers: { accept: 'text/html', cookie }, redirect: 'manual' });
  assert.equal((await account(two)).status, 200);
  const page = await (await account(one)).text();
  const [, name = '', value = ''] =
    /action="\/sign-out"[^>]*>.*?type="hidden" name="(\w+)" value="([^"]*)"/s.exec(page) ?? [];
  await measureTime(
    'a signed-out browser',
    async () => assert.equal((await postForm(one, '/sign-out', { [name]: value }, cookie)).status, 303),
    async () => assert.equal((await account(two)).status, 401),
  );
});

async function postForm(
  { url }: ServiceProcess,
  path: string,
  fields: Readonly<Record<string, string>>,
  cookie: string,
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: url, cookie, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
}
