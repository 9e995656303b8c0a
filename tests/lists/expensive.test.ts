/** A list query that takes too long ends with advice, and leaves nothing behind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { getNumber, testService, getText } from '#testing/service.ts';

/** The cheap query below needs a small part of it, also on a busy machine. */
const LIMIT_MS = 750;
const SEQUENCES = 40_000;
const { ask, service } = await testService({ LIST_TIMEOUT_MS: String(LIMIT_MS), DATABASE_POOL_SIZE: '2' });

/** In one transaction, which has a limit of its own. */
async function insertSequences(): Promise<void> {
  await service.database.runTransaction(async (tx) => {
    await tx.query(
      `with made as (
         insert into experiments (id, organization_id, code, name, status, experiment_type, n_replicates, sequence_count,
           payment_method, created_at, updated_at)
         values (uuidv7(), $1, 'BIG-001-001', 'big', 'draft', 'screening', 1, 0, 'async_invoice', now(), now())
         returning id
       )
       insert into sequences (experiment_id, ordinal, id, organization_id, name, aa_string, length, is_control, created_at)
       select made.id, n, uuidv7(), $1, 'design-' || n, repeat('ACDEFGHIKLMNPQRSTVY', 25) || n, 500, false, now()
       from made, generate_series(1, $2::int) n`,
      [service.founder.organizationId, SEQUENCES],
    );
  });
}

/** As much work for each row as fits into a filter, and no row that fulfils it. */
const costly = `or(${Array.from({ length: 120 }, (_, index) => `contains(aa_string,VYA%W${index})`).join(',')})`;

test('query_too_expensive: a list query exceeds its limit → 422 with advice, and the connections stay', async () => {
  await insertSequences();
  const path = `/sequences?filter=${encodeURIComponent(costly)}`;
  const started = performance.now();
  const answers = await Promise.all([ask('GET', path), ask('GET', path), ask('GET', path)]);
  const elapsedMs = performance.now() - started;
  for (const answer of answers) {
    expectFailure(answer, 422, 'query_too_expensive');
    assert.match(getText(answer.body.error), /Narrow the filter/);
  }
  assert.ok(elapsedMs < 20 * LIMIT_MS, `${elapsedMs} ms`);
  const pid = async () =>
    (await service.database.read.query<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid;
  assert.equal(await pid(), await pid(), 'the connection was kept');
  const page = expectStatus(await ask('GET', '/sequences?limit=1&filter=eq(name,design-7)'), 200);
  assert.equal(getNumber(page.body.total), 1);
  expectFailure(await ask('GET', path), 422, 'query_too_expensive');
});

test('overloaded: a request that is not a list takes too long → 503', async () => {
  await service.database.runTransaction(async (tx) => {
    await tx.query('lock table sequences in access exclusive mode');
    const list = await ask('GET', '/sequences');
    expectFailure(list, 422, 'query_too_expensive');
    expectFailure(await ask('GET', '/sequences/01980000-0000-7000-8000-000000000000'), 503, 'overloaded');
  });
  expectStatus(await ask('GET', '/sequences'), 200);
});
