import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getTurn, describeTurn } from '#core/lifecycle.ts';
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
const { create, createQuoted, createInvoiced, createPaid, createReviewed, createUnpriced } = build;
const foreign = await issueToken({ role: 'admin', ownOrganization: true });

const listQueue = async (query: string): Promise<readonly Json[]> =>
  getItems(expectStatus(await ask('GET', `/lab/experiments?limit=100&${query}`), 200).body.items);
const readDetail = async (id: string): Promise<Json> =>
  expectStatus(await ask('GET', `/lab/experiments/${id}`), 200).body;

test('list_lab_experiments: orders of two organizations → both, with their organization and whose turn it is', async () => {
  const own = await createPaid();
  const body = build.createBody({});
  const target = await ask('POST', '/experiments', { body, token: foreign });
  const theirs = getText(expectStatus(target, 201).body.experiment_id);
  const items = await listQueue('');
  const [first, second] = [own.id, theirs].map((id) => items.find((item) => getText(item.id) === id));
  assert.notEqual(getText(first?.organization_id), getText(second?.organization_id));
  assert.equal(first?.status, 'waiting_for_materials');
  assert.equal(first?.waiting_actor, 'lab');
  assert.equal(first?.invoice_status, 'paid');
  assert.equal(second?.waiting_actor, 'client');
  assert.equal(second?.awaiting, 'the client has to submit the experiment');
});

test('list_lab_experiments: filters by turn, organization and status → exactly those', async () => {
  const { id } = await createQuoted();
  const [item] = await listQueue(`filter=eq(id,${id})`);
  const organization = getText(item?.organization_id);
  for (const filter of [
    'eq(waiting_actor,client)',
    `eq(organization_id,${organization})`,
    'eq(status,quote_sent)',
  ])
    assert.ok(
      (await listQueue(`filter=${filter}`)).some((each) => getText(each.id) === id),
      filter,
    );
  assert.ok(
    (await listQueue('filter=eq(waiting_actor,lab)')).every((each) => getText(each.waiting_actor) === 'lab'),
  );
  expectFailure(await ask('GET', '/lab/experiments?filter=eq(nothing,1)'), 400, 'invalid_query');
});

test('status_since: a move → its time; a change of the name → unchanged; the longest waiting comes first', async () => {
  const { id } = await create();
  const before = getText((await readDetail(id)).status_since);
  clock.advance(60_000);
  expectStatus(await ask('PATCH', `/experiments/${id}`, { body: { name: 'renamed' } }), 200);
  assert.equal((await readDetail(id)).status_since, before);
  expectStatus(await ask('POST', `/experiments/${id}/submit`, { body: {} }), 200);
  assert.equal((await readDetail(id)).status_since, clock.now().toISOString());
  const since = (await listQueue('')).map((item) => getText(item.status_since));
  assert.deepEqual(since, since.toSorted());
});

test('waiting_actor: experiments of every state → the turn that the record of the client states', async () => {
  await Promise.all([create(), createUnpriced(), createQuoted(), createInvoiced(), createPaid()]);
  await createReviewed();
  for (const item of await listQueue('')) {
    const { body } = await ask('GET', `/experiments/${getText(item.id)}`);
    if (body.waiting_on === undefined) continue;
    assert.equal(item.waiting_actor, body.waiting_on.actor, getText(item.status));
  }
  assert.equal(describeTurn(getTurn('in_queue', 'open')).actor, 'client');
});

test('get_lab_experiment: an experiment in review → its money, run, files, unreleased outcomes and history', async () => {
  const { id, code } = await createReviewed();
  const detail = await readDetail(code);
  assert.equal(detail.id, id);
  assert.equal(detail.status, 'in_review');
  assert.equal(detail.invoice?.status, 'paid');
  assert.equal(detail.quote?.status, 'accepted');
  const [run] = getItems(detail.runs);
  assert.equal(run?.instrument, 'Octet R8');
  assert.equal(run?.file_count, 1);
  assert.ok(JSON.stringify(detail.outcomes).includes('"released":false'));
  assert.ok(getItems(detail.outcomes).length > 0);
  const titles = getItems(detail.history).map(({ name }) => getText(name));
  assert.equal(titles.at(-1), 'Analysis complete');
  assert.ok(titles.includes('Materials arrived'));
  assert.equal('sequences' in detail, false, 'sequences have an operation of their own, which is audited');
});

test('get_lab_experiment: a flat melting curve and one that melts, in wells that the settings assign → both count; the finding no_transition, and none', async () => {
  const spec = { experiment_type: 'thermostability', sequences: createSequences(2) };
  const { id } = await build.createRunning({ name: 'Melts', experiment_spec: spec });
  const temperatures = Array.from({ length: 141 }, (_, index) => 25 + index / 2);
  const flicker = (celsius: number) => 2e-4 * Math.sin(celsius * 78.233);
  const melt = (celsius: number) => 0.8 + 0.3 / (1 + Math.exp((60 - celsius) / 1.2)) + flicker(celsius);
  const rows = temperatures.map((celsius) =>
    [celsius, 0.8 + flicker(3 * celsius), melt(celsius)].map((cell) => cell.toFixed(5)).join(','),
  );
  const content = Buffer.from(['Temperature,A1,A2', ...rows].join('\n'), 'utf8').toString('base64');
  const post = async (path: string, body: unknown, status: number) =>
    expectStatus(await ask('POST', `/lab/experiments/${id}/${path}`, { body }), status);
  await post('files', { name: 'melts.csv', content_base64: content }, 201);
  const assign = { A1: { sample: 'design-1' }, A2: { sample: 'design-2' } };
  const refused = await ask('POST', `/lab/experiments/${id}/complete`, { body: { settings: { assign } } });
  expectFailure(refused, 409, 'less_than_ordered');
  assert.deepEqual(refused.body.problems, [
    {
      path: 'reason',
      message:
        '2 of 6 ordered replicates (design-1: 1 of 3, design-2: 1 of 3): give a reason to go on without the rest, or bring the rest',
    },
  ]);
  await post('complete', { settings: { assign }, reason: 'One well of each design is measured.' }, 200);
  while ((await service.service.worker.runDue()) > 0);
  assert.deepEqual(
    getItems((await readDetail(id)).outcomes).map(({ outcome, finding, count }) => [outcome, finding, count]),
    [
      ['measured', null, 1],
      ['measured', 'no_transition', 1],
    ],
  );
});

test('get_lab_sequences: staff read sequences → all of them with advice, and the trail of their owner names the reader', async () => {
  const { id, code } = await create(
    build.createBody({ sequences: { odd: 'MKTAYIAKQRQISFVKSHFSRQLEERLGLIECVQAPILSRVGDGTQDNLSGAEKAVQVK' } }),
  );
  const read = expectStatus(await ask('GET', `/lab/experiments/${code}/sequences`), 200).body;
  const [sequence] = getItems(read.sequences);
  assert.equal(sequence?.name, 'odd');
  assert.match(getText(read.fasta), /^>odd\nMKTAY/);
  assert.ok(getItems(read.warning_groups).some(({ rule }) => getText(rule) === 'cysteine_odd'));
  const trail = getItems((await ask('GET', `/audit?filter=eq(operation,get_lab_sequences)`)).body.items);
  assert.ok(
    trail.some(({ subject }) => [code, id].includes(getText(subject))),
    JSON.stringify(trail),
  );
  assert.ok(trail.every(({ actor }) => getText(actor).includes('@')));
});

test('add_lab_note: a note → beside the experiment for staff with its author, and on no answer to the client', async () => {
  const { id } = await create();
  const note = 'Call before the run <b>first</b>.';
  const added = expectStatus(await ask('POST', `/lab/experiments/${id}/notes`, { body: { note } }), 201).body;
  assert.deepEqual(getItems((await readDetail(id)).notes), [added]);
  for (const path of [`/experiments/${id}`, `/experiments/${id}/updates`, '/updates', '/experiments'])
    assert.equal((await ask('GET', path)).text.includes('Call before'), false, path);
  expectStatus(await ask('DELETE', `/experiments/${id}`), 204);
});

test('permission_denied: a read-only token adds a note → 403; a blank note → 400', async () => {
  const { id } = await create();
  const body = { token: service.token, name: 'reader', attenuation: { read_only: true } };
  const derived = expectStatus(await ask('POST', '/tokens/attenuate', { body }), 201);
  const token = getText(derived.body.token);
  expectStatus(await ask('GET', `/lab/experiments/${id}`, { token }), 200);
  const path = `/lab/experiments/${id}/notes`;
  expectFailure(await ask('POST', path, { body: { note: 'x' }, token }), 403, 'permission_denied');
  expectFailure(await ask('POST', path, { body: { note: '  ' } }), 400, 'invalid_request');
});

test('experiment_not_found: an unknown experiment → 404 of each operation of the queue', async () => {
  for (const path of ['', '/sequences'])
    expectFailure(await ask('GET', `/lab/experiments/${UNKNOWN_ID}${path}`), 404, 'experiment_not_found');
  const body = { note: 'nobody' };
  expectFailure(
    await ask('POST', `/lab/experiments/${UNKNOWN_ID}/notes`, { body }),
    404,
    'experiment_not_found',
  );
});

test('permission_denied: clients of any role ask for the queue → 403, also for their own experiments', async () => {
  const { id } = await create();
  const token = await issueToken({ role: 'admin', ownOrganization: true });
  for (const path of ['/lab/experiments', `/lab/experiments/${id}`, `/lab/experiments/${id}/sequences`])
    expectFailure(await ask('GET', path, { token }), 403, 'permission_denied');
  const trail = await ask('GET', '/audit?filter=eq(operation,get_lab_sequences)', { token });
  assert.deepEqual(getItems(trail.body.items), []);
});

test('add_lab_note: the client deletes the draft → its words stay in the audit trail of the installation, and in no other', async () => {
  const { id, code } = await create();
  const note = 'Has asked for this antigen before.';
  expectStatus(await ask('POST', `/lab/experiments/${id}/notes`, { body: { note } }), 201);
  expectStatus(await ask('DELETE', `/experiments/${id}`), 204);
  expectFailure(await ask('GET', `/lab/experiments/${id}`), 404, 'experiment_not_found');
  const kept = await ask('GET', '/lab/audit?filter=eq(operation,add_lab_note)&limit=1');
  assert.deepEqual(getItems(kept.body.items)[0]?.details, { experiment: code, note });
  assert.ok(!(await ask('GET', '/audit?limit=100')).text.includes(note));
});

test('get_lab_needs: an order to be quoted → a need of the kind, with the order', async () => {
  const { id } = await createUnpriced();
  const needs = getItems(expectStatus(await ask('GET', '/lab/needs'), 200).body.needs);
  const orders = needs
    .filter(({ kind }) => getText(kind) === 'quote')
    .flatMap((need) => getItems(need.orders))
    .map((order) => getText(order.experiment_id));
  assert.ok(orders.includes(id));
});

proveCoverage('lab-queue');
