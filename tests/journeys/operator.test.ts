/** The operator's commands, as processes on a database that a service also uses. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { grantByOperator } from '#core/grants.ts';
import { appendAuditEntries } from '#features/audit/chain.ts';
import { INSTALLATION_ID } from '#features/audit/rules.ts';
import { insertAudit } from '#features/audit/store.ts';
import { insertOrganization, insertUser, setMembership } from '#features/organizations/store.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { testDatabase } from '#testing/database.ts';
import { runAssayer } from './cli-process.ts';

const { database, connection } = await testDatabase();
const { host, port, user, database: name } = connection;
const DATABASE_URL = `postgresql://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`;
const runOperator = (...args: string[]) => runAssayer(args, { env: { DATABASE_URL } });

const ORGANIZATION = '01980000-0000-7000-8000-0000000000b1';
const createdAt = new Date('2026-03-02T09:00:00.000Z');
const createEntryId = (number: number) => `01980000-0000-7000-8000-00000000c00${number}`;

test('assayer audit verify: an intact and an altered log → "whole", or exit code 1 with the first broken entry', async () => {
  await insertOrganization(database.read, {
    id: ORGANIZATION,
    name: 'An organization',
    slug: 'ORG',
    createdAt,
  });
  for (const number of [1, 2, 3])
    await insertAudit(createOrganizationScope(ORGANIZATION), database.read, {
      id: createEntryId(number),
      user_id: null,
      token_id: null,
      actor_kind: 'user',
      actor: 'somebody@example.org',
      operation_id: 'modify_exp',
      subject: null,
      status: 200,
      request_id: null,
      address: null,
      details: { number },
      created_at: createdAt,
    });
  const waiting = await runOperator('audit', 'verify');
  assert.equal(waiting.code, 0, waiting.err);
  assert.match(waiting.out, /0 changes of 0 organizations\. 3 newer changes not chained yet/);
  await appendAuditEntries(database);
  const whole = await runOperator('audit', 'verify');
  assert.equal(whole.code, 0, whole.err);
  assert.match(whole.out, /The audit trail is intact: 3 changes of 1 organization\.\n/);
  const source = { source: 'database', entries: 3, organizations: 1, waiting: 0, heads: [] };
  const verdict: unknown = JSON.parse((await runOperator('audit', 'verify', '--json')).out);
  assert.deepEqual(verdict, { ...source, outcome: 'intact', problems: [] });

  await database.read.query('alter table audit_log disable rule audit_log_fixed');
  await database.read.query(`update audit_log set details = '{"number": 7}' where chain_position >= 2`);
  const broken = await runOperator('audit', 'verify');
  assert.equal(broken.code, 1);
  assert.equal(broken.out, '');
  assert.equal(
    broken.err,
    `Broken at entry 2 (${createEntryId(2)}) of organization ${ORGANIZATION}: its content does not match its hash.\n`,
  );
  const verified = await runOperator('audit', 'verify', '--json');
  assert.equal(verified.code, 1);
  assert.deepEqual(JSON.parse(verified.out), {
    ...source,
    entries: 1,
    outcome: 'broken',
    problems: [
      { organization_id: ORGANIZATION, position: 2, entry_id: createEntryId(2), message: broken.err.trim() },
    ],
  });
  assert.match(verified.err, /^\{"error":\{"code":"command_failed"/);
});

test('assayer audit: an unknown command → exit code 2 and a sentence', async () => {
  const refused = await runOperator('audit', 'prove');
  assert.equal(refused.code, 2);
  assert.match(refused.err, /"assayer audit" has no "prove"; see "assayer audit --help"/);
  assert.match((await runOperator('audit', '--help')).out, /Usage: assayer audit verify/);
});

const userId = '01980000-0000-7000-8000-0000000000d1';
const email = 'integrator@example.org';

test('assayer admin: make-staff and make-partner, each twice → done once, and the second call says so', async () => {
  await insertUser(database.read, { id: userId, email, name: null, created_at: createdAt });
  const nowhere = await runOperator('admin', 'make-partner', email);
  assert.equal(nowhere.code, 1);
  assert.equal(nowhere.err, `${email} belongs to no organization.\n`);
  const grant = grantByOperator({ organizationId: ORGANIZATION, role: 'admin' });
  const membership = { user_id: userId, at: createdAt };
  await setMembership(createOrganizationScope(ORGANIZATION), database.read, grant, membership);

  assert.equal((await runOperator('admin', 'make-staff', email)).out, `${email} is now of the staff.\n`);
  assert.equal((await runOperator('admin', 'make-staff', email)).out, `${email} is already of the staff.\n`);
  const partner = await runOperator('admin', 'make-partner', email, '--organization', 'org');
  assert.equal(partner.out, `${email} is now a partner within An organization.\n`, partner.err);
  const again = await runOperator('admin', 'make-partner', email);
  assert.equal(again.out, `${email} is already a partner within An organization.\n`);
  const [user] = await database.read.query<{ staff_roles: string[]; partners: number }>(
    'select staff_roles, (select count(*) from partners where user_id = id) as partners from users where id = $1',
    [userId],
  );
  assert.deepEqual(user, { staff_roles: ['operator', 'manager', 'finance'], partners: 1 });
  // Once each, although both were said twice.
  const entries = await database.read.query(
    `select organization_id, operation_id, actor_kind, actor <> '' as named, address <> '' as placed from audit_log
     where subject = $1 order by created_at`,
    [userId],
  );
  const operatorEntry = { actor_kind: 'operator', named: true, placed: true };
  assert.deepEqual(entries, [
    { organization_id: INSTALLATION_ID, operation_id: 'make_staff', ...operatorEntry },
    { organization_id: ORGANIZATION, operation_id: 'make_partner', ...operatorEntry },
  ]);
});

test('assayer admin: unknown person, organization or command → a sentence and its exit code', async () => {
  const cases: readonly (readonly [args: readonly string[], code: number, text: RegExp])[] = [
    [['make-staff', 'nobody@example.org'], 1, /There is no user nobody@example\.org/],
    [['make-partner', email, '--organization', 'OTHER'], 1, /--organization: ORG\./],
    [['make-king', email], 2, /takes make-staff, make-partner, or sign-in-link, not "make-king"/],
    [['make-staff'], 2, /EMAIL is missing/],
  ];
  for (const [args, code, text] of cases) {
    const answer = await runOperator('admin', ...args);
    assert.equal(answer.code, code, answer.err);
    assert.match(answer.err, text);
  }
});

test('assayer audit verify, ledger check: a directory without a database → exit code 1, and none is made', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-operator-'));
  const dataDir = join(directory, 'data');
  try {
    for (const verb of [
      ['audit', 'verify'],
      ['ledger', 'check'],
    ]) {
      const answer = await runAssayer([...verb, '--data-dir', dataDir], { env: { DATABASE_URL: '' } });
      assert.equal(answer.code, 1, answer.out);
      assert.match(answer.err, /^DATA_DIR .* holds no database\. Give the directory of the service/);
    }
    assert.equal(existsSync(dataDir), false);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
