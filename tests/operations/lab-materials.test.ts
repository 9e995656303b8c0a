import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createBuilders,
  createSequences,
  expectFailure,
  expectStatus,
  UNKNOWN_ID,
} from '#testing/builders.ts';
import { createRecordedService, proveCoverage } from '#testing/recorder.ts';
import { getItems, getText, type Json } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, clock, issueToken } = service;
const build = await createBuilders(service);
const { createBody, createPaid, createQueued, create, targets } = build;

const readMaterials = async (id: string): Promise<Json> =>
  expectStatus(await ask('GET', `/lab/experiments/${id}/materials`), 200).body;
const record = (id: string, ...materials: readonly unknown[]) =>
  ask('PATCH', `/lab/experiments/${id}/materials`, { body: { materials } });
const listSequenceIds = async (id: string): Promise<string[]> =>
  getItems((await readMaterials(id)).materials).flatMap(({ sequence_id: sequence }) =>
    sequence === null ? [] : [getText(sequence)],
  );
const createTwo = () => createPaid(createBody({ sequences: createSequences(2) }));
const readTitles = async (id: string): Promise<string[]> =>
  getItems((await ask('GET', `/experiments/${id}/updates`)).body.items).map(({ name }) => getText(name));

test('get_lab_materials: a paid order of two sequences with a target → three materials, all missing', async () => {
  const { id } = await createTwo();
  const { materials, n_missing: missing } = await readMaterials(id);
  const kinds = getItems(materials).map(({ kind, status }) => [getText(kind), getText(status)]);
  assert.deepEqual(kinds, [
    ['sequence', 'missing'],
    ['sequence', 'missing'],
    ['antigen', 'missing'],
  ]);
  assert.equal(missing, 3);
});

test('get_lab_materials: an assay without a target → no antigen is needed', async () => {
  const spec = { experiment_type: 'expression', target_id: undefined, method: undefined };
  const { id } = await createPaid(createBody(spec));
  const kinds = getItems((await readMaterials(id)).materials).map(({ kind }) => getText(kind));
  assert.deepEqual(kinds, ['sequence']);
});

test('record_materials: the last missing material arrives → in_queue with one update; before it, no move', async () => {
  const { id } = await createTwo();
  const [first, second] = await listSequenceIds(id);
  const lot = { lot: 'F-17', amount_ug: 1.5, concentration_mg_per_ml: 0.02, expires_on: '2031-01-31' };
  const partly = expectStatus(
    await record(
      id,
      { sequence_id: first, status: 'received', ...lot },
      { sequence_id: second, status: 'ordered' },
      { sequence_id: null, status: 'received', form: 'protein' },
    ),
    200,
  ).body;
  assert.deepEqual([partly.status, partly.n_missing], ['waiting_for_materials', 1]);
  const [known] = getItems(partly.materials);
  assert.deepEqual(
    [known?.lot, known?.amount_ug, known?.concentration_mg_per_ml, known?.expires_on, known?.is_usable],
    ['F-17', 1.5, 0.02, '2031-01-31', true],
  );
  assert.ok(!(await readTitles(id)).includes('Materials arrived'));
  const moved = expectStatus(
    await record(id, { sequence_id: second, status: 'received', form: 'protein' }),
    200,
  ).body;
  assert.deepEqual(
    [moved.previous_status, moved.status, moved.n_missing],
    ['waiting_for_materials', 'in_queue', 0],
  );
  assert.equal((await readTitles(id)).filter((name) => name === 'Materials arrived').length, 1);
  assert.deepEqual((await readMaterials(id)).materials, moved.materials);
  const trail = getItems((await ask('GET', '/audit?filter=eq(operation,record_materials)')).body.items);
  assert.ok(trail.filter(({ subject }) => getText(subject) === id).length === 2);
});

test('record_materials: a material that has expired → does not count as there', async () => {
  const { id } = await createPaid();
  const [sequence] = await listSequenceIds(id);
  const past = new Date(clock.now().getTime() - 86_400_000).toISOString().slice(0, 10);
  const today = clock.now().toISOString().slice(0, 10);
  const both = (day: string) =>
    record(
      id,
      { sequence_id: sequence, status: 'received' },
      { sequence_id: null, status: 'received', expires_on: day },
    );
  assert.equal(expectStatus(await both(past), 200).body.status, 'waiting_for_materials');
  assert.equal(expectStatus(await both(today), 200).body.status, 'in_queue');
});

test('record_materials: an antigen in stock → needs stock of the catalog, has its lot; a sequence is never in stock', async () => {
  const { id } = await createPaid();
  const [sequence] = await listSequenceIds(id);
  const target = `/lab/targets/${targets.perSequence}`;
  const setStock = async (stockUg: number) =>
    expectStatus(await ask('PATCH', target, { body: { stock_ug: stockUg, lot: 'A-3' } }), 200);
  await setStock(0);
  const stocked = { sequence_id: null, status: 'in_stock' };
  const none = expectFailure(await record(id, stocked), 400, 'invalid_request');
  assert.match(none.text, /has none of/);
  await setStock(40);
  expectFailure(await record(id, { ...stocked, amount_ug: 41 }), 400, 'invalid_request');
  expectFailure(await record(id, { sequence_id: sequence, status: 'in_stock' }), 400, 'invalid_request');
  const { body } = expectStatus(await record(id, { ...stocked, amount_ug: 40 }), 200);
  assert.equal(getItems(body.materials)[1]?.lot, 'A-3');
  assert.deepEqual(body.stock, { lot: 'A-3', stock_ug: 40 });
  assert.equal(body.n_missing, 1);
});

test('invalid_request: unknown, repeated and misplaced materials → every problem is named and nothing is written', async () => {
  const { id } = await createPaid();
  const [sequence] = await listSequenceIds(id);
  const answer = await record(
    id,
    { sequence_id: sequence, status: 'received' },
    { sequence_id: sequence, status: 'ordered' },
    { sequence_id: UNKNOWN_ID, status: 'received' },
    { sequence_id: null, status: 'received', form: 'gene_fragment' },
  );
  const refused = expectFailure(answer, 400, 'invalid_request');
  assert.equal(getItems(refused.body.problems).length, 3, refused.text);
  for (const day of ['2027-02-30', '0000-01-01', 'soon'])
    expectFailure(
      await record(id, { sequence_id: null, status: 'received', expires_on: day }),
      400,
      'invalid_request',
    );
  assert.equal((await readMaterials(id)).n_missing, 2);
  const spec = { experiment_type: 'expression', target_id: undefined, method: undefined };
  const plain = await createPaid(createBody(spec));
  expectFailure(await record(plain.id, { sequence_id: null, status: 'received' }), 400, 'invalid_request');
});

test('receive_materials: some materials are recorded → all others are received, and those keep their lots', async () => {
  const { id } = await createPaid();
  const [sequence] = await listSequenceIds(id);
  expectStatus(await record(id, { sequence_id: sequence, status: 'received', lot: 'F-18' }), 200);
  expectStatus(await ask('POST', `/lab/experiments/${id}/materials`, { body: {} }), 200);
  const { materials, n_missing: missing } = await readMaterials(id);
  assert.equal(missing, 0);
  assert.deepEqual(
    getItems(materials).map(({ status, lot }) => [getText(status), lot]),
    [
      ['received', 'F-18'],
      ['received', null],
    ],
  );
});

test('record_materials: a material of a queued experiment is lost → missing without its details, still in_queue', async () => {
  const { id } = await createQueued();
  const [sequence] = await listSequenceIds(id);
  expectStatus(await record(id, { sequence_id: sequence, status: 'received', lot: 'F-1' }), 200);
  const { body } = expectStatus(await record(id, { sequence_id: sequence, status: 'missing' }), 200);
  assert.deepEqual([body.status, body.n_missing], ['in_queue', 1]);
  assert.deepEqual(getItems(body.materials)[0], getItems((await readMaterials(id)).materials)[0]);
  assert.equal(getItems(body.materials)[0]?.lot, null);
});

test('move_not_allowed: materials of a draft → 409; experiment_not_found: of an unknown experiment → 404', async () => {
  const { id } = await create();
  const entry = { sequence_id: null, status: 'received' };
  expectFailure(await record(id, entry), 409, 'move_not_allowed');
  expectFailure(await record(UNKNOWN_ID, entry), 404, 'experiment_not_found');
  expectFailure(await ask('GET', `/lab/experiments/${UNKNOWN_ID}/materials`), 404, 'experiment_not_found');
});

test('permission_denied: clients and read-only staff → no materials are read or written without the right', async () => {
  const { id } = await createPaid();
  const path = `/lab/experiments/${id}/materials`;
  const body = { materials: [{ sequence_id: null, status: 'received' }] };
  const client = await issueToken({ role: 'admin', ownOrganization: true });
  expectFailure(await ask('GET', path, { token: client }), 403, 'permission_denied');
  expectFailure(await ask('PATCH', path, { body, token: client }), 403, 'permission_denied');
  const restrict = { token: service.token, name: 'reader', attenuation: { read_only: true } };
  const derived = expectStatus(await ask('POST', '/tokens/attenuate', { body: restrict }), 201);
  const token = getText(derived.body.token);
  expectStatus(await ask('GET', path, { token }), 200);
  expectFailure(await ask('PATCH', path, { body, token }), 403, 'permission_denied');
});

test('list_lab_materials: an order with one of three materials ordered → counted, the longest waiting first', async () => {
  const { id, code } = await createTwo();
  const [first] = await listSequenceIds(id);
  const past = new Date(clock.now().getTime() - 86_400_000).toISOString().slice(0, 10);
  const received = { sequence_id: null, status: 'received', form: 'protein', expires_on: past };
  expectStatus(await record(id, { sequence_id: first, status: 'ordered' }, received), 200);
  const find = async (filter: string): Promise<Json> =>
    expectStatus(await ask('GET', `/lab/materials?filter=${filter}`), 200).body;
  const [item] = getItems((await find(`eq(experiment_code,${code})`)).items);
  assert.deepEqual(
    [item?.status, item?.n_materials, item?.n_missing, item?.n_ordered, item?.n_expired],
    ['waiting_for_materials', 3, 3, 1, 1],
  );
  const all = getItems((await find('eq(status,waiting_for_materials)')).items);
  const times = all.map(({ status_since: since }) => getText(since));
  assert.deepEqual(times, times.toSorted());
  const { code: queued } = await createQueued();
  const found = getItems((await find('gt(n_missing,0)')).items);
  const missing = new Set(found.map((row) => getText(row.experiment_code)));
  assert.ok(missing.has(code) && !missing.has(queued));
});

test('invalid_query: the list of materials is sorted by an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/lab/materials?sort=color'), 400, 'invalid_query');
});

proveCoverage('lab-materials');
