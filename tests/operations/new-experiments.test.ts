import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createBuilders,
  createProductRequest,
  createSequences,
  expectFailure,
  expectStatus,
  listProblemPaths,
  UNKNOWN_ID,
  VHH,
} from '#testing/builders.ts';
import { proveSandboxRefused } from '#testing/live-refusals.ts';
import { withoutCollection } from '#testing/collection.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getText, testService, type Ask, type Json, type TestAnswer } from '#testing/service.ts';

const service = await createRecordedService({ MAX_SEQUENCES_PER_EXPERIMENT: '5' });
const { ask, issueToken } = service;
const { createBody, targets, create, createReleased } = await createBuilders(service);

const clone = (id: string, body?: object, options: Ask = {}) =>
  ask('POST', `/experiments/${id}/clone`, { ...options, ...(body === undefined ? {} : { body }) });

async function readExperiment(answer: TestAnswer, status = 201): Promise<Json> {
  const id = getText(expectStatus(answer, status).body.experiment_id);
  return expectStatus(await ask('GET', `/experiments/${id}`), 200).body;
}

test('clone_exp: no body → a draft with the same specification and sequences in their order; the source stays', async () => {
  const metadata = { type: 'IgG', chain_order: ['H', 'L'] };
  const spec = {
    experiment_type: 'affinity',
    method: 'spr',
    n_replicates: 2,
    antigen_concentrations: [300, 30, 0],
    parameters: { note: 'cold' },
    sequences: { b: VHH, a: { aa_string: `${VHH}:${VHH}`, control: true, metadata } },
  };
  const besides = {
    description: 'first',
    webhook_url: 'https://client.example/hook',
    webhook_secret: 'x'.repeat(32),
  };
  const { id, code } = await create(createBody(spec, besides));
  const before = expectStatus(await ask('GET', `/experiments/${id}`), 200).body;
  const answer = expectStatus(await clone(code), 201);
  assert.equal(answer.body.status, 'draft');
  assert.equal(answer.body.costs?.breakdown?.total_cents, before.costs?.breakdown?.total_cents);
  assert.equal(answer.body.warnings, undefined);
  const copy = await readExperiment(answer);
  assert.equal(copy.code, answer.body.experiment_code);
  assert.notEqual(copy.code, code);
  assert.deepEqual(copy.experiment_spec, before.experiment_spec);
  assert.deepEqual(copy.sequences, before.sequences);
  assert.deepEqual(
    [copy.name, copy.description, copy.webhook_url],
    [`${getText(before.name)} (copy)`, 'first', null],
  );
  assert.deepEqual((await ask('GET', `/experiments/${id}`)).body, before);
});

test('sandbox_only: parameters.sandbox in a live environment → refused', () => proveSandboxRefused('copies'));

test('clone_exp: fields of modify_exp → the copy differs in them alone; null keeps all but the target', async () => {
  const { id } = await create(createBody({ n_replicates: 2 }));
  const source = expectStatus(await ask('GET', `/experiments/${id}`), 200).body;
  const copy = await readExperiment(
    await clone(id, {
      name: 'round 2',
      n_replicates: 4,
      target_id: targets.perLot,
      sequences: [{ name: 'only', aa_string: VHH, metadata: { origin: 'round 2' } }],
      description: null,
      parameters: null,
    }),
  );
  const { target_id, n_replicates, sequences, method } = copy.experiment_spec ?? {};
  assert.deepEqual([copy.name, target_id, n_replicates, method], ['round 2', targets.perLot, 4, 'bli']);
  assert.deepEqual(sequences, { only: { aa_string: VHH, control: false, metadata: { origin: 'round 2' } } });
  assert.deepEqual(copy.parameters, source.parameters);
  const cleared = await readExperiment(await clone(id, { target_id: null, n_replicates: null }));
  assert.deepEqual([cleared.target_id, cleared.n_replicates], [null, 2]);
  const long = await create(createBody({}, { name: 'n'.repeat(300) }));
  assert.equal(getText((await readExperiment(await clone(long.id))).name).length, 300);
});

test('clone_exp: an experiment that is done, or canceled → a draft without results', async () => {
  const released = await createReleased();
  const canceled = await create();
  expectStatus(await ask('POST', `/experiments/${canceled.id}/cancel`), 200);
  for (const { id } of [released, canceled]) {
    const copy = await readExperiment(await clone(id));
    assert.deepEqual([copy.status, copy.results_status, copy.result_id], ['draft', 'none', null]);
  }
});

test('clone_exp: a target that left the catalog → no target, and a warning names it; another target is taken', async () => {
  const { id, code } = await create(createBody({ target_id: targets.perLot }));
  const { body: target } = expectStatus(await ask('GET', `/targets/${targets.perLot}`), 200);
  const list = (listed: boolean) =>
    service.service.database.read.query('update targets set listed = $1 where id = $2', [
      listed,
      targets.perLot,
    ]);
  await list(false);
  try {
    const answer = expectStatus(await clone(id), 201);
    const [warning, ...others] = getItems(answer.body.warnings).map(getText);
    assert.equal(others.length, 0);
    assert.match(warning ?? '', new RegExp(`^The target ${getText(target.name)} of ${code} is no longer`));
    const copy = await readExperiment(answer);
    assert.equal(copy.target_id, null);
    const path = `/experiments/${getText(copy.id)}`;
    expectFailure(await ask('POST', `${path}/submit`), 409, 'experiment_without_target');
    const other = expectStatus(await clone(id, { target_id: targets.perSequence }), 201);
    assert.equal(other.body.warnings, undefined);
  } finally {
    await list(true);
  }
});

test('clone_exp: a requested target → the copy requests it too, and its estimate names the new request', async () => {
  const requested = { name: 'A receptor nobody sells', uniprot_id: 'P00533' };
  const { id } = await create(createBody({ target_id: null, requested_target: requested }));
  const copy = await readExperiment(await clone(id));
  assert.deepEqual(copy.experiment_spec?.requested_target, requested);
  const path = `/targets/request-custom?filter=eq(experiment_id,${getText(copy.id)})`;
  const [request] = getItems(expectStatus(await ask('GET', path), 200).body.items);
  assert.equal(copy.costs?.materials_unavailable?.target_id, request?.id);
});

test('experiment_not_found: an unknown or foreign experiment is cloned → 404, the same bytes', async () => {
  const foreign = await create(createBody(), { token: await issueToken({ ownOrganization: true }) });
  const answers = await Promise.all([UNKNOWN_ID, foreign.id, foreign.code].map((id) => clone(id)));
  for (const answer of answers) expectFailure(answer, 404, 'experiment_not_found');
  assert.equal(new Set(answers.map(({ body }) => JSON.stringify({ ...body, request_id: '' }))).size, 1);
});

test('permission_denied, token_restricted: a token that may not read, or is limited to experiments, clones → 403', async () => {
  const { id } = await create();
  const attenuate = async (attenuation: object) => {
    const body = { token: service.token, name: 'narrow', attenuation };
    return getText(expectStatus(await ask('POST', '/tokens/attenuate', { body }), 201).body.token);
  };
  const blind = await attenuate({ allowed_actions: ['create'] });
  expectFailure(await clone(id, {}, { token: blind }), 403, 'permission_denied');
  const limited = await attenuate({ resource_ids: [id] });
  expectFailure(await clone(id, {}, { token: limited }), 403, 'token_restricted');
});

test('invalid_experiment, unprocessable_experiment: a clone with malformed or impossible changes → each is named', async () => {
  const { id } = await create();
  const form = expectFailure(await clone(id, { name: ' ', n_replicates: 6 }), 400, 'invalid_experiment');
  assert.deepEqual(listProblemPaths(form), ['n_replicates', 'name']);
  expectFailure(await clone(id, { color: 'red' }), 400, 'invalid_request');
  const bad = { sequences: [{ name: 'x', aa_string: 'ACDX' }] };
  expectFailure(await clone(id, bad), 422, 'unprocessable_experiment');
  expectFailure(await clone(id, { target_id: UNKNOWN_ID }), 404, 'target_not_found');
  const many = Object.entries(createSequences(6)).map(([name, aa_string]) => ({ name, aa_string }));
  expectFailure(await clone(id, { sequences: many }), 422, 'too_many_sequences');
  for (const [rail, status, code] of [
    ['barter', 400, 'unknown_payment_method'],
    ['x402-exact', 501, 'payment_rail_not_served'],
  ] as const)
    expectFailure(await clone(id, {}, { headers: { 'x-service-payment-method': rail } }), status, code);
  await service.service.database.read.query(
    `update experiments set experiment_type = 'epitope_binning' where id = $1`,
    [id],
  );
  expectFailure(await clone(id), 422, 'experiment_type_not_offered');
});

const FASTA = `>design-2 second of the plate\n${VHH.slice(0, 60)}\n${VHH.slice(60)}\n\n>10\n${VHH}:${VHH}\n`;
const CSV = `Name;Sequence;Control\r\n"design-2";${VHH.toLowerCase()};\r\n\r\n10;"${VHH}:${VHH}";yes\r\n`;
const upload = (query: Readonly<Record<string, string>>, content: string, media: string, options: Ask = {}) =>
  ask('POST', `/experiments/import?${new URLSearchParams(query).toString()}`, {
    ...options,
    payload: content,
    headers: { 'content-type': media, ...options.headers },
  });
const plan = { name: 'imported', experiment_type: 'expression' };

for (const [media, content] of [
  ['text/x-fasta', FASTA],
  ['text/plain; charset=utf-8', FASTA],
  ['text/csv', CSV],
  ['text/plain', CSV.replaceAll(';', '\t')],
] as const) {
  test(`import_exp: ${media} as ${content === FASTA ? 'FASTA' : 'a table'} → the answer of create_exp, and the sequences in the order of the file`, async () => {
    const answer = expectStatus(await upload({ ...plan, n_replicates: '2' }, content, media), 201);
    assert.deepEqual(
      Object.keys(answer.body).filter((key) => key !== 'warnings'),
      ['experiment_id', 'error', 'experiment_code', 'status', 'costs'],
    );
    const read = await readExperiment(answer);
    assert.deepEqual([read.name, read.status, read.n_replicates], ['imported', 'draft', 2]);
    assert.deepEqual(
      getItems(read.sequences).map(({ fasta }) => fasta),
      [`>design-2\n${VHH}`, `>10\n${VHH}:${VHH}`],
    );
    const { '10': ten } = read.experiment_spec?.sequences ?? {};
    assert.equal(ten?.control ?? false, content !== FASTA);
  });
}

test('import_exp: affinity with its whole specification in the query, and JSON in place of a text → as create_exp makes it', async () => {
  const query = {
    ...plan,
    experiment_type: 'affinity',
    method: 'spr',
    target_id: targets.perSequence,
    antigen_concentrations: '300, 30,0',
    description: 'all of it',
    skip_draft: 'true',
  };
  for (const [content, media] of [
    [FASTA, 'text/x-fasta'],
    [JSON.stringify({ content: FASTA }), 'application/json'],
  ] as const) {
    const read = await readExperiment(await upload(query, content, media));
    const { experiment_type, method, antigen_concentrations } = read.experiment_spec ?? {};
    assert.deepEqual([experiment_type, method, antigen_concentrations], ['affinity', 'spr', [300, 30, 0]]);
    assert.deepEqual([read.description, read.target_id], ['all of it', targets.perSequence]);
    assert.notEqual(read.status, 'draft');
  }
  const requested = { ...query, target_id: '', requested_target: 'A receptor nobody sells' };
  const { target_id: _none, ...named } = requested;
  const custom = await readExperiment(await upload(named, FASTA, 'text/x-fasta'));
  assert.deepEqual(custom.experiment_spec?.requested_target, { name: 'A receptor nobody sells' });
});

test('import_exp: CSV with the columns of an antibody → its metadata; a wrong one → 400 names the line', async () => {
  const table = (rows: string) => `name,sequence,type,VH,VL,tag location\n${rows}`;
  const row = `a,${VHH}:${VHH},ScFv,${VHH},${VHH},N\n`;
  const read = await readExperiment(await upload(plan, table(row), 'text/csv'));
  const { a } = read.experiment_spec?.sequences ?? {};
  assert.deepEqual(a?.metadata, {
    type: 'ScFv',
    VH: VHH,
    VL: VHH,
    linker: 'GGGGSGGGGSGGGGS',
    tag_location: 'N',
  });
  const wrong = await upload(plan, table(`a,${VHH},ScFv,,${VHH},\nb,${VHH},Fv,,,M\n`), 'text/csv');
  expectFailure(wrong, 400, 'invalid_experiment');
  assert.deepEqual(listProblemPaths(wrong), ['line 2', 'line 3', 'line 3']);
});

test('invalid_experiment: problems of the file and of the query → one answer names each by line or parameter', async () => {
  const fasta = `ACD\n>a\n${VHH}\n>a\nAC1D\n>b\n>c\nACDXEF\n`;
  const query = { ...plan, experiment_type: 'screening', n_replicates: '9', webhook_url: 'http://x.example' };
  const refused = expectFailure(await upload(query, fasta, 'text/x-fasta'), 400, 'invalid_experiment');
  const paths = ['line 1', 'line 4', 'line 5', 'line 6', 'line 7'];
  assert.deepEqual(listProblemPaths(refused), [
    ...paths,
    'method',
    'n_replicates',
    'target_id',
    'webhook_url',
  ]);
  assert.match(refused.text, /position 4: X/);
  const { name: _name, ...nameless } = plan;
  const both = expectFailure(await upload(nameless, fasta, 'text/x-fasta'), 400, 'invalid_experiment');
  assert.deepEqual(listProblemPaths(both), [...paths, 'name']);

  const csv = `name,sequence,color\n`;
  const headed = expectFailure(await upload(plan, csv, 'text/csv'), 400, 'invalid_experiment');
  assert.match(headed.text, /\\"color\\" is not a known column/);
  const rows = `name,sequence,control\na,${VHH},maybe\na,${VHH}\n,${VHH}\nb,\nc,${VHH},no,more\n"d,${VHH}\n`;
  const broken = expectFailure(await upload(plan, rows, 'text/csv'), 400, 'invalid_experiment');
  assert.deepEqual(
    [...new Set(listProblemPaths(broken))],
    ['line 2', 'line 3', 'line 4', 'line 5', 'line 6', 'line 7'],
  );
  for (const [content, media] of [
    ['', 'text/csv'],
    ['\n \n', 'text/plain'],
    ['name,sequence\n', 'text/csv'],
    [`${VHH}\n`, 'text/plain'],
  ] as const) {
    const empty = expectFailure(await upload(plan, content, media), 400, 'invalid_experiment');
    assert.deepEqual(listProblemPaths(empty), ['line 1']);
  }
  const series = { ...plan, experiment_type: 'affinity', method: 'bli', target_id: targets.perSequence };
  const words = await upload({ ...series, antigen_concentrations: '300;30' }, FASTA, 'text/x-fasta');
  assert.deepEqual(listProblemPaths(expectFailure(words, 400, 'invalid_experiment')), [
    'antigen_concentrations',
  ]);
});

test('invalid_request: a NUL in a file, or a query that is not known → 400', async () => {
  expectFailure(await upload(plan, `>a\0\n${VHH}\n`, 'text/x-fasta'), 400, 'invalid_request');
  const misspelt = expectFailure(
    await upload({ ...plan, replicates: '2' }, FASTA, 'text/x-fasta'),
    400,
    'invalid_experiment',
  );
  assert.deepEqual(listProblemPaths(misspelt), ['replicates']);
});

test('unprocessable_experiment: a letter of the file is no residue → 422 names its line; the other refusals of create_exp → as there', async () => {
  const fasta = `>a\n${VHH}\n>b.c\n${VHH}\nACDX\n`;
  const letter = expectFailure(await upload(plan, fasta, 'text/x-fasta'), 422, 'unprocessable_experiment');
  assert.deepEqual(listProblemPaths(letter), ['line 3']);
  const binning = { ...plan, experiment_type: 'epitope_binning' };
  expectFailure(await upload(binning, FASTA, 'text/x-fasta'), 422, 'experiment_type_not_offered');
  const many = Object.keys(createSequences(6)).map((name) => `>${name}\n${VHH}\n`);
  expectFailure(await upload(plan, many.join(''), 'text/x-fasta'), 422, 'too_many_sequences');
  const binding = { ...plan, experiment_type: 'screening', method: 'bli' };
  const unknown = await upload({ ...binding, target_id: UNKNOWN_ID }, FASTA, 'text/x-fasta');
  assert.deepEqual(listProblemPaths(expectFailure(unknown, 404, 'target_not_found')), ['target_id']);
  const unpriced = { ...binding, target_id: targets.byHand, auto_accept_quote: 'true' };
  expectFailure(await upload(unpriced, FASTA, 'text/x-fasta'), 422, 'pricing_incomplete');
  const by = (rail: string) => ({ headers: { 'x-service-payment-method': rail } });
  expectFailure(await upload(plan, FASTA, 'text/csv', by('barter')), 400, 'unknown_payment_method');
  expectFailure(await upload(plan, FASTA, 'text/csv', by('x402-exact')), 501, 'payment_rail_not_served');
});

test('looks_like_dna: DNA in a file or in a change of a copy → 422 that names its line', async () => {
  const gene = 'ATGGCTAAAGGTGAACTGCGTACC'.repeat(4);
  const refused = await upload(plan, `>a\n${VHH}\n>gene\n${gene}\n`, 'text/x-fasta');
  assert.deepEqual(listProblemPaths(expectFailure(refused, 422, 'looks_like_dna')), ['line 3']);
  const { id } = await create();
  const sequences = [{ name: 'gene', aa_string: gene }];
  expectFailure(await clone(id, { sequences }), 422, 'looks_like_dna');
});

test('target_ambiguous: a file is ordered for a name of one target, of none, of two → 201, 404, 422', async () => {
  const binding = { ...plan, experiment_type: 'screening', method: 'bli' };
  const on = (target: string) => upload({ ...binding, target }, FASTA, 'text/x-fasta');
  const { body: known } = expectStatus(await ask('GET', `/targets/${targets.perSequence}`), 200);
  assert.equal((await readExperiment(await on(getText(known.name)))).target_id, targets.perSequence);
  assert.deepEqual(listProblemPaths(expectFailure(await on('Nobody'), 404, 'target_not_found')), ['target']);
  for (const catalog_number of ['TWIN-1', 'TWIN-2']) {
    const body = { ...createProductRequest() };
    const made = expectStatus(await ask('POST', '/targets/request-custom', { body }), 201);
    const approval = { target: { name: 'Twin', catalog_number }, lead_time_days: 1 };
    const path = `/lab/target-requests/${getText(made.body.id)}/approve`;
    expectStatus(await ask('POST', path, { body: approval }), 200);
  }
  expectFailure(await on('Twin'), 422, 'target_ambiguous');
});

test('import_exp, payment_not_set_up: auto_accept_quote → ordered within the rights of the token where it can be paid, by invoice or on a machine rail', async () => {
  const accepted = { ...plan, auto_accept_quote: 'true' };
  const order = (options: Ask = {}) => upload(accepted, FASTA, 'text/x-fasta', options);
  assert.equal(expectStatus(await order(), 201).body.status, 'waiting_for_materials');
  expectStatus(await order({ headers: { 'x-service-payment-method': 'mpp-spt' } }), 200);
  expectFailure(await withoutCollection(service, () => order()), 409, 'payment_not_set_up');
  const own = { token: service.token, name: 'capped', attenuation: { max_spend_cents: 1 } };
  const token = getText((await ask('POST', '/tokens/attenuate', { body: own })).body.token);
  expectFailure(await order({ token }), 403, 'spend_limit_exceeded');
  const limits = { token: service.token, name: 'limited', attenuation: { resource_ids: [UNKNOWN_ID] } };
  const limited = getText((await ask('POST', '/tokens/attenuate', { body: limits })).body.token);
  expectFailure(await upload(plan, FASTA, 'text/x-fasta', { token: limited }), 403, 'token_restricted');
});

test('import_exp: a key is repeated with the same file → the first answer; with another file → 422', async () => {
  const headers = { 'idempotency-key': 'import-1' };
  const first = expectStatus(await upload(plan, FASTA, 'text/x-fasta', { headers }), 201);
  const again = expectStatus(await upload(plan, FASTA, 'text/x-fasta', { headers }), 201);
  assert.equal(again.body.experiment_id, first.body.experiment_id);
  expectFailure(await upload(plan, CSV, 'text/csv', { headers }), 422, 'idempotency_key_reused');
});

test('media_type_not_served: a file of another media type → 415 names those that are served', async () => {
  const { ask: askPlain } = await testService();
  const answer = await askPlain('POST', '/experiments/import?name=x&experiment_type=expression', {
    payload: FASTA,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expectFailure(answer, 415, 'media_type_not_served');
  assert.match(answer.text, /text\/x-fasta, text\/csv, text\/plain/);
});

test('get_exp_info: by id and by code → the same answer', async () => {
  const { id, code } = await create();
  const byId = expectStatus(await ask('GET', `/experiments/${id}`), 200);
  assert.deepEqual((await ask('GET', `/experiments/${code}`)).body, byId.body);
  assert.equal(byId.body.experiment_spec.target_id, byId.body.target_id);
  assert.equal(byId.body.parameters.experiment_type, 'screening');
});

proveCoverage('new-experiments');
