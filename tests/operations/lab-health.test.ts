import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import { INSTALLATION_ID } from '#features/audit/rules.ts';
import { abandonJob, enqueue } from '#features/jobs/store.ts';
import { createBuilders, expectFailure, expectStatus } from '#testing/builders.ts';
import { createRecordedService, proveCoverage } from '#testing/recorder.ts';
import { getItems, getText, type Json } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, clock, issueToken } = service;
const { database, founder, worker } = service.service;
const build = await createBuilders(service);

async function listFailed(): Promise<readonly Json[]> {
  const { body } = expectStatus(await ask('GET', '/lab/jobs?filter=eq(status,failed)&limit=100'), 200);
  return getItems(body.items);
}

test('get_lab_setup: a sandbox → each matter once, and nothing missing', async () => {
  const { body } = expectStatus(await ask('GET', '/lab/setup'), 200);
  assert.deepEqual(
    getItems(body.items).map(({ matter, state }) => [matter, state]),
    ['mail', 'payment', 'seller', 'backup'].map((matter) => [matter, 'set']),
  );
});

test('list_jobs: a failed job of an order → its kind, order, reason and organization; its payload stays inside', async () => {
  const { id, code } = await build.create();
  const scope = createOrganizationScope(founder.organizationId);
  const now = clock.now();
  const payload = { experiment_id: id, secret: 'never-shown' };
  await database.runTransaction((tx) => enqueue(scope, tx, { kind: 'odd_kind', payload, dueAt: now }, now));
  const [row] = await database.read.query<{ id: number }>(`select id from jobs where kind = 'odd_kind'`);
  await abandonJob(database.read, row?.id ?? 0, { at: now, error: 'The file is gone.' });
  const found = (await listFailed()).find((job) => job.kind === ('odd_kind' as unknown));
  assert.equal(found?.experiment_code, code);
  assert.equal(found?.last_error, 'The file is gone.');
  assert.equal(found?.organization_id, founder.organizationId);
  assert.ok(!JSON.stringify(found).includes('never-shown'));
});

test('retry_job: a failed job → due at once with all its attempts, in the audit trail of the installation', async () => {
  const id = await build.createFailedJob();
  const { body } = expectStatus(await ask('POST', `/lab/jobs/${id}/retry`, { body: {} }), 200);
  assert.deepEqual([body.id, body.status, body.attempts, body.failed_at], [id, 'waiting', 0, null]);
  assert.equal(body.next_at, clock.now().toISOString());
  assert.equal(await worker.runDue(), 1);
  const trail = await ask('GET', `/lab/audit?filter=eq(organization_id,${INSTALLATION_ID})&limit=1`);
  assert.equal(getText(getItems(trail.body.items)[0]?.operation), 'retry_job');
});

test('job_not_failed: a waiting job, and one that a newer job has replaced → 409', async () => {
  const id = await build.createFailedJob();
  const path = `/lab/jobs/${id}/retry`;
  await database.read.query(`update jobs set unique_key = 'once' where id = $1`, [id]);
  const now = clock.now();
  const newer = {
    kind: 'sandbox_lab_step',
    payload: {},
    dueAt: new Date(now.getTime() + 1_000),
    uniqueKey: 'once',
  };
  await database.runTransaction((tx) => enqueue(labScope, tx, newer, now));
  const refused = expectFailure(await ask('POST', path, { body: {} }), 409, 'job_not_failed');
  assert.match(refused.text, /replaced by a newer one/);
  await database.read.query(`update jobs set unique_key = null where id = $1`, [id]);
  expectStatus(await ask('POST', path, { body: {} }), 200);
  expectFailure(await ask('POST', path, { body: {} }), 409, 'job_not_failed');
});

test('job_not_found: an unknown job → 404', async () => {
  expectFailure(await ask('POST', '/lab/jobs/999999999/retry', { body: {} }), 404, 'job_not_found');
});

test('permission_denied: an operator retries a job, a client lists or retries one → 403; an operator lists them → 200', async () => {
  const path = `/lab/jobs/${await build.createFailedJob()}/retry`;
  const operator = await issueToken({ staffRoles: ['operator'] });
  const client = await issueToken({ role: 'admin' });
  expectStatus(await ask('GET', '/lab/jobs', { token: operator }), 200);
  expectFailure(await ask('POST', path, { token: operator, body: {} }), 403, 'permission_denied');
  for (const [method, address] of [
    ['GET', '/lab/jobs'],
    ['POST', path],
  ] as const)
    expectFailure(await ask(method, address, { token: client }), 403, 'permission_denied');
});

test('invalid_query: an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/lab/jobs?filter=eq(payload,x)'), 400, 'invalid_query');
});

proveCoverage('lab-health');
