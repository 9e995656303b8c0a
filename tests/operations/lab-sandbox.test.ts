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
/** Lets the worker take one step after another until the experiment has a status. */
async function takeStepsUntil(
  id: string,
  status: string,
  look: () => Promise<void> = async () => {},
): Promise<void> {
  for (let step = 0; step < 40 && getText((await readExperiment(id)).status) !== status; step += 1) {
    const [next] = await service.service.database.read.query<{ due: string }>(
      'select min(next_at) as due from jobs where done_at is null and failed_at is null',
    );
    service.clock.advance(Math.max(1, Date.parse(next?.due ?? '') - service.clock.now().getTime()));
    await service.service.worker.runDue();
    await look();
  }
}

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
  await takeStepsUntil(id, 'done', async () => void seen.push((await readResults(id)).length));
  assert.deepEqual([...new Set(seen)], [0, 1, 2]);
  const part = (await readFeed(id)).find(({ name }) => getText(name) === 'Some results available');
  assert.equal(getText(part?.description), '1 result released; 1 still to come.');
});

test('faults: repeated_well → one measurement is repeated by another run, and the client reads which and why', async () => {
  const spec = { sequences: createSequences(2), n_replicates: 1 };
  const { id } = await build.createPaid(orderWith({ force: 'binder', faults: ['repeated_well'] }, spec));
  await runLab();
  assert.equal((await readExperiment(id)).status, 'done');
  const feed = await readFeed(id);
  const repeated = feed.filter(({ description }) => JSON.stringify(description).includes('is repeated'));
  assert.equal(repeated.length, 1);
  const results = new Map((await readResults(id)).map((row) => [getText(row.sequence_name), row] as const));
  const [first, second] = [results.get('design-1'), results.get('design-2')];
  assert.equal(first?.outcome, 'measured');
  assert.equal(getItems(first.excluded_replicates)[0]?.reason, 'The sensor lost contact with its well.');
  assert.deepEqual([first.n_replicates, second?.n_replicates], [1, 1]);
  assert.deepEqual(getItems(second?.excluded_replicates), []);
});

test('faults: amendment → after the release a measurement is left out, and the new version has the reason', async () => {
  const spec = { sequences: createSequences(1), n_replicates: 2 };
  const { id } = await build.createPaid(orderWith({ force: 'binder', faults: ['amendment'] }, spec));
  await runLab();
  assert.equal((await readExperiment(id)).status, 'done');
  const [result] = await readResults(id);
  assert.deepEqual([result?.status, result?.version, result?.n_replicates], ['amended', 2, 1]);
  const amended = (await readFeed(id)).filter(({ name }) => getText(name) === 'Results amended');
  assert.equal(amended.length, 1);
  assert.match(getText(amended[0]?.description), /an air bubble was found/);
});

test('faults: a person decides in the review, or after the release → neither fault changes or leaves that review', async () => {
  const spec = { sequences: createSequences(1), n_replicates: 2 };
  const faults = ['repeated_well', 'amendment'];
  const decision = { sequence: 'design-1', plate: 'P1', replicate: 1, decision: 'accept' };
  const reviewed = await build.createPaid(orderWith({ force: 'binder', faults }, spec));
  await takeStepsUntil(reviewed.id, 'in_review');
  const decided = await ask('POST', `/lab/experiments/${reviewed.id}/decisions`, {
    body: { decisions: [decision] },
  });
  expectStatus(decided, 200);
  await runLab();
  assert.equal((await readExperiment(reviewed.id)).status, 'in_review');
  expectStatus(
    await ask('POST', `/lab/experiments/${reviewed.id}/release`, {
      body: { reason: 'Less than ordered is enough.' },
    }),
    200,
  );
  await runLab();
  const { events } = expectStatus(await ask('GET', `/lab/experiments/${reviewed.id}/review`), 200).body;
  assert.deepEqual(
    getItems(events).map(({ action }) => getText(action)),
    ['analyzed', 'decided', 'released'],
  );
  const later = await build.createPaid(orderWith({ force: 'binder', faults: ['amendment'] }, spec));
  await takeStepsUntil(later.id, 'done');
  const again = { reason: 'A person looks again.' };
  expectStatus(await ask('POST', `/lab/experiments/${later.id}/reanalyze`, { body: again }), 201);
  await runLab();
  const review = expectStatus(await ask('GET', `/lab/experiments/${later.id}/review`), 200).body;
  assert.deepEqual([review.awaits, getItems(review.decisions)], ['amendment', []]);
  assert.equal((await readResults(later.id))[0]?.version, 1);
});

proveCoverage('lab-sandbox');
