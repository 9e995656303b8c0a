/** The operator's commands, as processes on a database that a service also uses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chainAuditEntries } from '#workflows/audit-trail.ts';
import { insertAudit } from '#domain/audit/store.ts';
import { insertOrganization } from '#domain/organizations/store.ts';
import { labScope, organizationScope } from '#core/scope.ts';
import { testDatabase } from '#testing/database.ts';
import { assayer } from './cli-process.ts';

const { database, connection } = await testDatabase();
const { host, port, user, database: name } = connection;
const DATABASE_URL = `postgresql://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`;
const operator = (...args: string[]) => assayer(args, { env: { DATABASE_URL } });

const ORGANIZATION = '01980000-0000-7000-8000-0000000000b1';
const createdAt = new Date('2026-03-02T09:00:00.000Z');
const entryId = (number: number) => `01980000-0000-7000-8000-00000000c00${number}`;

test('audit verify: says that the trail is whole, and names the first broken entry when it is not', async () => {
  await insertOrganization(labScope, database.read, {
    id: ORGANIZATION,
    name: 'An organization',
    slug: 'ORG',
    createdAt,
  });
  for (const number of [1, 2, 3])
    await insertAudit(organizationScope(ORGANIZATION), database.read, {
      id: entryId(number),
      userId: null,
      tokenId: null,
      actor: 'somebody@example.org',
      operationId: 'modify_exp',
      subject: null,
      status: 200,
      requestId: null,
      address: null,
      details: { number },
      createdAt,
    });
  const waiting = await operator('audit', 'verify');
  assert.equal(waiting.code, 0, waiting.err);
  assert.match(waiting.out, /0 changes of 0 organizations\. 3 newer changes not chained yet/);
  await chainAuditEntries(database);
  const whole = await operator('audit', 'verify');
  assert.equal(whole.code, 0, whole.err);
  assert.match(whole.out, /The audit trail is whole: 3 changes of 1 organization\.\n/);

  await database.read.query('alter table audit_log disable rule audit_log_fixed');
  await database.read.query(`update audit_log set details = '{"number": 7}' where chain_position >= 2`);
  const broken = await operator('audit', 'verify');
  assert.equal(broken.code, 1);
  assert.equal(broken.out, '');
  assert.equal(
    broken.err,
    `Broken at entry 2 (${entryId(2)}) of organization ${ORGANIZATION}: its content is not what was chained.\n`,
  );
});

test('audit: what is not a command is answered in a sentence', async () => {
  const asked = await operator('audit', 'prove');
  assert.equal(asked.code, 2);
  assert.match(asked.err, /There is nothing called "audit prove"/);
  assert.match((await operator('audit', '--help')).out, /Usage: assayer audit verify/);
});
