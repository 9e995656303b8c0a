import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createBuilders,
  createSequences,
  expectFailure,
  expectStatus,
  UNKNOWN_ID,
  type Invoiced,
} from '#testing/builders.ts';
import { createRecordedService, proveCoverage } from '#testing/recorder.ts';
import { getItems, getText, type Json } from '#testing/service.ts';
import { planTestRun, insertTestRun } from '#testing/stored-runs.ts';

const service = await createRecordedService();
const { ask, issueToken } = service;
const build = await createBuilders(service);
const { create, createBody, createInvoiced, createPaid, createQueued, createStoredRun, planQueued } = build;
const foreign = await issueToken({ role: 'admin', ownOrganization: true });

const post = (path: string, body: unknown = {}) => ask('POST', `/lab/${path}`, { body });
const readRun = async (id: string): Promise<Json> =>
  expectStatus(await ask('GET', `/lab/runs/${id}`), 200).body;
const readStatus = async (id: string, token?: string) =>
  getText((await ask('GET', `/experiments/${id}`, token === undefined ? {} : { token })).body.status);
const listReasons = ({ body }: Awaited<ReturnType<typeof ask>>): string[] =>
  getItems(body.problems).map(({ message }) => getText(message));

/** An order of another organization with its materials in the lab; paid unless told otherwise. */
async function createForeignQueued(isPaid = true): Promise<Invoiced> {
  const body = createBody({ sequences: { secret: createSequences(1)['design-1'] ?? '' } });
  const order = await createInvoiced(body, { token: foreign });
  if (isPaid) expectStatus(await post(`invoices/${order.invoiceId}/bank-transfer`), 201);
  while ((await service.service.worker.runDue()) > 0);
  expectStatus(await post(`experiments/${order.id}/materials`), 200);
  return order;
}

test('create_lab_run: a plan as the planner made it → stored as it is, with its seed, experiments and files', async () => {
  const { code, id } = await createQueued();
  const body = await planTestRun(ask, [code]);
  const stored = expectStatus(await post('runs', body), 201).body;
  assert.match(getText(stored.code), /^RUN-\d{6}$/);
  assert.deepEqual([stored.plan, stored.request], [body.plan, body.request]);
  assert.deepEqual([stored.status, stored.is_startable, stored.start_problems], ['planned', true, []]);
  assert.deepEqual(
    getItems(stored.experiments).map((each) => getText(each.experiment_id)),
    [id],
  );
  assert.deepEqual(await readRun(getText(stored.code)), stored);
  assert.equal(await readStatus(id), 'in_queue');
});

test('list_lab_runs: filters by status and instrument → exactly those, the newest first', async () => {
  const [older, newer] = [await createStoredRun(), await createStoredRun()];
  expectStatus(await ask('PATCH', `/lab/runs/${newer}`, { body: { instrument: 'Octet RH16' } }), 200);
  const listed = expectStatus(await ask('GET', '/lab/runs?filter=eq(status,planned)&limit=100'), 200);
  const ids = new Set(getItems(listed.body.items).map(({ id }) => getText(id)));
  assert.ok(ids.has(older) && ids.has(newer));
  const found = await ask('GET', '/lab/runs?filter=eq(instrument,"Octet RH16")');
  assert.deepEqual(
    getItems(found.body.items).map(({ id }) => getText(id)),
    [newer],
  );
  expectFailure(await ask('GET', '/lab/runs?filter=eq(nothing,1)'), 400, 'invalid_query');
});

test('edit_lab_run: a swap, a new operator → stored; an edit that cannot be made → 422, nothing changes', async () => {
  const id = await createStoredRun();
  const before = await readRun(id);
  const [plate] = JSON.parse(JSON.stringify(before.plan)).plates;
  const [one, other] = plate.wells
    .filter(({ well }: { well: string }) => well.slice(1) === '1')
    .map(({ well }: { well: string }) => ({ plate: 'P1', well }));
  const body = { edits: [{ kind: 'swap', one, other }], operator: 'Grace Example' };
  const edited = expectStatus(await ask('PATCH', `/lab/runs/${id}`, { body }), 200).body;
  assert.equal(edited.operator, 'Grace Example');
  assert.equal(edited.is_startable, true);
  assert.notDeepEqual(edited.plan, before.plan);
  const stored = {
    edits: [
      { kind: 'empty', at: one },
      { kind: 'move', from: one, to: other },
    ],
    operator: null,
  };
  expectFailure(await ask('PATCH', `/lab/runs/${id}`, { body: stored }), 422, 'run_plan_refused');
  assert.deepEqual(await readRun(id), edited);
});

test('run_plan_refused: wells used twice, another seed than that of the request → 422, nothing is stored', async () => {
  const body = await planQueued();
  const plan = JSON.parse(JSON.stringify(body.plan));
  const [well] = plan.plates[0].wells;
  const twice = { ...plan, plates: [{ ...plan.plates[0], wells: [well, well] }] };
  for (const bad of [twice, { ...plan, seed: 8 }])
    expectFailure(await post('runs', { ...body, plan: bad }), 422, 'run_plan_refused');
  const unknown = { ...JSON.parse(JSON.stringify(body.request)), experiment_ids: [UNKNOWN_ID] };
  expectFailure(await post('runs', { ...body, request: unknown }), 404, 'experiment_not_found');
});

test('start_lab_run: two organizations on one plate → both in_production in one step, each told of its own run alone', async () => {
  const [own, theirs] = [await createQueued(), await createForeignQueued()];
  const id = await insertTestRun(ask, [own.code, theirs.code]);
  const started = expectStatus(await post(`runs/${id}/start`, { operator: 'Grace Example' }), 200).body;
  assert.deepEqual([started.status, started.operator], ['running', 'Grace Example']);
  assert.deepEqual(await readRun(id), started);
  assert.equal(await readStatus(own.id), 'in_production');
  assert.equal(await readStatus(theirs.id, foreign), 'in_production');
  const [run] = getItems(expectStatus(await ask('GET', `/lab/experiments/${own.id}`), 200).body.runs);
  assert.deepEqual([run?.lab_run_id, run?.operator, run?.instrument], [id, 'Grace Example', 'Octet R8']);
  for (const [order, token, other] of [
    [own, undefined, theirs],
    [theirs, foreign, own],
  ] as const) {
    const options = token === undefined ? {} : { token };
    for (const path of [`/experiments/${order.id}/updates`, '/audit', `/experiments/${order.id}`]) {
      const { text } = expectStatus(await ask('GET', path, options), 200);
      if (token === undefined && path === '/audit') continue;
      for (const word of [other.code, other.id, 'RUN-', 'Grace Example'])
        assert.ok(!text.includes(word), `${path} says ${word}`);
    }
  }
  const trail = await ask('GET', `/audit?filter=eq(operation,start_run)&limit=100`, { token: foreign });
  assert.deepEqual(
    getItems(trail.body.items).map(({ subject }) => getText(subject)),
    [theirs.id],
  );
  expectFailure(await post(`runs/${id}/start`), 409, 'run_not_planned');
});

test('run_not_startable: one of two experiments lacks materials, one is unpaid → nothing starts, every reason is named', async () => {
  const ready = await createQueued();
  const waiting = await createPaid();
  const unpaid = await createForeignQueued(false);
  const id = await insertTestRun(ask, [ready.code, waiting.code, unpaid.code]);
  const refused = await post(`runs/${id}/start`);
  expectFailure(refused, 409, 'run_not_startable');
  const reasons = listReasons(refused).join('\n');
  assert.match(reasons, new RegExp(`${waiting.code} is waiting_for_materials`));
  assert.match(reasons, new RegExp(`${waiting.code} lacks design-1, `));
  assert.match(reasons, new RegExp(`${unpaid.code} is not paid`));
  assert.ok(!reasons.includes(ready.code));
  assert.deepEqual((await readRun(id)).start_problems, listReasons(refused));
  assert.equal(await readStatus(ready.id), 'in_queue');
});

test('allow_unpaid_run: a reason → the run starts before the payment; staff see who allowed it, the client does not', async () => {
  const order = await createForeignQueued(false);
  const id = await insertTestRun(ask, [order.code]);
  expectFailure(await post(`runs/${id}/start`), 409, 'run_not_startable');
  const reason = 'The purchase order is signed.';
  const allowed = expectStatus(await post(`experiments/${order.id}/allow-unpaid`, { reason }), 200).body;
  const detail = expectStatus(await ask('GET', `/lab/experiments/${order.id}`), 200).body;
  assert.deepEqual(detail.unpaid_release, {
    reason,
    released_by: allowed.released_by,
    created_at: allowed.created_at,
  });
  expectStatus(await post(`runs/${id}/start`), 200);
  const [run] = getItems(expectStatus(await ask('GET', `/lab/experiments/${order.id}`), 200).body.runs);
  assert.equal(run?.override_reason, reason);
  for (const path of [`/experiments/${order.id}`, `/experiments/${order.id}/updates`, '/audit'])
    assert.ok(!(await ask('GET', path, { token: foreign })).text.includes('purchase order'), path);
  const trail = await ask('GET', '/lab/audit?filter=eq(operation,allow_unpaid_run)');
  assert.ok(trail.text.includes(reason));
  expectFailure(await post(`experiments/${order.id}/allow-unpaid`, { reason }), 409, 'move_not_allowed');
  expectFailure(
    await post(`experiments/${UNKNOWN_ID}/allow-unpaid`, { reason }),
    404,
    'experiment_not_found',
  );
});

test('start_run: an experiment released before its payment → starts on its own without another reason', async () => {
  const { id } = await createForeignQueued(false);
  const octet = { instrument: 'Octet R8' };
  expectFailure(await post(`experiments/${id}/runs`, octet), 409, 'run_not_paid');
  expectStatus(await post(`experiments/${id}/allow-unpaid`, { reason: 'a purchase order' }), 200);
  const started = expectStatus(await post(`experiments/${id}/runs`, octet), 201).body;
  assert.equal(started.run?.override_reason, 'a purchase order');
});

test('run_not_startable: no instrument, an expired material, an error in the plan → each is named', async () => {
  const { id, code } = await createQueued();
  const body = await planTestRun(ask, [code]);
  const plan = JSON.parse(JSON.stringify(body.plan));
  const index = plan.plates[0].wells.findIndex(({ role }: { role: string }) => role === 'sample');
  plan.plates[0].wells.splice(index, 1);
  const run = expectStatus(await post('runs', { ...body, plan, instrument: null, operator: null }), 201).body;
  const expired = { sequence_id: null, status: 'received', expires_on: '2001-01-01' };
  const path = `/lab/experiments/${id}/materials`;
  expectStatus(await ask('PATCH', path, { body: { materials: [expired] } }), 200);
  const refused = await post(`runs/${getText(run.id)}/start`);
  const reasons = listReasons(refused).join('\n');
  for (const reason of [/no instrument/, /no operator/, /lacks /, /has no well/])
    assert.match(reasons, reason);
});

test('start_lab_run: two runs of one experiment start at once → one does, the other is refused', async () => {
  const { code } = await createQueued();
  const runs = [await insertTestRun(ask, [code]), await insertTestRun(ask, [code])];
  const answers = await Promise.all(runs.map((id) => post(`runs/${id}/start`)));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409],
  );
});

test('cancel_lab_run: a planned run → canceled with its reason, its experiments stay; a started one → 409', async () => {
  const { id: experimentId, code } = await createQueued();
  const id = await insertTestRun(ask, [code]);
  const reason = 'The instrument is broken.';
  const canceled = expectStatus(await post(`runs/${id}/cancel`, { reason }), 200).body;
  assert.deepEqual([canceled.status, canceled.cancel_reason], ['canceled', reason]);
  assert.deepEqual(await readRun(id), canceled);
  assert.equal(await readStatus(experimentId), 'in_queue');
  expectFailure(await post(`runs/${id}/cancel`, { reason }), 409, 'run_not_planned');
  expectFailure(await ask('PATCH', `/lab/runs/${id}`, { body: {} }), 409, 'run_not_planned');
});

test('write_lab_run_file: a plate map of the stored plan → its wells; a plate it lacks → 422', async () => {
  const id = await createStoredRun();
  const file = expectStatus(await post(`runs/${id}/files`, { plate: 'P1', kind: 'plate_list' }), 200).body;
  const { plates } = JSON.parse(JSON.stringify((await readRun(id)).plan));
  assert.equal(getText(file.content).trimEnd().split('\r\n').length, 1 + plates[0].wells.length);
  expectFailure(await post(`runs/${id}/files`, { plate: 'P9', kind: 'plate_list' }), 422, 'run_file_refused');
});

test('lab_run_not_found: an unknown run by id or code → 404 of each operation', async () => {
  for (const id of [UNKNOWN_ID, 'RUN-999999', 'nothing']) {
    expectFailure(await ask('GET', `/lab/runs/${id}`), 404, 'lab_run_not_found');
    expectFailure(await ask('PATCH', `/lab/runs/${id}`, { body: {} }), 404, 'lab_run_not_found');
    expectFailure(await post(`runs/${id}/start`), 404, 'lab_run_not_found');
    expectFailure(await post(`runs/${id}/cancel`, { reason: 'x' }), 404, 'lab_run_not_found');
    const file = { plate: 'P1', kind: 'plate_list' };
    expectFailure(await post(`runs/${id}/files`, file), 404, 'lab_run_not_found');
  }
});

test('permission_denied: clients → 403 of every operation; staff without lab:review → no release before the payment', async () => {
  const { id } = await create();
  const run = await createStoredRun();
  for (const [method, path, body] of [
    ['GET', '/lab/runs', undefined],
    ['GET', `/lab/runs/${run}`, undefined],
    ['POST', '/lab/runs', await planQueued()],
    ['PATCH', `/lab/runs/${run}`, {}],
    ['POST', `/lab/runs/${run}/start`, {}],
    ['POST', `/lab/runs/${run}/cancel`, { reason: 'x' }],
    ['POST', `/lab/runs/${run}/files`, { plate: 'P1', kind: 'plate_list' }],
    ['POST', `/lab/experiments/${id}/allow-unpaid`, { reason: 'x' }],
  ] as const)
    expectFailure(
      await ask(method, path, { token: foreign, ...(body === undefined ? {} : { body }) }),
      403,
      'permission_denied',
    );
});

proveCoverage('lab-stored-runs');
