/** `assayer login`, `whoami` and `logout` as a person uses them, with the browser beside the terminal. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '#core/clock.ts';
import { grantByOperator } from '#core/grants.ts';
import { createIds } from '#core/ids.ts';
import { createLogger } from '#transports/log.ts';
import { issueRootToken } from '#features/tokens/issue-root-token.ts';
import { readFormToken, openSignedIn } from '#testing/browser.ts';
import { testDatabase } from '#testing/database.ts';
import { createService, type Service } from '../../src/main.ts';
import { readSettings } from '#settings/settings.ts';
import { runAssayer } from './cli-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'assayer-cli-login-'));
const opened: Service[] = [];
// Registered first, so that the service is closed before its database is checked for leaks and dropped.
after(async () => {
  for (const each of opened) await each.close();
  rmSync(folder, { recursive: true, force: true });
});
const { connection } = await testDatabase();
const log = createLogger('silent', { write: () => undefined });
const sources = { clock: systemClock, ids: createIds(systemClock), log };
const service = await createService(readSettings({ DATA_DIR: folder }), sources, connection);
opened.push(service);
const url = await service.app.listen({ host: '127.0.0.1', port: 0 });
service.setBaseUrl(url);
const person = await openSignedIn({ service });

const file = join(folder, 'assayer', 'credentials.json');
const env = { XDG_CONFIG_HOME: folder };
const run = (args: readonly string[], options: Parameters<typeof runAssayer>[1] = {}) =>
  runAssayer(args, { env, ...options });

async function decide(code: string, intent: 'approve' | 'deny'): Promise<void> {
  const scope = `${service.founder.organizationId}:member`;
  const fields = { form_token: await readFormToken(person), user_code: code, scope, lifetime: '7d', intent };
  assert.equal((await person.post('/device/decision', fields)).status, 200);
}

/** Runs `assayer login` and decides as soon as it shows its code. */
async function logIn(intent: 'approve' | 'deny') {
  const decisions: Promise<void>[] = [];
  const answer = await run(['login', '--url', url, '--name', 'bench computer'], {
    env,
    onOutput: (err) => {
      const code = /approve the code ([A-Z]{4}-[A-Z]{4})/.exec(err)?.[1];
      if (code !== undefined && decisions.length === 0) decisions.push(decide(code, intent));
    },
  });
  await Promise.all(decisions);
  return answer;
}

async function createToken(): Promise<string> {
  return service.database.runTransaction(async (tx) => {
    const { organizationId, userId } = service.founder;
    const grant = grantByOperator({ organizationId, role: 'viewer' });
    const request = { userId, name: 'made elsewhere', lifetimeMs: 3_600_000 };
    return (await issueRootToken(service.work, tx, service.keyring, grant, request)).value;
  });
}

async function readStatus(token: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/whoami`, { headers: { authorization: `Bearer ${token}` } });
  await answer.text();
  return answer.status;
}

const readKeptToken = (): string => /"token": "([^"]+)"/.exec(readFileSync(file, 'utf8'))?.[1] ?? '';

test('assayer login: the code is approved in the browser → the token is stored for this person alone, and logout ends it', async () => {
  const done = await logIn('approve');
  assert.equal(done.code, 0, done.err);
  assert.match(
    done.out,
    /You are signed in to http:\/\/127\.0\.0\.1:\d+\.\nOrganization {2}Demo organization\n/,
  );
  assert.ok(!done.out.includes('asy_test_') && !done.err.includes('asy_test_'));
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(join(folder, 'assayer')).mode & 0o777, 0o700);

  const token = readKeptToken();
  const me = await run(['whoami']);
  assert.equal(me.code, 0, me.err);
  assert.ok(me.out.includes(url) && me.out.includes(file), me.out);
  assert.equal((await run(['targets', 'list', '--search', 'EGFR'])).code, 0);
  const listed = await run(['tokens', 'list']);
  assert.ok(listed.out.includes('Command line on bench computer'), listed.out);

  const out = await run(['logout']);
  assert.equal(out.out, `You are signed out of ${url}.\n`, out.err);
  assert.equal(await readStatus(token), 401);
  assert.throws(() => readFileSync(file), /ENOENT/);
  const nobody = await run(['whoami']);
  assert.equal(nobody.code, 1);
  assert.match(nobody.err, /assayer login --url/);
  assert.match((await run(['logout'])).err, /not signed in/);
});

test('assayer login: the browser denies the request → a sentence, and nothing is stored', async () => {
  const refused = await logIn('deny');
  assert.equal(refused.code, 1);
  assert.equal(refused.err.split('\n').at(-2), 'The request was denied in the browser.');
  assert.throws(() => readFileSync(file), /ENOENT/);
});

test('assayer login --token -: a pasted token → checked and stored, and logout leaves it valid', async () => {
  const bad = await run(['login', '--url', url, '--token', '-'], { env, input: 'asy_test_nonsense\n' });
  assert.equal(bad.code, 1);
  assert.match(bad.err, /not readable/);
  assert.throws(() => readFileSync(file), /ENOENT/);
  const token = await createToken();
  const done = await run(['login', '--url', `${url}/api/v1/`, '--token', '-'], { env, input: ` ${token}\n` });
  assert.equal(done.code, 0, done.err);
  assert.equal(readKeptToken(), token);
  assert.equal((await run(['whoami', '--json'])).code, 0);
  // What is named counts before what is kept.
  const named = await run(['whoami'], { env, server: { url, token: 'asy_test_other' } });
  assert.match(named.err, /not readable/);
  assert.equal((await run(['logout', '--url', url])).code, 0);
  assert.equal(await readStatus(token), 200);
});

test('assayer login: wrong arguments, or a token as an argument → refused with a sentence', async () => {
  const cases: readonly (readonly [args: readonly string[], code: number, text: RegExp])[] = [
    [['login', '--url', url, '--token', 'asy_test_x'], 2, /standard input/],
    [['login', '--url', url, '--token', '-'], 2, /Standard input was empty/],
    [['login', '--url', 'ftp://lab.example'], 2, /must begin with http/],
    [['login', '--url', 'http://127.0.0.1:1'], 3, /No service answers/],
    [['login'], 2, /Name the service/],
  ];
  for (const [args, code, text] of cases) {
    const answer = await run(args);
    assert.equal(answer.code, code, answer.err);
    assert.match(answer.err, text);
  }
});

test('assayer login: a damaged credentials file → counts as empty and is rewritten', async () => {
  const token = await createToken();
  const paste = () => run(['login', '--url', url, '--token', '-'], { env, input: token });
  assert.equal((await paste()).code, 0);
  writeFileSync(file, '{"services": 7');
  assert.equal((await run(['whoami'])).code, 1);
  assert.equal((await paste()).code, 0);
  assert.equal(readKeptToken(), token);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});
