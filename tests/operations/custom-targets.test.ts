import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builders, expectFailure, expectStatus, problemPaths, UNKNOWN_ID, VHH } from '#testing/builders.ts';
import { proveCoverage, recordedService } from '#testing/recorder.ts';
import { itemsOf, textOf, type Ask } from '#testing/service.ts';

const service = await recordedService();
const { ask, clock, newToken } = service;
const { body, create } = await builders(service);

const full = {
  name: 'Mesothelin, avi-tagged',
  product_id: 'MSN-H82E9',
  vendor: 'A vendor',
  product_url: 'https://vendor.example/MSN-H82E9',
  sequence: VHH,
  pdb_id: '4F3F',
  pdb_file: 'HEADER    MEMBRANE PROTEIN\nATOM      1  N   GLU A   1\nEND\n',
  molecular_weight: 33.5,
  note: 'monomer',
};
const minimal = { name: 'Something', product_id: 'S-1' };
const request = (fields: object, options: Ask = {}) =>
  ask('POST', '/targets/request-custom', { ...options, body: fields });

test('create_custom_target_request: is pending and reads back field by field', async () => {
  const created = expectStatus(await request(full), 201);
  assert.equal(created.body.status, 'pending_review');
  const read = expectStatus(await ask('GET', `/targets/request-custom/${textOf(created.body.id)}`), 200);
  assert.deepEqual(read.body, {
    ...full,
    id: created.body.id,
    status: 'pending_review',
    material_id: null,
    created_at: created.body.created_at,
    updated_at: created.body.created_at,
  });
});

test('create_custom_target_request: what is optional may be left out or null', async () => {
  const nulls = { vendor: null, product_url: null, sequence: null, pdb_id: null, pdb_file: null };
  const given = { ...minimal, ...nulls, molecular_weight: null, note: null };
  for (const fields of [minimal, given]) {
    const created = expectStatus(await request(fields), 201);
    const read = expectStatus(await ask('GET', `/targets/request-custom/${textOf(created.body.id)}`), 200);
    for (const name of [...Object.keys(nulls), 'molecular_weight', 'note'])
      assert.equal(read.body[name], null, name);
  }
});

test('create_custom_target_request: sequence and PDB id are stored in upper case', async () => {
  const pdb = 'pdb_00001ivo';
  const created = await request({ ...minimal, sequence: `${VHH.toLowerCase()}\n:${VHH}`, pdb_id: pdb });
  const read = await ask('GET', `/targets/request-custom/${textOf(created.body.id)}`);
  assert.equal(read.body.sequence, `${VHH}:${VHH}`);
  assert.equal(read.body.pdb_id, 'PDB_00001IVO');
});

test('invalid_request: names every field that cannot be read', async () => {
  const refused = await request({
    name: ' ',
    product_id: 'a\u0007b',
    vendor: '',
    product_url: 'javascript:alert(1)',
    sequence: 'ACDXEF',
    pdb_id: 'EGFR',
    pdb_file: 'hello',
  });
  expectFailure(refused, 400, 'invalid_request');
  assert.deepEqual(problemPaths(refused), [
    'name',
    'pdb_file',
    'pdb_id',
    'product_id',
    'product_url',
    'sequence',
    'vendor',
  ]);
});

const malformed: readonly (readonly [path: string, fields: object])[] = [
  ['name', { product_id: 'S-1' }],
  ['product_id', { name: 'Something' }],
  ['name', { ...minimal, name: '' }],
  ['name', { ...minimal, name: 'x'.repeat(201) }],
  ['note', { ...minimal, note: 'x'.repeat(10_001) }],
  ['sequence', { ...minimal, sequence: 'A'.repeat(20_001) }],
  ['sequence', { ...minimal, sequence: 'A'.repeat(4_005) }],
  ['sequence', { ...minimal, sequence: '' }],
  ['sequence', { ...minimal, sequence: ['ACD'] }],
  ['pdb_id', { ...minimal, pdb_id: '1IV' }],
  ['pdb_id', { ...minimal, pdb_id: '' }],
  ['molecular_weight', { ...minimal, molecular_weight: 0 }],
  ['molecular_weight', { ...minimal, molecular_weight: '30 kDa' }],
  ['product_url', { ...minimal, product_url: 'vendor.example' }],
  ['organism', { ...minimal, organism: 'Homo sapiens' }],
];

for (const [index, [path, fields]] of malformed.entries()) {
  test(`invalid_request: ${path} is refused by name (${index + 1})`, async () => {
    const refused = expectFailure(await request(fields), 400, 'invalid_request');
    assert.deepEqual(problemPaths(refused), [path]);
  });
}

test('list_custom_target_requests: newest first, filtered, sorted and searched, of one organization', async () => {
  const token = await newToken({ ownOrganization: true });
  for (const name of ['beta', 'alpha', 'gamma']) {
    clock.advance(1_000);
    expectStatus(await request({ name, product_id: `${name}-1` }, { token }), 201);
  }
  const names = async (query: string) => {
    const listed = expectStatus(await ask('GET', `/targets/request-custom${query}`, { token }), 200);
    return itemsOf(listed.body.items).map((item) => textOf(item.name));
  };
  assert.deepEqual(await names(''), ['gamma', 'alpha', 'beta']);
  assert.deepEqual(await names('?sort=asc(name)'), ['alpha', 'beta', 'gamma']);
  assert.deepEqual(await names('?filter=eq(product_id,alpha-1)'), ['alpha']);
  assert.deepEqual(await names('?filter=eq(status,approved)'), []);
  assert.deepEqual(await names('?search=amm'), ['gamma']);
  assert.deepEqual(await names('?limit=1&offset=1'), ['alpha']);
});

test('list_custom_target_requests: holds the target that an experiment asks for', async () => {
  const target_name = 'A receptor nobody sells';
  const spec = { target_id: null, requested_target: { name: target_name, uniprot_id: 'P00533' } };
  const { id } = await create(body(spec));
  const listed = expectStatus(
    await ask('GET', `/targets/request-custom?filter=eq(experiment_id,${id})`),
    200,
  );
  const [item] = itemsOf(listed.body.items);
  assert.equal(item?.name, target_name);
  assert.equal(item?.product_id, 'P00533');
  expectStatus(await ask('GET', `/targets/request-custom/${textOf(item?.id)}`), 200);
});

test('invalid_query: a filter on a field that requests do not have is refused', async () => {
  expectFailure(await ask('GET', '/targets/request-custom?filter=eq(colour,red)'), 400, 'invalid_query');
});

test('custom_target_request_not_found: unknown, and of another organization', async () => {
  const theirs = await request(minimal, { token: await newToken({ ownOrganization: true }) });
  for (const id of [UNKNOWN_ID, textOf(theirs.body.id)])
    expectFailure(await ask('GET', `/targets/request-custom/${id}`), 404, 'custom_target_request_not_found');
  expectFailure(await ask('GET', '/targets/request-custom/EGFR'), 400, 'invalid_request');
});

proveCoverage('custom-targets');
