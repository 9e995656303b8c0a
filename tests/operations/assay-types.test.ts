import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus, listProblemPaths, VHH } from '#testing/builders.ts';
import { createRecordedService, proveCoverage } from '#testing/recorder.ts';
import { getItems, getText, testService, type Json } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken } = service;
const { createBody, create } = await createBuilders(service);
const client = await issueToken({ ownOrganization: true, role: 'viewer' });

const offer = async (type: string, body: Readonly<Record<string, unknown>>) =>
  expectStatus(await ask('PATCH', `/lab/assay-types/${type}`, { body }), 200);

const DOORS = ['/experiments', '/experiments/validate', '/experiments/cost-estimate'];
async function expectRefused(spec: Readonly<Record<string, unknown>>, code: string): Promise<Json> {
  const { experiment_spec, ...envelope } = createBody(spec);
  const bodies = [{ ...envelope, experiment_spec }, { ...envelope, experiment_spec }, { experiment_spec }];
  let last: Json | undefined;
  for (const [index, path] of DOORS.entries())
    last = expectFailure(await ask('POST', path, { body: bodies[index] }), 422, code).body;
  if (last === undefined) throw new Error('no door was asked');
  return last;
}

test('list_assay_types: a sandbox → its five assays with methods and replicates, for every client', async () => {
  const { body } = expectStatus(await ask('GET', '/assay-types', { token: client }), 200);
  assert.deepEqual(
    getItems(body.items).map(({ experiment_type: type }) => type),
    ['affinity', 'expression', 'fluorescence', 'screening', 'thermostability'],
  );
  assert.deepEqual(body.items[0], {
    experiment_type: 'affinity',
    title: 'Affinity',
    requires_target: true,
    methods: ['bli', 'spr'],
    n_replicates_min: 1,
    n_replicates_max: 5,
    turnaround_workdays: 10,
  });
  assert.equal((await ask('GET', '/assay-types', { token: null })).status, 401);
});

test('invalid_query: an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/assay-types?sort=desc(offered)'), 400, 'invalid_query');
});

test('experiment_type_not_offered: an assay is withdrawn → no client sees or orders it; its draft is read and not submitted', async () => {
  const draft = await create();
  await offer('screening', { offered: false });
  const listed = expectStatus(await ask('GET', '/assay-types', { token: client }), 200);
  assert.ok(!listed.text.includes('screening'));
  const refused = await expectRefused({}, 'experiment_type_not_offered');
  assert.equal(refused.error, 'The assay screening is not offered by this lab.');
  expectStatus(await ask('GET', `/experiments/${draft.id}`), 200);
  expectStatus(await ask('PATCH', `/experiments/${draft.id}`, { body: { n_replicates: 2 } }), 200);
  const submitted = await ask('POST', `/experiments/${draft.id}/submit`);
  expectFailure(submitted, 422, 'experiment_type_not_offered');
  await offer('screening', { offered: true });
  expectStatus(await ask('POST', `/experiments/${draft.id}/submit`), 200);
});

test('unprocessable_experiment: a method or a number of replicates that is not offered → 422 with both paths, also at submission', async () => {
  const draft = await create(createBody({ method: 'spr', n_replicates: 5 }));
  await offer('screening', { methods: ['bli'], n_replicates_max: 2 });
  const refused = await expectRefused({ method: 'spr', n_replicates: 5 }, 'unprocessable_experiment');
  const paths = ['experiment_spec.method', 'experiment_spec.n_replicates'];
  assert.deepEqual(
    getItems(refused.problems)
      .map(({ path }) => getText(path))
      .toSorted(),
    paths,
  );
  const submitted = await ask('POST', `/experiments/${draft.id}/submit`);
  const problem = expectFailure(submitted, 422, 'unprocessable_experiment');
  assert.deepEqual(listProblemPaths(problem), ['method', 'n_replicates']);
  const changed = await ask('PATCH', `/experiments/${draft.id}`, { body: { n_replicates: 4 } });
  assert.deepEqual(listProblemPaths(expectFailure(changed, 422, 'unprocessable_experiment')), [
    'n_replicates',
  ]);
  const cloned = await ask('POST', `/experiments/${draft.id}/clone`, { body: {} });
  expectFailure(cloned, 422, 'unprocessable_experiment');
});

test('n_replicates: none is named and the usual three are not offered → the nearest number that is', async () => {
  await offer('screening', { methods: ['bli'], n_replicates_max: 2 });
  const made = await create(createBody({ method: 'bli', n_replicates: undefined }));
  assert.equal((await ask('GET', `/experiments/${made.id}`)).body.n_replicates, 2);
});

test('epitope_binning: the lab offers it → refused for its missing price, then priced like any other', async () => {
  const spec = {
    experiment_type: 'epitope_binning',
    method: undefined,
    target_id: undefined,
    sequences: { a: VHH },
    n_replicates: 1,
  };
  const before = await expectRefused(spec, 'experiment_type_not_offered');
  assert.equal(before.error, 'The assay epitope_binning is not offered by this lab.');
  await offer('epitope_binning', { offered: true });
  const unpriced = await expectRefused(spec, 'experiment_type_not_offered');
  assert.match(getText(unpriced.error), /staff first have to publish a price list with a price for it/);
  const lists = await ask('GET', '/lab/price-lists?sort=desc(effective_from)');
  const [present] = getItems(lists.body.items);
  const price = { experiment_type: 'epitope_binning', unit_price_cents: 30_000, replicate_price_cents: 1 };
  const body = {
    effective_from: '2026-01-01T00:00:00Z',
    prices: [...getItems(present?.prices), price],
  };
  const list = expectStatus(await ask('POST', '/lab/price-lists', { body }), 201).body;
  expectStatus(await ask('POST', `/lab/price-lists/${getText(list.id)}/publish`), 200);
  const { experiment_spec } = createBody(spec);
  const priced = await ask('POST', '/experiments/cost-estimate', { body: { experiment_spec } });
  assert.equal(expectStatus(priced, 200).body.breakdown.total_cents, 30_000);
});

test('live: a new environment → it sells nothing, says what staff do first, and sells once they have done it', async () => {
  const live = await testService({ ENVIRONMENT: 'live' });
  const experiment_spec = { experiment_type: 'expression', sequences: { a: VHH }, n_replicates: 1 };
  const askPrice = () => live.ask('POST', '/experiments/cost-estimate', { body: { experiment_spec } });
  const expectNothing = async () => {
    for (const answer of [
      await askPrice(),
      await live.ask('POST', '/experiments', { body: { name: 'First', experiment_spec } }),
    ]) {
      const { body } = expectFailure(answer, 422, 'experiment_type_not_offered');
      assert.equal(
        body.error,
        'The assay expression is not offered by this lab: the lab sells nothing yet; its staff first have to publish a price list and to offer an assay.',
      );
    }
  };
  await expectNothing();
  assert.equal((await live.ask('GET', '/assay-types')).body.total, 0);
  assert.equal((await live.ask('GET', '/lab/price-lists')).body.total, 0);
  const known = expectStatus(await live.ask('GET', '/lab/assay-types'), 200).body;
  assert.equal(known.total, 7);
  expectStatus(await live.ask('PATCH', '/lab/assay-types/expression', { body: { offered: true } }), 200);
  await expectNothing();
  const price = { experiment_type: 'expression', unit_price_cents: 8_000, replicate_price_cents: 0 };
  const body = { effective_from: '2026-01-01T00:00:00Z', prices: [price] };
  const list = expectStatus(await live.ask('POST', '/lab/price-lists', { body }), 201).body;
  await expectNothing();
  const published = await live.ask('POST', `/lab/price-lists/${getText(list.id)}/publish`);
  assert.match(getText(expectStatus(published, 200).body.version), /^v1_/);
  assert.equal(expectStatus(await askPrice(), 200).body.breakdown.total_cents, 8_000);
});

proveCoverage('assay-types');
