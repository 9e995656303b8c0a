/** What a null does in a body of PATCH: it keeps every field of an experiment but the target, which it clears. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandomSource } from '#sandbox/models/random.ts';
import {
  createBuilders,
  expectFailure,
  expectStatus,
  createSequences,
  UNKNOWN_ID,
  VHH,
} from '#testing/builders.ts';
import { listSeeds } from '#testing/seeds.ts';
import { testService, type Json } from '#testing/service.ts';
import { connect, listen } from '../conformance/mcp-clients.ts';

const service = await testService();
const { ask, clock, token } = service;
const address = await listen(service);
const { createBody, create, createQuoted, createCustomDraft, targets } = await createBuilders(service);

const everyField = [
  'name',
  'description',
  'target_id',
  'antigen_concentrations',
  'n_replicates',
  'parameters',
  'sequences',
  'webhook_url',
  'webhook_secret',
] as const;
type Field = (typeof everyField)[number];
const keptFields = everyField.filter((field) => field !== 'target_id');
const SUBSETS = 24;

const createNulls = (fields: readonly Field[]): Record<string, null> =>
  Object.fromEntries(fields.map((field) => [field, null]));

/** A draft with every field that an experiment can have. */
async function createFullDraft(spec: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const full = {
    experiment_type: 'affinity',
    n_replicates: 2,
    antigen_concentrations: [500, 50, 0],
    parameters: { temperature_c: 25, buffer: { ph: 7.4, salts: ['NaCl'] } },
    sequences: { ...createSequences(2), control: { aa_string: VHH, control: true } },
    ...spec,
  };
  const besides = {
    description: 'as ordered',
    webhook_url: 'https://hooks.example.org/in',
    webhook_secret: 's'.repeat(40),
  };
  return (await create(createBody(full, besides))).id;
}

/** Everything that can be read of a draft, and the secret, which no answer shows; time passes before each reading. */
async function readAll(id: string): Promise<string> {
  const { read } = service.service.database;
  const paths = ['', '/quote', '/sequences', '/updates'].map((path) => `/experiments/${id}${path}`);
  const texts: string[] = [];
  for (const path of paths) texts.push((await ask('GET', path)).text.replaceAll(/req_[0-9a-f-]+/g, ''));
  const [row] = await read.query('select webhook_secret from experiments where id = $1', [id]);
  clock.advance(60_000);
  return JSON.stringify([texts, row]);
}

/** The detail without what follows from the target: its name, the price, and when it changed. */
function removeTarget(detail: Json): unknown {
  const { name, description, n_replicates, antigen_concentrations, parameters, sequences: list } = detail;
  return {
    name,
    description,
    n_replicates,
    antigen_concentrations,
    parameters,
    list,
    url: detail.webhook_url,
  };
}

const patch = (id: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  ask('PATCH', `/experiments/${id}`, { body, headers });

test('modify_exp: null in every field but the target → nothing changes, and updated is false', async () => {
  const id = await createFullDraft();
  const before = await readAll(id);
  const answer = expectStatus(await patch(id, createNulls(keptFields)), 200);
  assert.deepEqual([answer.body.id, answer.body.updated], [id, false]);
  assert.equal(await readAll(id), before);
});

for (const field of keptFields) {
  test(`modify_exp: null in ${field} alone → nothing changes`, async () => {
    const id = await createFullDraft();
    const before = await readAll(id);
    assert.equal(expectStatus(await patch(id, { [field]: null }), 200).body.updated, false);
    assert.equal(await readAll(id), before);
  });
}

test('modify_exp: null in target_id → the target is cleared, and all else is kept', async () => {
  const id = await createFullDraft();
  const { body: before } = await ask('GET', `/experiments/${id}`);
  const cleared = expectStatus(await patch(id, createNulls(everyField)), 200);
  assert.equal(cleared.body.updated, true);
  const { body: after } = await ask('GET', `/experiments/${id}`);
  assert.equal(after.target_id, null);
  assert.deepEqual(removeTarget(after), removeTarget(before));
  assert.equal(expectStatus(await patch(id, { target_id: null }), 200).body.updated, false);
});

test('modify_exp: one field beside nulls in all others → only that field changes', async () => {
  const id = await createFullDraft();
  const { body: before } = await ask('GET', `/experiments/${id}`);
  const body = { ...createNulls(keptFields), name: 'round 2' };
  assert.equal(expectStatus(await patch(id, body), 200).body.updated, true);
  const { body: after } = await ask('GET', `/experiments/${id}`);
  assert.deepEqual({ ...after, updated_at: '' }, { ...before, name: 'round 2', updated_at: '' });
});

test('modify_exp: null in fields of other assays → accepted without effect', async () => {
  const plain = { method: null, target_id: null, antigen_concentrations: null };
  for (const experiment_type of ['thermostability', 'expression', 'fluorescence']) {
    const id = await createFullDraft({ experiment_type, ...plain });
    const before = await readAll(id);
    assert.equal(expectStatus(await patch(id, createNulls(everyField)), 200).body.updated, false);
    assert.equal(await readAll(id), before);
  }
});

test('modify_exp: nulls beside a name after submission → 200; null for the target → 409', async () => {
  const { id } = await createQuoted();
  const renamed = expectStatus(await patch(id, { ...createNulls(keptFields), name: 'later' }), 200);
  assert.equal(renamed.body.updated, true);
  expectFailure(await patch(id, { target_id: null }), 409, 'experiment_not_editable');
  const plain = { experiment_type: 'expression', method: null, target_id: null };
  const expression = await createQuoted(createBody(plain));
  assert.equal(expectStatus(await patch(expression.id, createNulls(everyField)), 200).body.updated, false);
});

test('modify_exp: the current values → updated is false, and sequences keep their ids', async () => {
  const id = await createFullDraft();
  const body = {
    name: 'round 3',
    description: 'again',
    target_id: targets.perLot,
    antigen_concentrations: [100, 10],
    n_replicates: 4,
    parameters: { salts: ['KCl'], ph: 7 },
    sequences: [{ aa_string: VHH }, { name: 'control', aa_string: VHH, control: true }],
    webhook_url: 'https://hooks.example.org/other',
    webhook_secret: 'o'.repeat(40),
  };
  assert.equal(expectStatus(await patch(id, body), 200).body.updated, true);
  const before = await readAll(id);
  assert.equal(expectStatus(await patch(id, body), 200).body.updated, false);
  assert.equal(await readAll(id), before);
  for (const [field, value] of Object.entries({
    ...body,
    webhook_secret: 'p'.repeat(40),
    n_replicates: 5,
  })) {
    const isNew = field === 'webhook_secret' || field === 'n_replicates';
    assert.equal(expectStatus(await patch(id, { [field]: value }), 200).body.updated, isNew, field);
  }
});

test('modify_exp: an empty text → description and webhook are cleared', async () => {
  const id = await createFullDraft();
  const empty = { description: '', webhook_url: '', webhook_secret: '' };
  assert.equal(expectStatus(await patch(id, empty), 200).body.updated, true);
  const { body: after } = await ask('GET', `/experiments/${id}`);
  assert.deepEqual([after.description, after.webhook_url], [null, null]);
  assert.equal(expectStatus(await patch(id, empty), 200).body.updated, false);
  assert.match(await readAll(id), /"webhook_secret":null/);
});

test('modify_exp: random subsets of nulls → nothing but the target ever changes', async () => {
  for (const seed of listSeeds(SUBSETS)) {
    const random = createRandomSource('null-keeps', seed);
    const subset = everyField.filter(() => random.drawUniform() < 0.5);
    const story = `${subset.join(', ')} with ASSAYER_SEED=${seed}`;
    const id = await createFullDraft();
    const before = await readAll(id);
    const { body: detail } = await ask('GET', `/experiments/${id}`);
    const clears = subset.includes('target_id');
    assert.equal(expectStatus(await patch(id, createNulls(subset)), 200).body.updated, clears, story);
    if (!clears) assert.equal(await readAll(id), before, story);
    const { body: after } = await ask('GET', `/experiments/${id}`);
    assert.deepEqual(removeTarget(after), removeTarget(detail), story);
  }
});

test('modify_exp: nulls with an idempotency key → a repeat gets the first answer; other nulls are another request', async () => {
  const id = await createFullDraft();
  const key = { 'idempotency-key': 'nulls-1' };
  const before = await readAll(id);
  const first = expectStatus(await patch(id, createNulls(keptFields), key), 200);
  const second = expectStatus(await patch(id, createNulls(keptFields), key), 200);
  assert.deepEqual(second.body, first.body);
  assert.equal(second.headers['idempotency-replayed'], 'true');
  expectFailure(await patch(id, { name: null }, key), 422, 'idempotency_key_reused');
  assert.equal(await readAll(id), before);
});

test('modify_exp: nulls sent by a tool → nothing changes', async () => {
  const id = await createFullDraft();
  const before = await readAll(id);
  const client = await connect('newest', address, token);
  const answer = await client.call('modify_exp', { experiment_id: id, ...createNulls(keptFields) });
  assert.deepEqual([answer.isError, answer.body.updated], [false, false], answer.text);
  assert.equal(await readAll(id), before);
});

test('edit_custom_quote: null in every field → the draft is kept', async () => {
  const { quoteId } = await createCustomDraft();
  const path = `/lab/quotes/${quoteId}`;
  const fields = ['line_items', 'discounts', 'notes', 'terms_and_conditions', 'valid_until'];
  const texts = { notes: 'as agreed', terms_and_conditions: 'ours', valid_until: '2026-06-01T00:00:00.000Z' };
  expectStatus(await ask('PATCH', path, { body: texts }), 200);
  const before = (await ask('GET', path)).text;
  const nulls = Object.fromEntries(fields.map((field) => [field, null]));
  expectStatus(await ask('PATCH', path, { body: nulls }), 200);
  assert.equal((await ask('GET', path)).text, before);
});

test('update_billing_profile: null → clears its field; omitted fields stay', async () => {
  const path = '/billing/profile';
  const set = {
    legal_name: 'A GmbH',
    address: 'Here',
    country: 'DE',
    tax_id: 'DE123456789',
    page_size: 'a4',
  };
  expectStatus(await ask('PATCH', path, { body: set }), 200);
  expectStatus(await ask('PATCH', path, { body: { address: null } }), 200);
  const { body: after } = await ask('GET', path);
  assert.deepEqual([after.legal_name, after.address, after.tax_id], ['A GmbH', null, 'DE123456789']);
});

test('PATCH: every field of every body that takes null → its description says what null does', async () => {
  const { body: document } = await ask('GET', '/openapi.json');
  const silent: string[] = [];
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    const schema = item.patch?.requestBody?.content?.['application/json']?.schema;
    for (const [field, value] of Object.entries(schema?.properties ?? {})) {
      const takesNull = JSON.stringify(value.anyOf ?? '').includes('"null"');
      if (takesNull && !JSON.stringify(value.description ?? '').includes('null'))
        silent.push(`${path} ${field}`);
    }
  }
  assert.deepEqual(silent, []);
});

test('experiment_not_found: nulls for an unknown experiment → 404', async () => {
  expectFailure(await patch(UNKNOWN_ID, createNulls(everyField)), 404, 'experiment_not_found');
});
