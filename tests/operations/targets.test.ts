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
import { getItems, getText, type Ask } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken } = service;
const { targets, create, createBody, createInvoiced } = await createBuilders(service);

test('list_targets: selfservice_only → only targets with a price; detailed → with details', async () => {
  const all = expectStatus(await ask('GET', '/targets?limit=100'), 200);
  const selfService = expectStatus(await ask('GET', '/targets?limit=100&selfservice_only=true'), 200);
  const conjugated = expectStatus(await ask('GET', '/targets?limit=100&show_conjugated=true'), 200);
  assert.ok(Number(all.body.total) >= 30);
  assert.ok(Number(selfService.body.total) < Number(all.body.total));
  assert.ok(Number(conjugated.body.total) >= Number(all.body.total));
  assert.ok(getItems(selfService.body.items).every((item) => Boolean(item.pricing)));
  const detailed = expectStatus(await ask('GET', '/targets?search=egfr&detailed=true'), 200);
  const [egfr] = getItems(detailed.body.items);
  assert.equal(egfr?.uniprot_id, 'P00533');
  for (const field of ['uniprot_id', 'gene_names', 'organism', 'family'])
    assert.deepEqual(egfr?.details[field], egfr?.[field], field);
});

test('invalid_query: targets are sorted by an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/targets?sort=desc(color)'), 400, 'invalid_query');
});

test('get_target_info: targets of every kind of pricing → answered with details', async () => {
  for (const id of Object.values(targets)) {
    const target = expectStatus(await ask('GET', `/targets/${id}`), 200);
    assert.equal(target.body.id, id);
    assert.equal(typeof target.body.details, 'object');
  }
});

test('get_target_info: a target of the catalog → coordinates, a protein accession, the taxonomy id and its product', async () => {
  const found = expectStatus(await ask('GET', '/targets?search=egfr&detailed=true'), 200);
  const [listed] = getItems(found.body.items);
  const { body: target } = expectStatus(await ask('GET', `/targets/${getText(listed?.id)}`), 200);
  assert.deepEqual(target.details, listed?.details);
  const { details } = target;
  assert.deepEqual([details?.ncbi_id, details?.taxon_id], ['P00533', '9606']);
  const structures = getItems(details?.structures);
  assert.ok(structures.length > 0);
  for (const { id, url, page_url } of structures) {
    assert.equal(url, `https://files.rcsb.org/download/${getText(id)}.cif`);
    assert.equal(page_url, `https://www.rcsb.org/structure/${getText(id)}`);
  }
  assert.deepEqual(details.products, [
    {
      vendor: target.vendor_name,
      catalog_number: target.catalog_number,
      tags: details?.tags,
      expression_system: details?.expression_system,
      url: target.url,
    },
  ]);
});

test('list_targets: sort by purity in every spelling → purest first or last, and unknown purities last', async () => {
  const purities = [87.5, 99, 92];
  for (const purity of purities) {
    const body = { name: `Pure ${purity}`, product_id: `PURE-${purity}`, pdb_id: '1IVO' };
    const made = expectStatus(await ask('POST', '/targets/request-custom', { body }), 201);
    const approval = { target: { purity }, lead_time_days: 1 };
    const path = `/lab/target-requests/${getText(made.body.id)}/approve`;
    expectStatus(await ask('POST', path, { body: approval }), 200);
  }
  const list = async (sort: string) => {
    const { body } = expectStatus(await ask('GET', `/targets?detailed=true&limit=4&sort=${sort}`), 200);
    return getItems(body.items).map(({ details }) => details?.purity);
  };
  for (const sort of ['purity', '%2Bpurity', 'asc(purity)', 'purity:asc'])
    assert.deepEqual(await list(sort), [87.5, 92, 99, undefined]);
  for (const sort of ['-purity', 'desc(purity)', 'purity:desc'])
    assert.deepEqual(await list(sort), [99, 92, 87.5, undefined]);
  const pure = expectStatus(await ask('GET', '/targets?filter=gte(purity,90)'), 200);
  assert.equal(pure.body.total, 2);
});

const minimal = createProductRequest();
const PDB_FILE = 'HEADER    MEMBRANE PROTEIN\nATOM      1  N   GLU A   1\nEND\n';
const requestTarget = (fields: object, options: Ask = {}) =>
  ask('POST', '/targets/request-custom', { ...options, body: fields });

test('create_custom_target_request: no sequence and no structure, or empty ones → 400 names sequence; any one of them → 201', async () => {
  const named = { name: 'Something', product_id: 'N-1' };
  for (const fields of [
    named,
    { ...named, sequence: null, pdb_id: null, pdb_file: null, note: 'a kinase' },
  ]) {
    const refused = expectFailure(await requestTarget(fields), 400, 'invalid_request');
    assert.deepEqual(listProblemPaths(refused), ['sequence']);
    assert.match(refused.text, /unless pdb_id or pdb_file is given/);
  }
  for (const [index, given] of [{ sequence: VHH }, { pdb_id: '1IVO' }, { pdb_file: PDB_FILE }].entries())
    expectStatus(await requestTarget({ ...named, ...given, product_id: `N-${index}` }), 201);
});

test('create_custom_target_request: pdb_file in base64, in one line or several → read back as text; other bytes → 400', async () => {
  const base64 = Buffer.from(PDB_FILE.repeat(3)).toString('base64');
  for (const pdb_file of [base64, base64.replaceAll(/(.{76})/g, '$1\r\n')]) {
    const { name, product_id } = minimal;
    const created = expectStatus(await requestTarget({ name, product_id, pdb_file }), 201);
    const read = expectStatus(await ask('GET', `/targets/request-custom/${getText(created.body.id)}`), 200);
    assert.equal(read.body.pdb_file, PDB_FILE.repeat(3));
  }
  for (const bytes of ['hello', '\0HEADER\nATOM 1'])
    expectFailure(
      await requestTarget({ ...minimal, pdb_file: Buffer.from(bytes).toString('base64') }),
      400,
      'invalid_request',
    );
});

test('create_custom_target_request: a product that the organization requested before, also eight at once → 400; another organization may', async () => {
  const token = await issueToken({ ownOrganization: true });
  const body = { ...minimal };
  const answers = await Promise.all(Array.from({ length: 8 }, () => requestTarget(body, { token })));
  assert.deepEqual(
    answers.map(({ status }) => status).sort((a, b) => a - b),
    [201, 400, 400, 400, 400, 400, 400, 400],
  );
  const again = expectFailure(
    await requestTarget({ ...body, note: 'please' }, { token }),
    400,
    'invalid_request',
  );
  assert.deepEqual(listProblemPaths(again), ['product_id']);
  expectStatus(await requestTarget(body, { token: await issueToken({ ownOrganization: true }) }), 201);
});

test('create_custom_target_request: the product was requested without the spaces around it → 400', async () => {
  const token = await issueToken({ ownOrganization: true });
  const body = { ...minimal };
  expectStatus(await requestTarget(body, { token }), 201);
  const spaced = { ...body, product_id: ` ${body.product_id} ` };
  const again = expectFailure(await requestTarget(spaced, { token }), 400, 'invalid_request');
  assert.deepEqual(listProblemPaths(again), ['product_id']);
});

test('also_waiting_on: an unpaid invoice, or a requested target → named beside the next step, and nothing otherwise', async () => {
  const read = async (id: string) => {
    const { waiting_on: first, also_waiting_on: others } = (await ask('GET', `/experiments/${id}`)).body;
    return [getText(first?.awaiting), getItems(others)] as const;
  };
  const draft = await create();
  assert.deepEqual(await read(draft.id), ['you submit the experiment', []]);
  const { id } = await createInvoiced();
  const unpaid = [{ actor: 'client', awaiting: 'you pay the invoice' }];
  assert.deepEqual(await read(id), ['gene fragments and target arrive', unpaid]);
  const requested = { target_id: null, requested_target: { name: 'A receptor nobody sells' } };
  const custom = await create(createBody(requested));
  const review = [{ actor: 'lab', awaiting: 'the lab reviews the requested target' }];
  assert.deepEqual(await read(custom.id), ['you submit the experiment', review]);
  const estimate = await ask('POST', '/experiments/cost-estimate', {
    body: { experiment_spec: createBody(requested).experiment_spec },
  });
  assert.equal(estimate.body.incomplete?.materials_unavailable?.target_id, '');
});

test('concentrations_in_molar: a series whose largest value is below 0.001 → taken, with a warning that it looks like M', async () => {
  const affinity = { experiment_type: 'affinity', antigen_concentrations: [3e-7, 1e-8] };
  for (const path of ['/experiments', '/experiments/validate']) {
    const { body } = await ask('POST', path, { body: createBody(affinity) });
    assert.match(JSON.stringify(body.warnings), /looks like M\b/);
  }
  const usual = await ask('POST', '/experiments', {
    body: createBody({ ...affinity, antigen_concentrations: [0.001, 0] }),
  });
  assert.doesNotMatch(JSON.stringify(expectStatus(usual, 201).body.warnings ?? []), /looks like M\b/);
});

test('target_not_found: an unknown id → 404; a malformed id → 400', async () => {
  expectFailure(await ask('GET', `/targets/${UNKNOWN_ID}`), 404, 'target_not_found');
  expectFailure(await ask('GET', '/targets/EGFR'), 400, 'invalid_request');
});

proveCoverage('targets');
