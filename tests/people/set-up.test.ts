/** How a live environment gets its first administrator, and how an operator lets somebody in again. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createIds } from '#core/ids.ts';
import { systemClock } from '#core/clock.ts';
import { ensureFounder } from '#features/installation/found-installation.ts';
import { createRecoveryLink } from '#features/people/by-operator.ts';
import { issueSetUpLink } from '#features/people/set-up.ts';
import { Browser } from '#testing/browser.ts';
import { getText, parseJson, testService } from '#testing/service.ts';
import { runAssayer } from '../journeys/cli-process.ts';

const FORM = {
  email: 'Head@lab.example',
  name: 'Head of the lab',
  organization: 'A real lab',
  new_password: 'seven quiet otters swim',
};

test('set-up link: the newest is used → works once, and the first administrator is staff under the chosen address', async () => {
  const live = await testService({ ENVIRONMENT: 'live' });
  const { work, database, founder } = live.service;
  const older = new URL((await issueSetUpLink(work, database, founder)) ?? '').pathname;
  const link = new URL((await issueSetUpLink(work, database, founder)) ?? '').pathname;
  const browser = new Browser(live);
  assert.equal((await browser.open(older)).status, 410);
  const page = await browser.open(link);
  const bad = await browser.send(page, link, { ...FORM, email: 'nonsense', new_password: 'short' });
  assert.equal(bad.status, 422);
  const done = await browser.send(bad, link, FORM);
  assert.equal(done.location, '/lab', done.text);
  assert.match((await browser.open('/account')).text, /head@lab\.example/);
  assert.match((await browser.open('/organization')).text, /A real lab/);
  assert.equal((await new Browser(live).post(link, FORM)).status, 410);
  assert.equal(await issueSetUpLink(work, database, founder), undefined);
  const [user] = await database.read.query('select is_staff, email_verified from users where id = $1', [
    founder.userId,
  ]);
  assert.deepEqual(user, { is_staff: true, email_verified: true });
});

test('set-up: a later start → finds the founder under the new address and creates nobody', async () => {
  const live = await testService({ ENVIRONMENT: 'live' });
  const { work, database, founder } = live.service;
  const link = new URL((await issueSetUpLink(work, database, founder)) ?? '').pathname;
  await new Browser(live).post(link, FORM);
  const again = await ensureFounder(work, database, {
    organizationName: 'The lab',
    slug: 'LAB',
    email: 'operator@example.org',
    name: 'Operator',
    isStaff: true,
  });
  assert.equal(again.userId, founder.userId);
  assert.equal(again.isNew, false);
  const users = await database.read.query('select id from users');
  assert.equal(users.length, 1);
});

test('recovery link: the operator makes one → signs one person in once, with an audit entry', async () => {
  const service = await testService();
  const { database } = service.service;
  const operator = {
    clock: service.clock,
    ids: createIds(systemClock),
    actor: { actorKind: 'operator', actor: 'root', origin: { address: 'host' } },
  } as const;
  assert.equal(await createRecoveryLink(database, operator, 'nobody@example.org'), undefined);
  const link = await createRecoveryLink(database, operator, 'Demo@example.org');
  const browser = new Browser(service);
  assert.equal((await browser.post(link ?? '', {})).location, '/sign-in');
  assert.equal((await new Browser(service).post(link ?? '', {})).status, 410);
  const entries = await database.read.query(
    `select actor from audit_log where operation_id = 'make_sign_in_link'`,
  );
  assert.deepEqual(entries, [{ actor: 'root' }]);
});

/** Starts the service, and gives its process and what it printed up to `last`. */
async function startLive(live: Readonly<Record<string, string>>, args: readonly string[], last: string) {
  const child = spawn(process.execPath, ['bin/assayer.mjs', 'start', ...args], {
    env: { ...process.env, ...live, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  let out = '';
  for await (const chunk of child.stdout) {
    out += String(chunk);
    if (out.includes(last)) break;
  }
  return { child, out, stop };
}

test('live start: --ready-json before the set-up → the line has the newest link, which opens, and no token', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-live-json-'));
  const live = { ENVIRONMENT: 'live', DATA_DIR: dataDir, LOG_LEVEL: 'info' };
  const { out, stop } = await startLive(live, ['--ready-json'], '"url"');
  try {
    const line = out.split('\n').find((each) => each.includes('"url"')) ?? '';
    const ready = parseJson(line);
    const names = ['environment', 'mcp_url', 'portal_url', 'set_up_url', 'url'];
    assert.deepEqual(Object.keys(ready).toSorted(), names, line);
    const link = getText(ready.set_up_url);
    assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/set-up\/[\w-]{32}$/);
    assert.equal((await fetch(link)).status, 200);
    // It is a secret, so it is said once.
    assert.equal(out.split('/set-up/').length, 2, out);
    assert.ok(!existsSync(join(dataDir, 'live.json')));
  } finally {
    await stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('live start: first start → prints the set-up link and writes no token to disk; the operator makes a sign-in link, running or stopped', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-live-'));
  const live = { ENVIRONMENT: 'live', DATA_DIR: dataDir, LOG_LEVEL: 'error' };
  const { child, out, stop } = await startLive(live, [], 'Stop with');
  try {
    assert.match(out, /Set up +Open this once[^\n]*\n +http:\/\/127\.0\.0\.1:\d+\/set-up\/[\w-]{32}\n/);
    assert.doesNotMatch(out, /asy_/);
    assert.ok(!existsSync(join(dataDir, 'live.json')));
    const running = await runAssayer(['admin', 'sign-in-link', 'operator@example.org'], { env: live });
    assert.match(running.out, /^\/sign-in\/link\/[\w-]{32}\n$/, running.err);
    assert.equal(child.exitCode, null);
    await stop();
    const known = await runAssayer(['admin', 'sign-in-link', 'operator@example.org'], {
      env: { ...live, BASE_URL: 'https://lab.example' },
    });
    assert.match(known.out, /^https:\/\/lab\.example\/sign-in\/link\/[\w-]{32}\n$/, known.err);
    const unknown = await runAssayer(['admin', 'sign-in-link', 'nobody@example.org'], { env: live });
    assert.equal(unknown.code, 1);
    assert.match(unknown.err, /There is no user nobody@example\.org/);
  } finally {
    await stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
