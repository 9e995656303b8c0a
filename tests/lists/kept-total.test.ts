/** The total that is kept must be what a count would say, whatever came and went at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { getNumber, testService } from '#testing/service.ts';

const world = await testService();
const { ask, issueToken, service } = world;
const { create, createBody } = await createBuilders(world);

async function readTotals(): Promise<{ kept: number; counted: number }> {
  const kept = expectStatus(await ask('GET', '/experiments?limit=1'), 200);
  const counted = await service.database.read.query<{ count: number }>(
    'select count(*) as count from experiments where organization_id = $1',
    [service.founder.organizationId],
  );
  return { kept: getNumber(kept.body.total), counted: counted[0]?.count ?? -1 };
}

test('kept total: concurrent, refused and repeated creations and deletions → equals the count', async () => {
  const made = await Promise.all(Array.from({ length: 12 }, () => create(createBody())));
  assert.deepEqual(await readTotals(), { kept: 12, counted: 12 });

  const drop = ({ id }: { id: string }) => ask('DELETE', `/experiments/${id}`);
  const gone = made.slice(0, 5);
  const answers = await Promise.all([...gone, ...gone].map((draft) => drop(draft)));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [...gone.map(() => 204), ...gone.map(() => 404)],
  );
  const refused = await ask('POST', '/experiments', {
    body: { ...createBody(), auto_accept_quote: true, name: '' },
  });
  assert.equal(refused.status, 400);
  assert.deepEqual(await readTotals(), { kept: 7, counted: 7 });
});

test('kept total: an organization without experiments → 0', async () => {
  const token = await issueToken({ ownOrganization: true });
  assert.equal(expectStatus(await ask('GET', '/experiments', { token }), 200).body.total, 0);
});
