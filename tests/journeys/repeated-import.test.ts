import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { testService } from '#testing/service.ts';

const { ask } = await testService();
const PLAN = { name: 'imported', experiment_type: 'expression' };

const upload = (query: Readonly<Record<string, string>>) =>
  ask('POST', `/experiments/import?${new URLSearchParams(query).toString()}`, {
    payload: '>design-1\nMKTAYIAKQR\n',
    headers: { 'content-type': 'text/x-fasta', 'idempotency-key': 'import-query' },
  });

test('idempotency_key_reused: a key is repeated with the same file and another query → 422; with the same query in another order → the first answer', async () => {
  const first = expectStatus(await upload(PLAN), 201);
  for (const [field, value] of [
    ['name', 'another name'],
    ['n_replicates', '2'],
    ['auto_accept_quote', 'true'],
  ] as const)
    expectFailure(await upload({ ...PLAN, [field]: value }), 422, 'idempotency_key_reused');
  const again = expectStatus(await upload(Object.fromEntries(Object.entries(PLAN).toReversed())), 201);
  assert.equal(again.body.experiment_id, first.body.experiment_id);
  assert.equal(again.headers['idempotency-replayed'], 'true');
});
