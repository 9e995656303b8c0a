import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createBuilders,
  createProductRequest,
  expectFailure,
  expectStatus,
  listProblemPaths,
  UNKNOWN_ID,
  VHH,
} from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getText, type Ask, type Json } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, clock, issueToken } = service;
const { createBody, create, createTargetRequest, targets } = await createBuilders(service);

const full = {
  name: 'Mesothelin, avi-tagged',
  product_id: 'TARGET-0002',
  vendor: 'A vendor',
  product_url: 'https://vendor.example/TARGET-0002',
  sequence: VHH,
  pdb_id: '4F3F',
  pdb_file: 'HEADER    MEMBRANE PROTEIN\nATOM      1  N   GLU A   1\nEND\n',
  molecular_weight: 33.5,
  note: 'monomer',
};
const minimal = createProductRequest();
const requestTarget = (fields: object, options: Ask = {}) =>
  ask('POST', '/targets/request-custom', { ...options, body: fields });

test('create_custom_target_request: all fields → pending, and every field reads back', async () => {
  const created = expectStatus(await requestTarget(full), 201);
  assert.equal(created.body.status, 'pending_review');
  const read = expectStatus(await ask('GET', `/targets/request-custom/${getText(created.body.id)}`), 200);
  assert.deepEqual(read.body, {
    ...full,
    id: created.body.id,
    status: 'pending_review',
    experiment_id: null,
    material_id: null,
    lead_time_days: null,
    answer: null,
    answered_at: null,
    created_at: created.body.created_at,
    updated_at: created.body.created_at,
  });
});

test('create_custom_target_request: optional fields are omitted or null → accepted, and they read back as null', async () => {
  const nulls = { vendor: null, product_url: null, sequence: null, pdb_file: null };
  const body = { ...minimal, ...nulls, molecular_weight: null, note: null };
  for (const fields of [{ ...minimal }, body]) {
    const created = expectStatus(await requestTarget(fields), 201);
    const read = expectStatus(await ask('GET', `/targets/request-custom/${getText(created.body.id)}`), 200);
    for (const name of [...Object.keys(nulls), 'molecular_weight', 'note'])
      assert.equal(read.body[name], null, name);
  }
});

test('create_custom_target_request: a lowercase sequence and PDB id → stored in upper case', async () => {
  const pdb = 'pdb_00001ivo';
  const created = await requestTarget({ ...minimal, sequence: `${VHH.toLowerCase()}\n:${VHH}`, pdb_id: pdb });
  const read = await ask('GET', `/targets/request-custom/${getText(created.body.id)}`);
  assert.equal(read.body.sequence, `${VHH}:${VHH}`);
  assert.equal(read.body.pdb_id, 'PDB_00001IVO');
});

test('invalid_request: several malformed fields → 400 names each', async () => {
  const refused = await requestTarget({
    name: ' ',
    product_id: 'a\u0007b',
    vendor: '',
    product_url: 'javascript:alert(1)',
    sequence: 'ACDXEF',
    pdb_id: 'EGFR',
    pdb_file: 'hello',
  });
  expectFailure(refused, 400, 'invalid_request');
  assert.deepEqual(listProblemPaths(refused), [
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
  ['product_id', { name: 'Something', pdb_id: '1IVO' }],
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
  test(`invalid_request: a malformed ${path} (${index + 1}) → 400 names it`, async () => {
    const refused = expectFailure(await requestTarget(fields), 400, 'invalid_request');
    assert.deepEqual(listProblemPaths(refused), [path]);
  });
}

test('list_custom_target_requests: filter, sort and search → requests of the own organization, newest first by default', async () => {
  const token = await issueToken({ ownOrganization: true });
  for (const name of ['beta', 'alpha', 'gamma']) {
    clock.advance(1_000);
    expectStatus(await requestTarget({ name, product_id: `${name}-1`, pdb_id: '1IVO' }, { token }), 201);
  }
  const names = async (query: string) => {
    const listed = expectStatus(await ask('GET', `/targets/request-custom${query}`, { token }), 200);
    return getItems(listed.body.items).map((item) => getText(item.name));
  };
  assert.deepEqual(await names(''), ['gamma', 'alpha', 'beta']);
  assert.deepEqual(await names('?sort=asc(name)'), ['alpha', 'beta', 'gamma']);
  assert.deepEqual(await names('?filter=eq(product_id,alpha-1)'), ['alpha']);
  assert.deepEqual(await names('?filter=eq(status,approved)'), []);
  assert.deepEqual(await names('?search=amm'), ['gamma']);
  assert.deepEqual(await names('?limit=1&offset=1'), ['alpha']);
});

test('list_custom_target_requests: an experiment asks for an unlisted target → the list holds that request', async () => {
  const target_name = 'A receptor nobody sells';
  const spec = { target_id: null, requested_target: { name: target_name, uniprot_id: 'P00533' } };
  const { id } = await create(createBody(spec));
  const listed = expectStatus(
    await ask('GET', `/targets/request-custom?filter=eq(experiment_id,${id})`),
    200,
  );
  const [item] = getItems(listed.body.items);
  assert.equal(item?.name, target_name);
  assert.equal(item?.product_id, 'P00533');
  expectStatus(await ask('GET', `/targets/request-custom/${getText(item?.id)}`), 200);
});

test('invalid_query: target requests are filtered by an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/targets/request-custom?filter=eq(color,red)'), 400, 'invalid_query');
});

test('custom_target_request_not_found: an unknown request, or one of another organization → 404', async () => {
  const theirs = await requestTarget({ ...minimal }, { token: await issueToken({ ownOrganization: true }) });
  for (const id of [UNKNOWN_ID, getText(theirs.body.id)])
    expectFailure(await ask('GET', `/targets/request-custom/${id}`), 404, 'custom_target_request_not_found');
  expectFailure(await ask('GET', '/targets/request-custom/EGFR'), 400, 'invalid_request');
});

const UNLISTED = { target_id: null, requested_target: { name: 'A receptor nobody sells', sequence: VHH } };
const perSequence = { type: 'per_sequence', price_per_sequence_cents: 900 };
const approve = (id: string, fields: object, options: Ask = {}) =>
  ask('POST', `/lab/target-requests/${id}/approve`, { ...options, body: { lead_time_days: 14, ...fields } });
const decline = (id: string, reason: string, options: Ask = {}) =>
  ask('POST', `/lab/target-requests/${id}/decline`, { ...options, body: { reason } });

async function findRequest(experimentId: string, options: Ask = {}): Promise<string> {
  const path = `/targets/request-custom?filter=eq(experiment_id,${experimentId})`;
  return getText(getItems(expectStatus(await ask('GET', path, options), 200).body.items)[0]?.id);
}

test('token_restricted: a token for one experiment asks for target requests → only that of its experiment', async () => {
  const token = await issueToken({ ownOrganization: true });
  const own = await create(createBody(UNLISTED), { token });
  const other = await create(createBody(UNLISTED), { token });
  const alone = { name: 'A secret receptor', product_id: 'S-1', pdb_id: '1IVO' };
  const requested = expectStatus(await ask('POST', '/targets/request-custom', { token, body: alone }), 201);
  const spec = { token, name: 'one', attenuation: { resource_ids: [own.code] } };
  const derived = expectStatus(await ask('POST', '/tokens/attenuate', { token, body: spec }), 201);
  const limited = { token: getText(derived.body.token) };
  const read = (id: string) => ask('GET', `/targets/request-custom/${id}`, limited);
  const mine = expectStatus(await read(await findRequest(own.id, { token })), 200);
  assert.equal(mine.body.name, UNLISTED.requested_target.name);
  for (const id of [await findRequest(other.id, { token }), getText(requested.body.id), UNKNOWN_ID])
    expectFailure(await read(id), 403, 'token_restricted');
  expectFailure(await ask('GET', '/targets/request-custom', limited), 403, 'token_restricted');
  const another = { ...limited, body: { ...alone, product_id: 'S-2' } };
  expectFailure(await ask('POST', '/targets/request-custom', another), 403, 'token_restricted');
  expectStatus(await ask('GET', '/targets?limit=1', limited), 200);
});

async function listUpdates(experimentId: string, options: Ask = {}): Promise<readonly Json[]> {
  return getItems(
    expectStatus(await ask('GET', `/experiments/${experimentId}/updates`, options), 200).body.items,
  );
}

test('approve_target_request: its experiment waits for confirmation → it is quoted at the new price', async () => {
  const token = await issueToken({ ownOrganization: true });
  const { id, code } = await create(createBody(UNLISTED), { token });
  const submitted = expectStatus(await ask('POST', `/experiments/${id}/submit`, { token }), 200);
  assert.equal(submitted.body.status, 'waiting_for_confirmation');
  expectFailure(await ask('GET', `/experiments/${id}/quote`, { token }), 404, 'quote_not_ready');
  const requestId = await findRequest(id, { token });

  const answered = expectStatus(
    await approve(requestId, {
      target: { catalog_number: 'X-1', pricing: perSequence },
      note: 'We express it.',
    }),
    200,
  );
  assert.equal(answered.body.status, 'approved');
  assert.equal(answered.body.experiment_id, id);

  const mine = expectStatus(await ask('GET', `/targets/request-custom/${requestId}`, { token }), 200);
  const { material_id: targetId, lead_time_days: days, answer, answered_at: at } = mine.body;
  assert.deepEqual([days, answer, at], [14, 'We express it.', clock.now().toISOString()]);
  const detail = expectStatus(await ask('GET', `/experiments/${code}`, { token }), 200);
  assert.equal(detail.body.status, 'quote_sent');
  assert.equal(detail.body.experiment_spec?.target_id, targetId);
  const quote = expectStatus(await ask('GET', `/experiments/${id}/quote`, { token }), 200);
  // 14900 and two replicates of 2900 for the assay, 900 for the material.
  assert.equal(quote.body.amount_total, 21_600);
  expectStatus(await ask('POST', `/experiments/${id}/quote/confirm`, { token, body: {} }), 200);
  const names = (await listUpdates(id, { token })).map((update) => getText(update.name));
  assert.ok(names.includes('Target approved') && names.includes('Quote opened'), names.join());
});

test('approve_target_request: its experiment is a draft → it is priced anew and stays a draft', async () => {
  const { id } = await create(createBody(UNLISTED));
  expectFailure(await ask('GET', `/experiments/${id}/quote`), 404, 'quote_not_ready');
  expectStatus(await approve(await findRequest(id), { target_id: targets.perSequence }), 200);
  const detail = expectStatus(await ask('GET', `/experiments/${id}`), 200);
  assert.equal(detail.body.status, 'draft');
  assert.equal(detail.body.experiment_spec?.target_id, targets.perSequence);
  assert.equal((await ask('POST', `/experiments/${id}/submit`)).body.status, 'quote_sent');
});

test('approve_target_request: the target has no price → the experiment waits for a custom quote', async () => {
  const { id } = await create(createBody(UNLISTED));
  expectStatus(await ask('POST', `/experiments/${id}/submit`), 200);
  expectStatus(await approve(await findRequest(id), { target: { catalog_number: 'X-2' } }), 200);
  const detail = expectStatus(await ask('GET', `/experiments/${id}`), 200);
  assert.equal(detail.body.status, 'waiting_for_confirmation');
  assert.notEqual(detail.body.experiment_spec?.target_id, null);
});

test('approve_target_request: the experiment has another target by then → it keeps that target', async () => {
  const { id } = await create(createBody(UNLISTED));
  const requestId = await findRequest(id);
  expectStatus(await ask('PATCH', `/experiments/${id}`, { body: { target_id: targets.perLot } }), 200);
  expectStatus(await approve(requestId, { target_id: targets.perSequence }), 200);
  const detail = expectStatus(await ask('GET', `/experiments/${id}`), 200);
  assert.equal(detail.body.experiment_spec?.target_id, targets.perLot);
});

test('approve_target_request: with and without listed_for_everyone → all organizations see the target, or only the one that asked', async () => {
  const token = await issueToken({ ownOrganization: true });
  const other = await issueToken({ ownOrganization: true });
  const sees = async (id: string, who: string) => {
    const read = (await ask('GET', `/targets/${id}`, { token: who })).status === 200;
    const listed = await ask('GET', `/targets?filter=eq(id,${id})`, { token: who });
    const named = { target_id: id };
    const used = await ask('POST', '/experiments', { token: who, body: createBody(named) });
    assert.deepEqual([listed.body.total, used.status], read ? [1, 201] : [0, 404]);
    return read;
  };
  for (const listed_for_everyone of [false, true]) {
    const body = { ...minimal, name: 'Ours', sequence: VHH, molecular_weight: 33.5 };
    const made = expectStatus(await requestTarget(body, { token }), 201);
    const approved = expectStatus(
      await approve(getText(made.body.id), { target: { listed_for_everyone, pricing: perSequence } }),
      200,
    );
    const id = getText(approved.body.material_id);
    assert.deepEqual([await sees(id, token), await sees(id, other)], [true, listed_for_everyone]);
    const { details } = (await ask('GET', `/targets/${id}`, { token })).body;
    assert.equal(details?.sequence, VHH);
    assert.equal(details?.molecular_weight, '33.5 kDa');
  }
});

test('decline_target_request: with a reason → the client reads it in the request and in the updates', async () => {
  const token = await issueToken({ ownOrganization: true });
  const { id } = await create(createBody(UNLISTED), { token });
  const requestId = await findRequest(id, { token });
  const reason = 'Nobody sells it.';
  expectStatus(await decline(requestId, ` ${reason} `), 200);
  const mine = expectStatus(await ask('GET', `/targets/request-custom/${requestId}`, { token }), 200);
  assert.deepEqual([mine.body.status, mine.body.answer], ['rejected', reason]);
  const declined = (await listUpdates(id, { token })).find(
    (update) => getText(update.name) === 'Target declined',
  );
  assert.match(getText(declined?.description), /Nobody sells it\.$/);
});

test('audit: a target request is declined → one entry, in the log of the organization that asked', async () => {
  const token = await issueToken({ ownOrganization: true });
  const made = expectStatus(await requestTarget({ ...minimal }, { token }), 201);
  const id = getText(made.body.id);
  expectStatus(await decline(id, 'No.'), 200);
  const trail = expectStatus(await ask('GET', `/audit?filter=eq(subject,${id})`, { token }), 200);
  assert.deepEqual(
    getItems(trail.body.items).map(({ operation }) => getText(operation)),
    ['decline_target_request', 'create_custom_target_request'],
  );
  assert.equal((await ask('GET', `/audit?filter=eq(subject,${id})`)).body.total, 0);
});

test('custom_target_request_answered: several answers, one after the other or at once → the first counts, then 409', async () => {
  const id = await createTargetRequest();
  const answers = await Promise.all([decline(id, 'No.'), approve(id, { target: {} }), decline(id, 'Never.')]);
  assert.deepEqual(
    answers.map(({ status }) => status).sort((a, b) => a - b),
    [200, 409, 409],
  );
  expectFailure(await decline(id, 'No.'), 409, 'custom_target_request_answered');
  expectFailure(await approve(id, { target: {} }), 409, 'custom_target_request_answered');
});

test('invalid_request: an approval with no target, two targets or malformed fields → 400 names the field', async () => {
  const id = await createTargetRequest();
  const cases: readonly (readonly [fields: object, path: string])[] = [
    [{}, 'target'],
    [{ target: {}, target_id: targets.perLot }, 'target'],
    [{ target: { uniprot_id: 'EGFR' } }, 'target.uniprot_id'],
    [{ target: { name: ' ' } }, 'target.name'],
    [{ target: { pricing: { type: 'per_sequence', price_per_sequence_cents: -1 } } }, 'target.pricing'],
    [{ target: {}, lead_time_days: 731 }, 'lead_time_days'],
    [{ target: {}, lead_time: 3 }, 'lead_time'],
  ];
  for (const [fields, path] of cases) {
    const refused = expectFailure(await approve(id, fields), 400, 'invalid_request');
    assert.ok(
      listProblemPaths(refused).some((problem) => problem.startsWith(path)),
      refused.text,
    );
  }
  assert.deepEqual(listProblemPaths(expectFailure(await decline(id, '  '), 400, 'invalid_request')), [
    'reason',
  ]);
});

test('target_not_found, target_exists: an approval names an unknown target, or makes one that exists → 404, 409', async () => {
  const id = await createTargetRequest();
  expectFailure(await approve(id, { target_id: UNKNOWN_ID }), 404, 'target_not_found');
  expectStatus(await approve(id, { target: { catalog_number: 'TWICE' } }), 200);
  const again = await approve(await createTargetRequest(), { target: { catalog_number: 'TWICE' } });
  expectFailure(again, 409, 'target_exists');
});

test('list_lab_target_requests: staff → requests of every organization; others → 403', async () => {
  const token = await issueToken({ ownOrganization: true });
  const id = getText(expectStatus(await requestTarget(full, { token }), 201).body.id);
  const listed = expectStatus(
    await ask('GET', `/lab/target-requests?filter=eq(id,${id})&search=organization`),
    200,
  );
  const [item] = getItems(listed.body.items);
  assert.match(getText(item?.organization_name), /^Organization \d+$/);
  const read = expectStatus(await ask('GET', `/lab/target-requests/${id}`), 200);
  assert.equal(read.body.pdb_file, full.pdb_file);
  for (const path of ['/lab/target-requests', `/lab/target-requests/${id}`])
    expectFailure(await ask('GET', path, { token }), 403, 'permission_denied');
  expectFailure(await decline(id, 'No.', { token }), 403, 'permission_denied');
  expectFailure(await ask('GET', '/lab/target-requests?filter=eq(color,red)'), 400, 'invalid_query');
  for (const answer of [
    await ask('GET', `/lab/target-requests/${UNKNOWN_ID}`),
    await approve(UNKNOWN_ID, { target: {} }),
    await decline(UNKNOWN_ID, 'No.'),
  ])
    expectFailure(answer, 404, 'custom_target_request_not_found');
});

proveCoverage('custom-targets');
