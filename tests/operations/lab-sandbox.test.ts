/** The simulated lab of a sandbox: its switch, and the faults that an order can ask for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus, createSequences } from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getText } from '#testing/service.ts';

const service = await createRecordedService();
const live = await createRecordedService({ ENVIRONMENT: 'live' });
const { ask, runLab, issueToken } = service;
const build = await createBuilders(service);

const orderWith = (sandbox: object, spec: object = {}) =>
  build.createBody({ parameters: { sandbox }, ...spec });
const readExperiment = async (id: string) => expectStatus(await ask('GET', `/experiments/${id}`), 200).body;
const readFeed = async (id: string) =>
  getItems(expectStatus(await ask('GET', `/experiments/${id}/updates?limit=100`), 200).body.items);
const readNames = async (id: string) => (await readFeed(id)).map(({ name }) => getText(name));
const readResults = async (id: string) =>
  getItems(expectStatus(await ask('GET', `/experiments/${id}/results`), 200).body.items);
const setLab = (mode: string) => ask('PUT', '/lab/simulated-lab', { body: { mode } });

test('set_simulated_lab: manual → experiments wait for people; simulated → every one of them goes on', async () => {
  assert.deepEqual(expectStatus(await ask('GET', '/lab/simulated-lab'), 200).body, {
    mode: 'simulated',
    changed_by: null,
    changed_at: null,
  });
  expectStatus(await setLab('manual'), 200);
  const waiting = await build.createPaid();
  const queued = await build.createPaid();
  expectStatus(await ask('POST', `/lab/experiments/${queued.id}/materials`, { body: {} }), 200);
  await runLab();
  assert.equal((await readExperiment(waiting.id)).status, 'waiting_for_materials');
  assert.equal((await readExperiment(queued.id)).status, 'in_queue');
  const switched = expectStatus(await setLab('simulated'), 200).body;
  assert.equal(switched.mode, 'simulated');
  assert.ok(getText(switched.changed_by).includes('@'));
  await runLab();
  assert.equal((await readExperiment(waiting.id)).status, 'done');
  assert.equal((await readExperiment(queued.id)).status, 'done');
});

test('set_simulated_lab: manual after a simulated run has begun → the run is recorded and waits in review', async () => {
  const { id } = await build.createPaid();
  await service.service.worker.runDue();
  for (let step = 0; step < 2; step += 1) {
    const [next] = await service.service.database.read.query<{ due: string }>(
      'select min(next_at) as due from jobs where done_at is null and failed_at is null',
    );
    service.clock.advance(Date.parse(next?.due ?? '') - service.clock.now().getTime());
    await service.service.worker.runDue();
  }
  assert.equal((await readExperiment(id)).status, 'in_production');
  expectStatus(await setLab('manual'), 200);
  await runLab();
  assert.equal((await readExperiment(id)).status, 'in_review');
  assert.deepEqual(await readResults(id), []);
  expectStatus(await setLab('simulated'), 200);
  await runLab();
  assert.equal((await readExperiment(id)).status, 'done');
});

test('parameters.sandbox.lab: manual for one order → it alone waits', async () => {
  const byHand = await build.createPaid(orderWith({ lab: 'manual' }));
  const other = await build.createPaid();
  await runLab();
  assert.equal((await readExperiment(byHand.id)).status, 'waiting_for_materials');
  assert.equal((await readExperiment(other.id)).status, 'done');
});

test('permission_denied: a client reads or sets the switch → 403 or 404, and nothing changes', async () => {
  const token = await issueToken({ role: 'admin', ownOrganization: true });
  for (const answer of [
    await ask('GET', '/lab/simulated-lab', { token }),
    await ask('PUT', '/lab/simulated-lab', { token, body: { mode: 'manual' } }),
  ])
    assert.ok([403, 404].includes(answer.status), answer.text);
  const kept = expectStatus(await ask('GET', '/lab/simulated-lab'), 200);
  assert.equal(kept.body.mode, 'simulated');
});

test('sandbox_only: the switch, and parameters.sandbox of an order, in a live environment → 422 with one sentence', async () => {
  const sentence = /Only a sandbox environment has a simulated lab, and this one is live/;
  const spec = { experiment_type: 'expression', sequences: createSequences(1), parameters: { sandbox: {} } };
  for (const answer of [
    await live.ask('GET', '/lab/simulated-lab'),
    await live.ask('PUT', '/lab/simulated-lab', { body: { mode: 'manual' } }),
    await live.ask('POST', '/experiments', { body: { name: 'A round', experiment_spec: spec } }),
  ])
    assert.match(getText(expectFailure(answer, 422, 'sandbox_only').body.error), sentence);
});

test('invalid_experiment: unknown options of the simulated lab → each named with what is allowed', async () => {
  const sandbox = { force: 'fly', faults: ['flood'], speed: 3 };
  const answer = await ask('POST', '/experiments', { body: orderWith(sandbox) });
  expectFailure(answer, 400, 'invalid_experiment');
  assert.match(answer.text, /parameters\.sandbox\.force.*must be one of binder, non_binder/);
  assert.match(
    answer.text,
    /parameters\.sandbox\.faults.*must be a list of some of late_material, no_expression/,
  );
  assert.match(answer.text, /does not know; it knows force, library, lab, faults/);
});

test('faults: late_material → the feed announces the delay once, and the order is finished', async () => {
  const { id } = await build.createPaid(orderWith({ faults: ['late_material'] }));
  await runLab();
  const names = await readNames(id);
  assert.equal(names.filter((name) => name === 'Materials delayed').length, 1);
  assert.ok(names.indexOf('Materials delayed') < names.indexOf('Materials arrived'));
  assert.equal((await readExperiment(id)).status, 'done');
});

test('faults: cancellation → the paid order is canceled with a reason and refunded', async () => {
  const { id, invoiceId } = await build.createPaid(orderWith({ faults: ['cancellation'] }));
  await runLab();
  assert.equal((await readExperiment(id)).status, 'canceled');
  const feed = await readFeed(id);
  assert.ok(
    feed.some(({ description }) => JSON.stringify(description).includes('cannot obtain the materials')),
  );
  const refunds = getItems((await ask('GET', `/lab/refunds?filter=eq(invoice_id,${invoiceId})`)).body.items);
  assert.equal(refunds.length, 1);
});

test('faults: no_expression → the first design is not expressed, the second is measured', async () => {
  const spec = { sequences: createSequences(2), n_replicates: 1 };
  const { id } = await build.createPaid(orderWith({ force: 'binder', faults: ['no_expression'] }, spec));
  await runLab();
  const outcomes = new Map(
    (await readResults(id)).map((row) => [getText(row.sequence_name), getText(row.outcome)] as const),
  );
  const [first = '', second = ''] = Object.keys(createSequences(2));
  assert.equal(outcomes.get(first), 'not_expressed');
  assert.notEqual(outcomes.get(second), 'not_expressed');
});

test('faults: failed_qc → the first run is repeated because of its control, and the second is released', async () => {
  const { id } = await build.createPaid(orderWith({ force: 'binder', faults: ['failed_qc'] }));
  await runLab();
  const feed = await readFeed(id);
  const repeated = feed.filter(({ name }) => getText(name) === 'Run repeated');
  assert.equal(repeated.length, 1);
  assert.match(getText(repeated[0]?.description), /positive control missed its known value/);
  assert.equal((await readExperiment(id)).status, 'done');
  const [result] = await readResults(id);
  assert.ok(!JSON.stringify(result).includes('CONTROL_OFF'), JSON.stringify(result));
});

test('faults: partial_release → half of the results come first, and the feed says how many are to come', async () => {
  const spec = { sequences: createSequences(2), n_replicates: 1 };
  const { id } = await build.createPaid(orderWith({ force: 'binder', faults: ['partial_release'] }, spec));
  const seen: number[] = [];
  for (let step = 0; step < 40 && getText((await readExperiment(id)).status) !== 'done'; step += 1) {
    const [next] = await service.service.database.read.query<{ due: string }>(
      'select min(next_at) as due from jobs where done_at is null and failed_at is null',
    );
    service.clock.advance(Math.max(1, Date.parse(next?.due ?? '') - service.clock.now().getTime()));
    await service.service.worker.runDue();
    seen.push((await readResults(id)).length);
  }
  assert.deepEqual([...new Set(seen)], [0, 1, 2]);
  const part = (await readFeed(id)).find(({ name }) => getText(name) === 'Some results available');
  assert.equal(getText(part?.description), '1 results released; 1 still to come.');
});

proveCoverage('lab-sandbox');
