/** The screens of the catalog and of target requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, openSignedIn, type Page } from '#testing/browser.ts';
import { toRecord } from '#core/records.ts';
import { createBuilders, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import type { NewPerson } from '#testing/people.ts';
import { getItems, getText, testService } from '#testing/service.ts';

const service = await testService();
const { ask, issueToken } = service;
const build = await createBuilders(service);
const browser = await openSignedIn(service);
const HOSTILE = '<img src=x onerror=alert(1)>';

async function openAs(person: NewPerson): Promise<Browser> {
  const { body } = await ask('GET', '/whoami', { token: await issueToken(person) });
  return openSignedIn(service, getText(body.user_id));
}

let numbers = 0;
const createNumber = (): string => `SCREEN-${++numbers}`;

/** Every field of the form of a target. */
const ENTRY = {
  name: 'Antigen',
  vendor_name: 'A vendor',
  uniprot_id: 'P00533',
  gene_names: 'EGFR; ERBB1',
  organism: 'Homo sapiens',
  taxon_id: '9606',
  ncbi_id: 'P00533',
  family: 'Receptor tyrosine kinase',
  synonyms: 'HER1',
  subcellular_locations: 'Cell membrane',
  structures: '1IVO; 3NJP',
  description: 'A receptor',
  construct: 'P00533 residues 25–645',
  oligomeric_state: 'monomer',
  tags: 'His; Avi',
  expression_system: 'HEK293',
  purity: '95.5',
  molecular_weight: '69.4 kDa',
  conjugated: 'yes',
  is_fc_fusion: 'yes',
  sequence: 'QVQLVESGGGLVQAGGSLRLSCAAS',
  lot: 'L-1',
  stock_ug: '400',
  bioactivity: 'bli; spr',
  control_kd_nm: '2',
  pricing_type: 'per_broken_lot',
  lots: '24: 500.00\n96: 1500.00',
};

async function create(typed: Readonly<Record<string, string>> = {}): Promise<Page> {
  const page = await browser.open('/lab/targets/new');
  const fields = { ...ENTRY, catalog_number: createNumber(), ...typed };
  return browser.send(page, '/lab/targets/new', fields);
}

async function createId(typed: Readonly<Record<string, string>> = {}): Promise<string> {
  const made = await create(typed);
  assert.equal(made.status, 303, made.text);
  return /targets\/([0-9a-f-]{36})/.exec(made.location ?? '')?.[1] ?? '';
}

const readTarget = async (id: string) => expectStatus(await ask('GET', `/lab/targets/${id}`), 200).body;

/** The value of a field of a form. */
function readField({ text }: Page, name: string): string {
  const input = new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(text)?.[0];
  if (input !== undefined) return /value="([^"]*)"/.exec(input)?.[1] ?? '';
  return new RegExp(`<textarea[^>]*name="${name}"[^>]*>\\n?([^<]*)<`).exec(text)?.[1] ?? '';
}

test('create_target: every field is filled in → the target has them, and its form shows them again', async () => {
  const id = await createId();
  const target = await readTarget(id);
  assert.equal(target.stock_ug, 400);
  assert.equal(target.control_kd_m, 2e-9);
  assert.deepEqual(target.gene_names, ['EGFR', 'ERBB1']);
  assert.deepEqual(target.pricing, {
    type: 'per_broken_lot',
    lot_prices: [
      { num_sequences: 24, price_usdcent: 50_000 },
      { num_sequences: 96, price_usdcent: 150_000 },
    ],
  });
  const page = await browser.open(`/lab/targets/${id}?done=created`);
  assert.match(page.text, /The target was added/);
  const { pricing_type: _type, conjugated: _conjugated, is_fc_fusion: _fusion, ...plain } = ENTRY;
  for (const [name, value] of Object.entries(plain)) assert.equal(readField(page, name), value, name);
  assert.match(page.text, /<option value="per_broken_lot" selected>/);
  assert.match(page.text, /name="conjugated" value="yes" checked/);
  assert.match(page.text, /name="is_fc_fusion" value="yes" checked/);
});

test('edit_target: the form is sent as it was shown → nothing changes; a field is emptied → it is cleared', async () => {
  const id = await createId();
  const before = await readTarget(id);
  const page = await browser.open(`/lab/targets/${id}`);
  const number = readField(page, 'catalog_number');
  const action = `/lab/targets/${id}`;
  const same = await browser.send(page, action, { ...ENTRY, catalog_number: number });
  assert.equal(same.location, `${action}?done=saved`, same.text);
  const { updated_at: _before, ...unchanged } = before;
  const { updated_at: _after, ...after } = await readTarget(id);
  assert.deepEqual(after, unchanged);
  const { is_fc_fusion: _fusion, ...unticked } = ENTRY;
  const cleared = {
    ...unticked,
    catalog_number: number,
    pricing_type: '',
    lot: '',
    tags: '',
    bioactivity: '',
  };
  assert.equal((await browser.send(page, action, cleared)).status, 303);
  const now = await readTarget(id);
  assert.deepEqual([now.pricing, now.lot], [null, null]);
  assert.equal(JSON.stringify(now.details).includes('"is_fc_fusion":true'), false);
});

test('invalid_request: wrong numbers, a wrong accession, prices and methods → each problem beside its field, what was typed stays', async () => {
  const page = await create({
    purity: 'pure',
    uniprot_id: 'EGFR',
    pricing_type: 'per_sequence',
    price: 'five',
    bioactivity: 'taste',
    control_kd_nm: 'low',
    name: '"quoted"',
  });
  assert.equal(page.status, 400);
  for (const field of ['purity', 'price', 'bioactivity', 'control_kd_nm'])
    assert.match(page.text, new RegExp(`id="lab-targets-new-${field}-problem"`), field);
  assert.equal(readField(page, 'name'), '&quot;quoted&quot;');
  assert.equal(readField(page, 'price'), 'five');
  const accession = await create({ uniprot_id: 'EGFR' });
  assert.match(accession.text, /id="lab-targets-new-uniprot_id-problem"/);
  const lots = await create({ lots: '24 sequences' });
  assert.match(lots.text, /id="lab-targets-new-lots-problem"/);
});

test('target_exists: a catalog number is used twice → 409 beside its field, with its sentence', async () => {
  const catalogNumber = createNumber();
  await createId({ catalog_number: catalogNumber });
  const again = await create({ catalog_number: catalogNumber });
  assert.equal(again.status, 409);
  assert.match(again.text, /role="alert">Nothing was changed; see below/);
  assert.match(again.text, /catalog_number-problem"><li>There is already a target with the catalog number/);
});

test('record form: a pasted FASTA of several lines, and words with line breaks → one sequence, and words in one line', async () => {
  const id = await createId({
    sequence: '>egfr, chain A\r\nACDEF\r\nGHIKL\r\n>chain B\r\nMNPQR\r\n',
    description: 'Binds EGF.\r\n  Signals inwards.',
  });
  const { sequence, description } = toRecord((await readTarget(id)).details);
  assert.deepEqual([sequence, description], ['ACDEFGHIKL:MNPQR', 'Binds EGF. Signals inwards.']);
});

test('invalid_request: a header of FASTA alone, a quote that is not closed, a decimal comma → beside the field what it takes', async () => {
  const cases = [
    ['sequence', '>egfr, chain A', 'amino acids in single letters, or FASTA'],
    ['gene_names', '"EGFR', 'texts separated by &quot;;&quot;, each in quotes that holds one'],
    ['stock_ug', '1,5', 'a number with a decimal point'],
  ] as const;
  for (const [name, text, expected] of cases) {
    const page = await create({ [name]: text });
    assert.equal(page.status, 400, name);
    const problem = `id="lab-targets-new-${name}-problem"><li>Must be ${expected}.</li>`;
    assert.ok(page.text.includes(problem), name);
  }
});

test('retire: a target is retired and listed again → clients lose and regain it', async () => {
  const id = await createId();
  const page = await browser.open(`/lab/targets/${id}`);
  const retired = await browser.send(page, `/lab/targets/${id}/retire`);
  assert.equal(retired.location, `/lab/targets/${id}?done=retired`);
  assert.equal((await readTarget(id)).retired, true);
  const again = await browser.open(`/lab/targets/${id}`);
  assert.match(again.text, /List the target/);
  assert.equal((await browser.send(again, `/lab/targets/${id}/list`)).status, 303);
  assert.equal((await readTarget(id)).retired, false);
});

test('targets: search and filters → the list narrows, and an address without a match says so', async () => {
  const name = 'Wanted antigen';
  const id = await createId({ name, pricing_type: '' });
  const listed = await browser.open('/lab/targets?search=Wanted&state=listed&price=request&owner=everyone');
  assert.match(listed.text, new RegExp(`href="/lab/targets/${id}"`));
  for (const other of ['state=retired', 'price=fixed', 'owner=one'])
    assert.match((await browser.open(`/lab/targets?search=Wanted&${other}`)).text, /Nothing matches/);
});

test('get_catalog_file: the export → a CSV file that the import takes without a change', async () => {
  const file = await browser.open('/lab/targets/export.csv');
  assert.match(String(file.headers['content-type']), /^text\/csv/);
  const page = await browser.open('/lab/targets/import');
  const checked = await browser.send(page, '/lab/targets/import', { content: file.text, intent: 'check' });
  assert.equal(checked.status, 200, checked.text);
  assert.match(checked.text, /The file changes nothing/);
});

test('import: a file is checked → what changes and nothing stored; confirmed → stored', async () => {
  const number = createNumber();
  const content = `catalog_number,name,vendor_name,stock_ug,gene_names\n${number},New one,A vendor,40,"A; B"\n`;
  const page = await browser.open('/lab/targets/import');
  const checked = await browser.send(page, '/lab/targets/import', { content, intent: 'check' });
  assert.match(checked.text, /1 new, 0 changed, 0 unchanged/);
  assert.match(checked.text, /<code>gene_names<\/code> <ins>A; B<\/ins>/);
  const find = () => ask('GET', `/lab/targets?filter=eq(catalog_number,${number})`);
  assert.equal((await find()).body.total, 0);
  const done = await browser.send(checked, '/lab/targets/import', { content, intent: 'import' });
  assert.equal(done.location, '/lab/targets?done=imported-1-0');
  assert.match((await browser.open(done.location ?? '')).text, /1 added, 0 changed/);
  assert.equal((await find()).body.total, 1);
  const changed = `catalog_number,stock_ug\n${number},41\n`;
  const again = await browser.send(page, '/lab/targets/import', { content: changed, intent: 'check' });
  assert.match(again.text, /<code>stock_ug<\/code> <del>40 µg<\/del> → <ins>41 µg<\/ins>/);
});

test('import: a price, methods and a switch change → money and words from old to new, and no JSON', async () => {
  const id = await createId();
  const { catalog_number: number } = await readTarget(id);
  const check = async (columns: string, cells: string) => {
    const content = `catalog_number,${columns}\n${getText(number)},${cells}\n`;
    const page = await browser.open('/lab/targets/import');
    return (await browser.send(page, '/lab/targets/import', { content, intent: 'check' })).text;
  };
  const priced = await check(
    'price_per_sequence_cents,lot_prices,bioactivity,control_kd_m,retired',
    '1250,,elisa,2.001e-9,true',
  );
  const words = priced
    .slice(priced.indexOf('class="changes"'), priced.indexOf('</table>'))
    .replaceAll(/<[^>]*>/g, '');
  for (const change of [
    'pricing $500.00 for up to 24$1,500.00 for up to 96 → $12.50 per sequence',
    'bioactivity BLI; SPR → ELISA',
    'control_kd_m 2 nM → 2.001 nM',
    'retired no → yes',
  ])
    assert.ok(words.includes(change), words);
  assert.doesNotMatch(words, /[{}]|&quot;/);
  assert.match(await check('lot_prices', ''), /<del>.*\$500\.00.*<\/del> → <ins>.*On request.*<\/ins>/);
});

test('import_refused: a file with problems → each with its line, no button to import, and nothing stored', async () => {
  const content = `catalog_number,purity,name\n${HOSTILE},abc,${HOSTILE}\n,1,x\n`;
  const page = await browser.open('/lab/targets/import');
  for (const intent of ['check', 'import']) {
    const refused = await browser.send(page, '/lab/targets/import', { content, intent });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /Line 2: purity/);
    assert.match(refused.text, /Line 3: /);
    assert.doesNotMatch(refused.text, /value="import"/);
    assert.doesNotMatch(refused.text, /<img/);
    assert.match(refused.text, /&lt;img src=x/);
  }
  const empty = await browser.send(page, '/lab/targets/import', { content: '', intent: 'check' });
  assert.match(empty.text, /Line 1: the file is empty/);
});

test('escaping: a hostile target → shown as text in list, form and facts', async () => {
  const id = await createId({ name: HOSTILE, description: HOSTILE, lot: HOSTILE });
  const operator = await openAs({ staffRoles: ['operator'] });
  for (const [reader, path] of [
    [browser, `/lab/targets?search=img`],
    [browser, `/lab/targets/${id}`],
    [operator, `/lab/targets/${id}`],
  ] as const) {
    const page = await reader.open(path);
    assert.doesNotMatch(page.text, /<img/, path);
    assert.match(page.text, /&lt;img src=x/, path);
  }
});

async function askForTarget(besides: object = {}): Promise<string> {
  const number = createNumber();
  const body = {
    name: `Wanted ${number}`,
    product_id: number,
    vendor: 'Their vendor',
    pdb_id: '1IVO',
    ...besides,
  };
  return getText(expectStatus(await ask('POST', '/targets/request-custom', { body }), 201).body.id);
}

const readRequest = async (id: string) =>
  expectStatus(await ask('GET', `/lab/target-requests/${id}`), 200).body;

test('approve_target_request: the form of a new target → a material with its price, and the answer', async () => {
  const id = await askForTarget({ note: HOSTILE });
  const path = `/lab/target-requests/${id}`;
  const page = await browser.open(path);
  assert.doesNotMatch(page.text, /<img/);
  assert.equal(readField(page, 'vendor_name'), 'Their vendor');
  const incomplete = await browser.send(page, `${path}/approve`, {
    pricing_type: 'per_sequence',
    price: 'nine',
    lead_time_days: 'soon',
  });
  assert.equal(incomplete.status, 400);
  for (const field of ['price', 'lead_time_days'])
    assert.match(incomplete.text, new RegExp(`-approve-${field}-problem"`), field);
  const done = await browser.send(page, `${path}/approve`, {
    uniprot_id: 'P00533',
    pricing_type: 'per_sequence',
    price: '9.00',
    lead_time_days: '14',
    note: 'We buy it.',
    listed_for_everyone: 'yes',
  });
  assert.equal(done.location, `${path}?done=approve`, done.text);
  const answered = await readRequest(id);
  assert.deepEqual(
    [answered.status, answered.lead_time_days, answered.answer],
    ['approved', 14, 'We buy it.'],
  );
  const target = await readTarget(getText(answered.material_id));
  assert.deepEqual(target.pricing, { type: 'per_sequence', price_per_sequence_cents: 900 });
  assert.equal(target.organization_id, null);
  const shown = await browser.open(path);
  assert.match(shown.text, /We buy it\./);
  assert.doesNotMatch(shown.text, /\/approve"/);
});

test('approve_target_request: a target of the catalog is found and chosen → it becomes the material', async () => {
  const id = await askForTarget();
  const path = `/lab/target-requests/${id}`;
  assert.match((await browser.open(`${path}?find=no-such-thing`)).text, /No target of the catalog matches/);
  const page = await browser.open(`${path}?find=EGFR`);
  const [, targetId = ''] = /<option value="([0-9a-f-]{36})"/.exec(page.text) ?? [];
  const done = await browser.send(page, `${path}/approve-listed`, {
    target_id: targetId,
    lead_time_days: '0',
  });
  assert.equal(done.location, `${path}?done=approve-listed`, done.text);
  assert.equal((await readRequest(id)).material_id, targetId);
});

test('decline_target_request: without a reason → refused beside the field; with one → the client reads it, once', async () => {
  const id = await askForTarget();
  const path = `/lab/target-requests/${id}`;
  const page = await browser.open(path);
  const empty = await browser.send(page, `${path}/decline`, { reason: '' });
  assert.equal(empty.status, 400);
  assert.match(empty.text, /-decline-reason-problem"/);
  const elsewhere = await browser.open(path);
  const done = await browser.send(page, `${path}/decline`, { reason: 'Nobody sells it.' });
  assert.equal(done.location, `${path}?done=decline`);
  assert.equal((await readRequest(id)).answer, 'Nobody sells it.');
  const twice = await browser.send(elsewhere, `${path}/decline`, { reason: 'Again.' });
  assert.equal(twice.status, 409);
  assert.match((await browser.open('/lab/target-requests?state=rejected')).text, new RegExp(path));
  assert.doesNotMatch((await browser.open('/lab/target-requests?state=approved')).text, new RegExp(path));
});

test('permission: an operator → reads without forms; a client → 404; nobody signed in → 401', async () => {
  const id = await createId();
  const request = await build.createTargetRequest();
  const operator = await openAs({ staffRoles: ['operator'] });
  const client = await openAs({ role: 'admin' });
  const reading = [
    '/lab/targets',
    `/lab/targets/${id}`,
    '/lab/target-requests',
    `/lab/target-requests/${request}`,
  ];
  for (const path of reading) {
    const page = await operator.open(path);
    assert.equal(page.status, 200, path);
    assert.doesNotMatch(page.text, /action="\/lab\/target[^"]*" class="(?:stack|fields)"/, path);
    assert.equal((await client.open(path)).status, 404, path);
    assert.equal((await new Browser(service).open(path)).status, 401, path);
  }
  const [, token = ''] = /name="form_token" value="([^"]+)"/.exec((await operator.open('/')).text) ?? [];
  const [, own = ''] = /name="form_token" value="([^"]+)"/.exec((await client.open('/')).text) ?? [];
  for (const path of [
    '/lab/targets/new',
    '/lab/targets/import',
    `/lab/targets/${id}`,
    `/lab/targets/${id}/retire`,
    `/lab/target-requests/${request}/approve`,
    `/lab/target-requests/${request}/decline`,
  ]) {
    assert.equal((await operator.post(path, { form_token: token })).status, 404, path);
    assert.equal((await client.post(path, { form_token: own })).status, 404, path);
  }
  assert.equal((await browser.open(`/lab/targets/${UNKNOWN_ID}`)).status, 404);
  assert.equal(getItems((await ask('GET', '/lab/target-requests')).body.items).length > 0, true);
});
