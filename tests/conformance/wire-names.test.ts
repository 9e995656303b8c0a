/** Names, ids, times and units on the wire, over the answers of every reading operation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus, VHH } from '#testing/builders.ts';
import { guarded } from '#testing/binding-kinds.ts';
import { createFreshRequest, createUnknownRequest, prepareRecords, send } from '#testing/requests.ts';
import { getItems, getText, testService, type Json } from '#testing/service.ts';

const service = await testService();
const { ask } = service;
const build = await createBuilders(service);
const records = await prepareRecords(service, build);
const { released } = records;

const reads = guarded.filter(({ operation }) => operation.method === 'GET');
const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;
/** Maps whose keys are a person's or an engine's own names: sequences, settings, keys of claims and headers. */
const NAMED_BY_OTHERS = new Set(['sequences', 'parameters', 'headers', 'details', 'metadata', 'settings']);

type Visit = (key: string, value: unknown) => void;

function walk(value: unknown, visit: Visit): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) {
      visit(key, item);
      if (Array.isArray(item) || !NAMED_BY_OTHERS.has(key)) walk(item, visit);
    }
}

/** The JSON answer of every reading operation. */
async function readAnswers(): Promise<ReadonlyMap<string, Json>> {
  const answers = new Map<string, Json>();
  for (const { operation } of reads) {
    const answer = await send(ask, operation, await createFreshRequest(operation, build, records));
    assert.ok(answer.status < 400, `${operation.id}: ${answer.text}`);
    if (answer.headers['content-type']?.startsWith('application/json') === true)
      answers.set(operation.id, answer.body);
  }
  return answers;
}

const answers = await readAnswers();

test('names: every answer of every reading operation → keys and statuses are lower snake_case', () => {
  const wrong = new Set<string>();
  for (const [id, body] of answers)
    walk(body, (key, value) => {
      if (!/^[a-z][a-z0-9_]*$/.test(key) && key !== 'VH' && key !== 'VL') wrong.add(`${id}: ${key}`);
      if (/(?:^|_)status$/.test(key) && typeof value === 'string' && !/^[a-z_]+$/.test(value))
        wrong.add(`${id}: ${key} is ${value}`);
    });
  assert.deepEqual([...wrong], []);
  assert.ok(answers.size > 30);
});

test('times and amounts: every answer of every reading operation → RFC 3339 in UTC, and whole cents', () => {
  const wrong = new Set<string>();
  let [times, amounts] = [0, 0];
  for (const [id, body] of answers)
    walk(body, (key, value) => {
      if (key.endsWith('_at') && typeof value === 'string') {
        times += 1;
        if (!TIME.test(value)) wrong.add(`${id}: ${key} is ${value}`);
      }
      if (key.endsWith('_cents') && value !== null) {
        amounts += 1;
        if (!Number.isSafeInteger(value)) wrong.add(`${id}: ${key} is ${JSON.stringify(value)}`);
      }
    });
  assert.deepEqual([...wrong], []);
  assert.ok(times > 30 && amounts > 30, `${times} times, ${amounts} amounts`);
});

test('ids: an experiment, its records and its invoice → UUIDv7; code, quote id and external id have their form', async () => {
  const detail = expectStatus(await ask('GET', `/experiments/${released.id}`), 200).body;
  const invoice = expectStatus(await ask('GET', `/invoices/${released.invoiceId}`), 200).body;
  for (const id of [getText(detail.id), getText(invoice.id), records.resultId, records.sequenceId])
    assert.match(id, UUID_7);
  assert.match(getText(detail.code), /^[A-Z0-9]+-\d{3}-\d{3,}$/);
  assert.match(released.quoteId, /^qt_/);
  assert.match(getText(invoice.provider_invoice_id), /^in_/);
});

test('ids: an operation on an experiment, by its id or by its code → the same answer', async () => {
  const about = reads.filter(({ operation }) => operation.path.includes('{experiment_id}'));
  assert.ok(about.length > 8);
  for (const { operation } of about) {
    const { path } = await createFreshRequest(operation, build, records);
    const [byId, byCode] = await Promise.all(
      [released.id, released.code].map((name) =>
        ask('GET', path.replace(released.id, name).replace(released.code, name)),
      ),
    );
    assert.equal(byCode?.status, byId?.status, operation.id);
    if (byId?.headers['content-type']?.startsWith('application/json') === true)
      assert.deepEqual(Object.keys(byCode?.body ?? {}), Object.keys(byId.body), operation.id);
  }
  for (const name of [released.id, released.code])
    for (const list of ['sequences', 'results']) {
      const listed = expectStatus(await ask('GET', `/${list}?experiment_id=${name}`), 200);
      assert.ok(getItems(listed.body.items).length > 0, `${list} of ${name}`);
    }
});

test('ids: an invoice by its UUID or its in_… id, a quote by its qt_… id → the same record', async () => {
  const byUuid = expectStatus(await ask('GET', `/invoices/${released.invoiceId}`), 200);
  const external = getText(byUuid.body.provider_invoice_id);
  assert.deepEqual(expectStatus(await ask('GET', `/invoices/${external}`), 200).body, byUuid.body);
  expectStatus(await ask('GET', `/invoices/${external}/pdf`), 307);
  expectStatus(await ask('POST', `/invoices/${external}/pay`, { body: {} }), 200);
  expectStatus(await ask('GET', `/quotes/${released.quoteId}`), 200);
});

test('union of two generations: experiment, estimate and targets → the flat fields and the object, with equal values', async () => {
  const { experiment_spec: spec } = build.createBody();
  const detail = expectStatus(await ask('GET', `/experiments/${released.id}`), 200).body;
  assert.equal(detail.experiment_spec?.target_id, detail.experiment_spec?.target?.target_catalog_id);
  const estimate = await ask('POST', '/experiments/cost-estimate', { body: { experiment_spec: spec } });
  const { materials } = expectStatus(estimate, 200).body.breakdown ?? {};
  assert.equal(materials?.target_id, materials?.target?.target_catalog_id);
  assert.equal(materials?.target_name, materials?.target?.name);
  const listed = expectStatus(await ask('GET', '/targets?detailed=true&limit=5'), 200);
  for (const target of getItems(listed.body.items)) {
    assert.deepEqual(target.details?.gene_names, target.gene_names);
    assert.equal(target.details?.organism, target.organism);
    assert.equal(target.details?.family, target.family);
    assert.equal(typeof target.uniprot_id, 'string');
  }
});

test('unknown keys: beside a creation → ignored; in every other body → 400 that names the key', async () => {
  const body = { ...build.createBody(), organization_id: 'any', auto_link_material: true };
  expectStatus(await ask('POST', '/experiments', { body }), 201);
  const strict = guarded.filter(
    ({ operation: { id, body: schema } }) =>
      schema !== undefined && id !== 'create_exp' && id !== 'validate_exp',
  );
  assert.ok(strict.length > 25);
  for (const { operation } of strict) {
    const request = createUnknownRequest(operation);
    const sent = { ...Object(request.body ?? {}), no_such_key: 1 };
    const answer = await send(ask, operation, { ...request, body: sent });
    assert.equal(answer.status, 400, `${operation.id}: ${answer.text}`);
    assert.match(answer.text, /no_such_key/, operation.id);
  }
});

test('unknown keys: in a specification of an attenuation → 400, and no token', async () => {
  const attenuation = { read_only: true, alowed_actions: ['read'] };
  const body = { token: service.token, name: 'typo', attenuation };
  const refused = expectFailure(await ask('POST', '/tokens/attenuate', { body }), 400, 'invalid_request');
  assert.match(refused.text, /alowed_actions/);
});

test('units: concentrations are ordered in nM → results give KD, rates and concentrations in M', async () => {
  const spec = { experiment_type: 'affinity', antigen_concentrations: [500, 50, 5, 0], n_replicates: 1 };
  const forced = { parameters: { sandbox: { force: 'binder' } }, sequences: { one: VHH } };
  const { id } = await build.createReleased(build.createBody({ ...spec, ...forced }));
  const detail = (await ask('GET', `/experiments/${id}`)).body;
  assert.deepEqual(detail.antigen_concentrations, [500, 50, 5, 0]);
  const results = expectStatus(await ask('GET', `/experiments/${id}/results`), 200);
  const [row] = getItems(getItems(results.body.items)[0]?.rows);
  const [kd = NaN, kon = NaN, koff = NaN] = [row?.kd_mean, row?.kon_mean, row?.koff_mean].map(Number);
  assert.deepEqual(row?.concentrations_m, [5e-9, 5e-8, 5e-7]);
  assert.equal(row?.kd_units, 'M');
  assert.ok(kd > 1e-12 && kd < 1e-5, `KD ${kd} M`);
  assert.ok(Math.abs(koff / kon / kd - 1) < 0.01, 'KD = koff / kon in s⁻¹ and M⁻¹s⁻¹');
});
