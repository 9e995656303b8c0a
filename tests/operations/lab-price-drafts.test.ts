import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INSTALLATION_ID } from '#features/audit/rules.ts';
import { seedPriceList } from '#sandbox/seed/prices.ts';
import { createBuilders, expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { createRecordedService, proveCoverage } from '#testing/recorder.ts';
import { getItems, getText, type Json } from '#testing/service.ts';

const service = await createRecordedService();
const { ask } = service;
const { database } = service.service;
const { targets, createPriceList } = await createBuilders(service);

const LISTS = '/lab/price-lists';
const HEADER =
  'kind,experiment_type,method,unit_price_cents,replicate_price_cents,sequences_min,basis_points,catalog_number,target_id,price_per_sequence_cents,lot_prices';
const write = (...rows: readonly string[]): string => `${[HEADER, ...rows].join('\n')}\n`;
const validate = async (content: string): Promise<Json> =>
  expectStatus(await ask('POST', `${LISTS}/import/validate`, { body: { content } }), 200).body;
const importFile = (content: string, besides: Readonly<Record<string, unknown>> = {}) =>
  ask('POST', `${LISTS}/import`, { body: { content, ...besides } });
async function draft(body: Readonly<Record<string, unknown>>): Promise<string> {
  const whole = { effective_from: '2999-01-01T00:00:00Z', prices: seedPriceList.prices, ...body };
  return getText(expectStatus(await ask('POST', LISTS, { body: whole }), 201).body.id);
}
const readNumber = async (id: string): Promise<string> =>
  getText((await ask('GET', `/lab/targets/${id}`)).body.catalog_number);
const compare = async (id: string, order: string): Promise<Json> =>
  expectStatus(await ask('GET', `${LISTS}/${id}/order-cost?${order}`), 200).body;

test('import_price_list: a list is exported and imported → a draft with the same prices, discounts and materials', async () => {
  const materials = [
    { target_id: targets.perSequence, pricing: { type: 'per_sequence', price_per_sequence_cents: 900 } },
    {
      target_id: targets.perLot,
      pricing: { type: 'per_broken_lot', lot_prices: [{ num_sequences: 24, price_usdcent: 50_000 }] },
    },
    { target_id: targets.byHand, pricing: null },
  ];
  const discounts = [
    { experiment_type: null, sequences_min: 24, basis_points: 500 },
    { experiment_type: 'affinity', sequences_min: 96, basis_points: 1_000 },
  ];
  const id = await draft({ materials, volume_discounts: discounts });
  const file = expectStatus(await ask('GET', `${LISTS}/${id}/export`), 200).body;
  assert.equal(file.count, seedPriceList.prices.length + 5);
  const csv = await ask('GET', `${LISTS}/${id}/export`, { headers: { accept: 'text/csv' } });
  assert.equal(csv.text, file.content);
  assert.equal((await validate(getText(file.content))).problems.length, 0);
  const made = expectStatus(await importFile(getText(file.content), { note: 'Copied' }), 201).body;
  assert.deepEqual(
    [made.status, made.note, made.volume_discounts, made.materials],
    ['draft', 'Copied', discounts, materials],
  );
  assert.deepEqual(made.prices, seedPriceList.prices);
  const [entry] = await database.read.query<{ organization_id: string }>(
    `select organization_id from audit_log where operation_id = 'import_price_list' and details ->> 'price_list_id' = $1`,
    [getText(made.id)],
  );
  assert.equal(entry?.organization_id, INSTALLATION_ID);
});

test('validate_price_list_import: another price of the assay → what differs from the list in effect, and nothing stored', async () => {
  const before = (await ask('GET', LISTS)).body.total;
  const checked = await validate(write('price,expression,,9900,1500', 'discount,,,,,96,1000'));
  assert.deepEqual([checked.n_prices, checked.n_volume_discounts, checked.n_materials], [1, 1, 0]);
  const changed = getItems(checked.comparison.prices).find(
    ({ experiment_type: type }) => getText(type) === 'expression',
  );
  assert.deepEqual([changed?.before.unit_price_cents, changed?.after.unit_price_cents], [7_900, 9_900]);
  assert.match(JSON.stringify(checked.comparison.warnings), /affinity by bli is offered/);
  assert.equal((await ask('GET', LISTS)).body.total, before);
});

test('import_refused: a file with wrong rows → 422 with every problem by its line, and no draft', async () => {
  const number = await readNumber(targets.perSequence);
  const content = write(
    'price,affinity,bli,100,50',
    'price,affinity,bli,200,50',
    'price,turbidity,,100,50',
    'price,expression,bli,100,50',
    'price,expression,elisa,many,',
    'discount,,,,,1,1000',
    'discount,,,,,12,20000',
    'discount,affinity,,5,,12,100',
    `material,,,,,,,${number},,900,24:100`,
    'material,,,,,,,NO-SUCH-NUMBER,,900,',
    `material,,,,,,,,${UNKNOWN_ID},900,`,
    'material,,,,,,,,,900,',
    'gift,,,,,,,,,,',
  );
  const { problems, comparison } = await validate(content);
  assert.equal(comparison, null);
  const said = getItems(problems).map(({ line, message }) => `${Number(line)} ${getText(message)}`);
  for (const expected of [
    /^3 repeats affinity by bli/,
    /^4 experiment_type "turbidity"/,
    /^5 must be null, because expression takes no method/,
    /^6 method "elisa"/,
    /^6 unit_price_cents "many"/,
    /^6 replicate_price_cents is missing/,
    /^7 sequences_min is 1/,
    /^8 basis_points is 20000/,
    /^9 a discount has no unit_price_cents/,
    /^10 give price_per_sequence_cents or lot_prices/,
    /^11 the catalog has no target NO-SUCH-NUMBER/,
    /^12 the catalog has no target/,
    /^13 a material has a catalog_number or a target_id/,
    /^14 kind "gift"/,
  ])
    assert.ok(
      said.some((line) => expected.test(line)),
      `${String(expected)} in ${said.join('\n')}`,
    );
  const before = (await ask('GET', LISTS)).body.total;
  expectFailure(await importFile(content), 422, 'import_refused');
  assert.equal((await ask('GET', LISTS)).body.total, before);
});

test('import_refused: an empty file, an unknown column, no column kind → 422 by the header', async () => {
  for (const [content, message] of [
    ['', /empty/],
    ['kind,color\n', /"color" is not a known column/],
    ['experiment_type\n', /no column kind/],
    ['kind,kind\n', /given twice/],
  ] as const) {
    const { problems } = await validate(content);
    assert.match(getText(getItems(problems)[0]?.message), message);
    expectFailure(await importFile(content), 422, 'import_refused');
  }
});

test('invalid_request: a file with a date of effect beyond the years of a version → 400', async () => {
  const content = write('price,expression,,9900,1500');
  const refused = await importFile(content, { effective_from: '0001-01-01T00:00:00Z' });
  expectFailure(refused, 400, 'invalid_request');
});

test('compare_order_cost: a draft with another price, a discount and another antigen → both sums, side by side', async () => {
  const prices = seedPriceList.prices.map((entry) =>
    entry.experiment_type === 'affinity'
      ? { ...entry, unit_price_cents: 30_000, replicate_price_cents: 1_000 }
      : entry,
  );
  const id = await draft({
    prices,
    volume_discounts: [{ sequences_min: 10, basis_points: 1_000 }],
    materials: [
      { target_id: targets.perSequence, pricing: { type: 'per_sequence', price_per_sequence_cents: 700 } },
    ],
  });
  const order = 'experiment_type=affinity&method=bli&sequence_count=10&n_replicates=3';
  const { base, before, after } = await compare(id, `${order}&target_id=${targets.perSequence}`);
  assert.equal(base.version, 'v1_2026-01-20');
  const seed = seedPriceList.prices.find(
    ({ experiment_type: type, method }) => type === 'affinity' && method !== 'spr',
  );
  const present = 10 * ((seed?.unit_price_cents ?? 0) + 2 * (seed?.replicate_price_cents ?? 0));
  assert.deepEqual(
    [before.assay_cents, before.materials_cents, before.total_cents],
    [present, 5_000, present + 5_000],
  );
  assert.deepEqual(after, {
    assay_cents: 320_000,
    materials_cents: 7_000,
    discount_cents: 32_000,
    total_cents: 295_000,
  });
  const byHand = await compare(id, `${order}&target_id=${targets.byHand}`);
  assert.deepEqual([byHand.after.materials_cents, byHand.after.total_cents], [null, null]);
  const without = await compare(id, order);
  assert.equal(without.after.total_cents, 288_000);
});

test('compare_order_cost: the draft has no price for the assay → null after, and the current cost before', async () => {
  const prices = seedPriceList.prices.filter(({ experiment_type: type }) => type !== 'expression');
  const id = await draft({ prices });
  const compared = await compare(id, 'experiment_type=expression&sequence_count=1&n_replicates=1');
  assert.equal(compared.after, null);
  assert.equal(compared.before.total_cents, 7_900);
});

test('price_list_not_found, target_not_found: an unknown list or target → 404', async () => {
  const order = 'experiment_type=affinity&sequence_count=1&n_replicates=1';
  for (const path of [`order-cost?${order}`, 'export'])
    expectFailure(await ask('GET', `${LISTS}/${UNKNOWN_ID}/${path}`), 404, 'price_list_not_found');
  const path = `${LISTS}/${await createPriceList()}/order-cost?${order}&target_id=${UNKNOWN_ID}`;
  expectFailure(await ask('GET', path), 404, 'target_not_found');
});

proveCoverage('lab-price-drafts');
