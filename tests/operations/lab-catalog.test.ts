import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INSTALLATION_ID } from '#features/audit/rules.ts';
import {
  createBuilders,
  expectFailure,
  expectStatus,
  listProblemPaths,
  UNKNOWN_ID,
  VHH,
} from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getNumber, getText, type Json } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken } = service;
const build = await createBuilders(service);
const { database } = service.service;
const client = await issueToken({ ownOrganization: true });

let numbers = 0;
const createNumber = () => `NEW-${++numbers}`;

/** Every field that an entry has. */
const whole = {
  uniprot_id: 'P00533',
  gene_names: ['EGFR', 'ERBB1'],
  organism: 'Homo sapiens',
  family: 'Receptor tyrosine kinase',
  conjugated: true,
  description: 'A receptor, "quoted", with a comma',
  synonyms: ['HER1'],
  ncbi_id: 'P00533',
  taxon_id: '9606',
  subcellular_locations: ['Cell membrane'],
  construct: 'P00533 residues 25–645',
  oligomeric_state: 'monomer',
  tags: ['His', 'Avi'],
  is_fc_fusion: false,
  expression_system: 'HEK293',
  purity: 95.5,
  molecular_weight: '69.4 kDa',
  sequence: VHH,
  structures: ['1IVO', '3NJP'],
  bioactivity: { bli: true, elisa: false, spr: true },
  lot: 'L-1',
  stock_ug: 400,
  control_kd_m: 2e-9,
  pricing: { type: 'per_broken_lot', lot_prices: [{ num_sequences: 24, price_usdcent: 50_000 }] },
};

async function create(besides: Readonly<Record<string, unknown>> = {}): Promise<Json> {
  const body = { name: 'Antigen', vendor_name: 'A vendor', catalog_number: createNumber(), ...besides };
  return expectStatus(await ask('POST', '/lab/targets', { body }), 201).body;
}

const importCsv = (content: string) => ask('POST', '/lab/targets/import', { body: { content } });
const validateCsv = (content: string) => ask('POST', '/lab/targets/import/validate', { body: { content } });
const readCatalog = () =>
  database.read.query('select * from targets where owner_organization_id is null order by id');

test('invalid_request: an unknown member of a price or of a lot → refused and named, nothing is kept', async () => {
  const lot = { num_sequences: 24, price_usdcent: 50_000 };
  for (const pricing of [
    { type: 'per_sequence', price_per_sequence_cents: 500, currency: 'EUR' },
    { type: 'per_broken_lot', lot_prices: [lot], currency: 'EUR' },
    { type: 'per_broken_lot', lot_prices: [{ ...lot, currency: 'EUR' }] },
  ]) {
    const body = { name: 'Strict', vendor_name: 'A vendor', catalog_number: 'STRICT-1', pricing };
    const answer = await ask('POST', '/lab/targets', { body });
    expectFailure(answer, 400, 'invalid_request');
    assert.match(JSON.stringify(answer.body), /currency/);
  }
});

test('create_target: every field → staff read all of it, clients all but lot, stock and control', async () => {
  const made = await create(whole);
  const { lot, stock_ug, control_kd_m, ...open } = whole;
  assert.deepEqual([made.lot, made.stock_ug, made.control_kd_m], [lot, stock_ug, control_kd_m]);
  const path = `/targets/${getText(made.id)}`;
  const shown = expectStatus(await ask('GET', path, { token: client }), 200);
  for (const field of ['lot', 'stock_ug', 'control_kd_m', 'organization_id'])
    assert.ok(!(field in shown.body), field);
  const details: Json = shown.body.details;
  const { structures, pricing, ...plain } = open;
  for (const [field, value] of Object.entries(plain))
    assert.deepEqual(details[field] ?? shown.body[field], value, field);
  assert.deepEqual(
    getItems(details.structures).map(({ id }) => id),
    structures,
  );
  assert.deepEqual(shown.body.pricing, pricing);
  assert.equal(details.sequence_length, VHH.length);
  assert.deepEqual(expectStatus(await ask('GET', `/lab${path}`), 200).body, made);
  const listed = expectStatus(await ask('GET', '/lab/targets?filter=gt(stock_ug,399)'), 200);
  assert.deepEqual(getItems(listed.body.items), [made]);
});

test('target_exists: a catalog number is used twice, by a new target or an edit → 409', async () => {
  const first = await create();
  const body = { name: 'Other', vendor_name: 'A vendor', catalog_number: getText(first.catalog_number) };
  expectFailure(await ask('POST', '/lab/targets', { body }), 409, 'target_exists');
  const path = `/lab/targets/${getText((await create()).id)}`;
  const renumbered = await ask('PATCH', path, { body: { catalog_number: body.catalog_number } });
  expectFailure(renumbered, 409, 'target_exists');
  expectStatus(await ask('PATCH', path, { body: { catalog_number: createNumber() } }), 200);
});

test('invalid_request: a wrong accession, sequence, structure or two equal lots → 400 that names each field', async () => {
  const tier = { num_sequences: 24, price_usdcent: 1 };
  const wrong = {
    uniprot_id: 'EGFR',
    sequence: 'QVQB',
    structures: ['EGFR'],
    pricing: { type: 'per_broken_lot', lot_prices: [tier, tier] },
  };
  const paths = ['pricing', 'sequence', 'structures', 'uniprot_id'];
  const body = { name: 'x', vendor_name: 'x', catalog_number: createNumber(), ...wrong };
  const refused = expectFailure(await ask('POST', '/lab/targets', { body }), 400, 'invalid_request');
  assert.deepEqual(listProblemPaths(refused), paths);
  const path = `/lab/targets/${getText((await create()).id)}`;
  const edited = expectFailure(await ask('PATCH', path, { body: wrong }), 400, 'invalid_request');
  assert.deepEqual(listProblemPaths(edited), paths);
});

test('edit_target: some fields → only they change, and the audit entry has the former values', async () => {
  const made = await create(whole);
  const path = `/lab/targets/${getText(made.id)}`;
  const body = { stock_ug: 120, lot: null, synonyms: [] };
  const edited = expectStatus(await ask('PATCH', path, { body }), 200).body;
  const { updated_at: _first, details: before, ...rest } = made;
  const { updated_at: _second, details: after, ...others } = edited;
  assert.deepEqual(others, { ...rest, stock_ug: 120, lot: null });
  assert.deepEqual({ ...after, synonyms: before.synonyms }, before);
  const [entry] = await database.read.query<{ details: unknown; organization_id: string }>(
    `select details, organization_id from audit_log where subject = $1 and operation_id = 'edit_target'`,
    [getText(made.id)],
  );
  assert.deepEqual(entry, {
    organization_id: INSTALLATION_ID,
    details: {
      changes: [
        { field: 'lot', before: 'L-1', after: null },
        { field: 'stock_ug', before: 400, after: 120 },
        { field: 'synonyms', before: ['HER1'], after: [] },
      ],
    },
  });
});

test('target_not_found: an unknown target → 404', async () => {
  const path = `/lab/targets/${UNKNOWN_ID}`;
  expectFailure(await ask('GET', path), 404, 'target_not_found');
  expectFailure(await ask('PATCH', path, { body: { lot: 'x' } }), 404, 'target_not_found');
});

test('edit_target: a new price → an open quote keeps its own, and the next draft has the new one', async () => {
  const made = await create({ pricing: { type: 'per_sequence', price_per_sequence_cents: 500 } });
  const targetId = getText(made.id);
  const body = build.createBody({ target_id: targetId });
  const open = await build.createQuoted(body);
  const readTotal = async (id: string) => (await ask('GET', `/experiments/${id}/quote`)).body.amount_total;
  const before = await readTotal(open.id);
  const pricing = { type: 'per_sequence', price_per_sequence_cents: 900 };
  expectStatus(await ask('PATCH', `/lab/targets/${targetId}`, { body: { pricing } }), 200);
  assert.equal(await readTotal(open.id), before);
  const next = await build.createQuoted(body);
  assert.equal(Number(await readTotal(next.id)) - Number(before), 400);
});

test('target_retired: a target is retired → nobody can order it; drafts cannot be submitted, orders keep it', async () => {
  const made = await create({
    name: 'Retiring',
    pricing: { type: 'per_sequence', price_per_sequence_cents: 500 },
  });
  const targetId = getText(made.id);
  const body = build.createBody({ target_id: targetId });
  const draft = await build.create(body);
  const quoted = await build.createQuoted(body);
  const path = `/lab/targets/${targetId}`;
  assert.equal(expectStatus(await ask('PATCH', path, { body: { retired: true } }), 200).body.retired, true);
  expectFailure(await ask('POST', '/experiments', { body }), 404, 'target_not_found');
  const listed = expectStatus(await ask('GET', '/targets?search=Retiring'), 200);
  assert.equal(listed.body.total, 0);
  assert.equal(expectStatus(await ask('GET', `/targets/${targetId}`), 200).body.retired, true);
  const shown = expectStatus(await ask('GET', `/experiments/${draft.id}`), 200);
  assert.equal(shown.body.experiment_spec.target.name, 'Retiring');
  expectFailure(await ask('POST', `/experiments/${draft.id}/submit`), 409, 'target_retired');
  expectStatus(await ask('POST', `/quotes/${quoted.quoteId}/confirm`, { body: {} }), 200);
  expectStatus(await ask('PATCH', path, { body: { retired: false } }), 200);
  expectStatus(await ask('POST', `/experiments/${draft.id}/submit`), 200);
});

test('get_catalog_file: exported, imported again → no change; as CSV or as JSON the same text', async () => {
  await create({ ...whole, name: '=HYPERLINK("x")', synonyms: ['@one', '-two'] });
  const { body } = expectStatus(await ask('GET', '/lab/targets/export'), 200);
  const headers = { accept: 'text/csv' };
  const file = expectStatus(await ask('GET', '/lab/targets/export', { headers }), 200);
  assert.match(file.headers['content-type'] ?? '', /^text\/csv/);
  assert.equal(file.text, body.content);
  assert.doesNotMatch(file.text, /(?:^|,|\n)"?[=@+-]\D/);
  const again = expectStatus(await validateCsv(getText(body.content)), 200).body;
  assert.deepEqual(again, { added: 0, changed: 0, unchanged: body.count, items: [], problems: [] });
});

test('import_targets: a new target and a change of some columns → the preview says it, the import does it', async () => {
  const present = await create(whole);
  const [known, added] = [getText(present.catalog_number), createNumber()];
  const content = [
    'catalog_number;name;vendor_name;stock_ug;lot_prices;price_per_sequence_cents',
    `${known};Antigen;A vendor;12.5;24:50000;`,
    `${added};"Added; quoted";A vendor;;;700`,
  ].join('\r\n');
  const before = await readCatalog();
  const preview = expectStatus(await validateCsv(content), 200).body;
  assert.deepEqual(await readCatalog(), before);
  const { problems, ...plan } = preview;
  assert.deepEqual(problems, []);
  assert.deepEqual([plan.added, plan.changed, plan.unchanged], [1, 1, 0]);
  const [change, addition] = getItems(plan.items);
  assert.deepEqual(change, {
    line: 2,
    catalog_number: known,
    name: 'Antigen',
    action: 'change',
    changes: [{ field: 'stock_ug', before: 400, after: 12.5 }],
  });
  assert.equal(addition?.action, 'add');
  assert.deepEqual(expectStatus(await importCsv(content), 200).body, plan);
  const shown = expectStatus(await ask('GET', `/lab/targets?catalog_number=${added}`), 200);
  const [item] = getItems(shown.body.items);
  assert.equal(item?.name, 'Added; quoted');
  assert.deepEqual(item?.pricing, { type: 'per_sequence', price_per_sequence_cents: 700 });
  const [kept] = getItems((await ask('GET', `/lab/targets?catalog_number=${known}`)).body.items);
  assert.equal(kept?.control_kd_m, whole.control_kd_m);
});

test('import_refused: wrong cells in several lines → every problem by its line, and nothing is written', async () => {
  const content = [
    'catalog_number,name,vendor_name,purity,retired,lot_prices,price_per_sequence_cents,sequence',
    'A-1,One,A vendor,high,perhaps,,,QVQ',
    'A-1,,A vendor,101,,24:x,,QVB',
    'A-2,Good,A vendor,99,no,,500,QVQ',
    'A-3,Both,A vendor,99,no,24:100,500,QVQ,more',
  ].join('\n');
  const before = await readCatalog();
  const preview = expectStatus(await validateCsv(content), 200).body;
  const found = getItems(preview.problems).map(
    ({ line, message }) => `${getNumber(line)} ${getText(message)}`,
  );
  const expected = [
    /^2 purity "high" is not a number/,
    /^2 retired "perhaps" is not true or false/,
    /^3 lot_prices "24:x" is not of the form/,
    /^3 the catalog number A-1 is already used in line 2/,
    /^3 name must be given/,
    /^3 sequence must be amino acids/,
    /^3 purity must be a percentage/,
    /^5 the row has 9 cells, the header 8/,
    /^5 give price_per_sequence_cents or lot_prices, not both/,
  ];
  assert.equal(found.length, expected.length, found.join('\n'));
  for (const pattern of expected)
    assert.ok(
      found.some((line) => pattern.test(line)),
      String(pattern),
    );
  const refused = expectFailure(await importCsv(content), 422, 'import_refused');
  assert.equal(getItems(refused.body.problems).length, expected.length);
  assert.deepEqual(await readCatalog(), before);
});

test('import_refused: an empty file, an unknown column, one given twice, none that names targets → says which', async () => {
  for (const [content, message] of [
    ['', /the file is empty/],
    ['name,flavor\nx,y\n', /"flavor" is not a known column/],
    ['catalog_number,name,name\n', /the column name is given twice/],
    ['name\nx\n', /no column catalog_number/],
    ['catalog_number,name\n"A,B\n', /a quote is opened and not closed/],
  ] as const) {
    const refused = expectFailure(await importCsv(content), 422, 'import_refused');
    const found = getItems(refused.body.problems).map((problem) => getText(problem.message));
    assert.ok(
      found.some((text) => message.test(text)),
      found.join('; '),
    );
  }
});

test('import_targets: text/csv as the body → the same as the JSON form', async () => {
  const number = createNumber();
  const answer = await ask('POST', '/lab/targets/import', {
    payload: `catalog_number,name,vendor_name\n${number},Plain,A vendor\n`,
    headers: { 'content-type': 'text/csv' },
  });
  assert.equal(expectStatus(answer, 200).body.added, 1);
});

test('invalid_query: an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/lab/targets?sort=desc(color)'), 400, 'invalid_query');
});

test('pricing: a price beyond ten billion cents → refused, so that sums of orders stay exact', async () => {
  const body = { name: 'Antigen', vendor_name: 'A vendor', catalog_number: createNumber() };
  const dear = { type: 'per_sequence', price_per_sequence_cents: Number.MAX_SAFE_INTEGER };
  const lots = { type: 'per_broken_lot', lot_prices: [{ num_sequences: 24, price_usdcent: 1e12 }] };
  for (const pricing of [dear, lots]) {
    const answer = await ask('POST', '/lab/targets', { body: { ...body, pricing } });
    assert.equal(answer.status, 400, answer.text);
  }
});

test('lists of an entry: more than a hundred texts → refused by its field', async () => {
  const synonyms = Array.from({ length: 101 }, (_, index) => `name-${index}`);
  const body = { name: 'Antigen', vendor_name: 'A vendor', catalog_number: createNumber(), synonyms };
  const answer = await ask('POST', '/lab/targets', { body });
  assert.equal(answer.status, 400, answer.text);
  assert.match(answer.text, /synonyms.*has 101 entries; at most 100/);
});

test('import: a header of more columns than there are → one problem, at once', async () => {
  const payload = 'a,'.repeat(100_000);
  const headers = { 'content-type': 'text/csv' };
  const answer = await ask('POST', '/lab/targets/import/validate', { payload, headers });
  const problems = getItems(answer.body.problems);
  assert.equal(problems.length, 1, answer.text.slice(0, 300));
  assert.match(getText(problems[0]?.message), /^the header has 100001 columns/);
});

proveCoverage('lab-catalog');
