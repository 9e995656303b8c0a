import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMs, DAY_MS } from '#core/clock.ts';
import { INSTALLATION_ID } from '#features/audit/rules.ts';
import { seedPriceList } from '#sandbox/seed/prices.ts';
import {
  createBuilders,
  createSequences,
  expectFailure,
  expectStatus,
  listProblemPaths,
  UNKNOWN_ID,
} from '#testing/builders.ts';
import { createRecordedService, proveCoverage } from '#testing/recorder.ts';
import { getItems, getNumber, getText, type Json } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, clock, issueToken } = service;
const { database, worker } = service.service;
const build = await createBuilders(service);
const client = await issueToken({ ownOrganization: true });
const manager = await issueToken({ role: 'admin', staffRoles: ['manager'] });
const operator = await issueToken({ role: 'admin', staffRoles: ['operator'] });

const addDays = (days: number): string => addMs(clock.now(), days * DAY_MS).toISOString();
const setPrice = (type: string, unit: number, further = 0, method: string | null = null) => ({
  experiment_type: type,
  method,
  unit_price_cents: unit,
  replicate_price_cents: further,
});
/** The prices of the seed, with these in place of theirs. */
const withPrices = (...changed: readonly ReturnType<typeof setPrice>[]) => [
  ...seedPriceList.prices.filter(({ experiment_type: type }) =>
    changed.every((entry) => entry.experiment_type !== type),
  ),
  ...changed,
];

async function draft(body: Readonly<Record<string, unknown>> = {}): Promise<Json> {
  const whole = { effective_from: addDays(0), prices: withPrices(), ...body };
  return expectStatus(await ask('POST', '/lab/price-lists', { body: whole }), 201).body;
}
const getPath = ({ id }: Json): string => `/lab/price-lists/${getText(id)}`;
const publish = (list: Json) => ask('POST', `${getPath(list)}/publish`, { body: {} });
async function publishNew(body: Readonly<Record<string, unknown>>): Promise<Json> {
  return expectStatus(await publish(await draft(body)), 200).body;
}
async function estimate(spec: Readonly<Record<string, unknown>>): Promise<Json> {
  const { experiment_spec } = build.createBody(spec);
  const answer = await ask('POST', '/experiments/cost-estimate', {
    body: { experiment_spec },
    token: client,
  });
  return expectStatus(answer, 200).body;
}
const withoutTarget = { experiment_type: 'expression', method: undefined, target_id: undefined };

test('get_price_list: a fresh sandbox → the list of the seed is in effect, published as version 1', async () => {
  const lists = expectStatus(await ask('GET', '/lab/price-lists?filter=eq(status,published)'), 200).body;
  const [first] = getItems(lists.items);
  assert.ok(first !== undefined);
  assert.deepEqual(
    [first.version, first.in_effect, first.effective_from],
    ['v1_2026-01-20', true, '2026-01-20T00:00:00.000Z'],
  );
  assert.deepEqual(first.prices, seedPriceList.prices);
  assert.deepEqual(expectStatus(await ask('GET', getPath(first)), 200).body, first);
});

test('create_price_list: a draft → nothing is sold by it, it can be edited and deleted, and each step is audited', async () => {
  const made = await draft({ prices: withPrices(setPrice('expression', 1)), note: 'First try' });
  assert.deepEqual(
    [made.version, made.status, made.in_effect, made.published_at],
    [null, 'draft', false, null],
  );
  assert.equal((await estimate(withoutTarget)).breakdown.assay.unit_price_cents, 7_900);
  const edited = await ask('PATCH', getPath(made), {
    body: { note: 'Second try', effective_from: addDays(9) },
  });
  assert.equal(expectStatus(edited, 200).body.note, 'Second try');
  assert.deepEqual(edited.body.prices, made.prices);
  assert.deepEqual(expectStatus(await ask('DELETE', getPath(made)), 200).body, { id: made.id });
  expectFailure(await ask('GET', getPath(made)), 404, 'price_list_not_found');
  const trail = await database.read.query<{ operation_id: string; organization_id: string }>(
    `select operation_id, organization_id from audit_log
     where subject = $1 or details ->> 'price_list_id' = $1 order by created_at, operation_id`,
    [getText(made.id)],
  );
  assert.deepEqual(
    new Set(trail.map(({ operation_id: id }) => id)),
    new Set(['create_price_list', 'edit_price_list', 'delete_price_list']),
  );
  assert.ok(trail.every(({ organization_id: owner }) => owner === INSTALLATION_ID));
});

test('publish_price_list: a later date → estimates change at that moment, an open quote and its cost never', async () => {
  const open = await build.createQuoted();
  const readTotal = async () => (await ask('GET', `/quotes/${open.quoteId}`)).body.total_cents;
  const before = await readTotal();
  const old = await estimate({});
  const list = await publishNew({
    effective_from: addDays(2),
    prices: withPrices(setPrice('screening', 20_000, 100)),
  });
  assert.equal(list.version, `v2_${addDays(2).slice(0, 10)}`);
  assert.equal(list.in_effect, false);
  assert.deepEqual((await estimate({})).breakdown, old.breakdown);
  clock.advance(2 * DAY_MS - 1);
  assert.deepEqual((await estimate({})).breakdown, old.breakdown);
  clock.advance(1);
  const fresh = (await estimate({})).breakdown;
  assert.equal(fresh.assay.unit_price_cents, 20_000);
  assert.equal(fresh.pricing_version, list.version);
  assert.equal(await readTotal(), before);
  assert.equal((await ask('GET', getPath(list))).body.in_effect, true);
  const confirmed = expectStatus(await ask('POST', `/quotes/${open.quoteId}/confirm`, { body: {} }), 200);
  const invoice = await ask('GET', `/invoices/${getText(confirmed.body.invoice_id)}`);
  assert.equal(invoice.body.total_cents, before);
});

test('publish_price_list: a date that has passed → it takes effect at its publication, never before', async () => {
  const list = await publishNew({ effective_from: addDays(-30) });
  assert.equal(list.effective_from, clock.now().toISOString());
  assert.equal(list.in_effect, true);
  assert.match(getText(list.version), new RegExp(`^v\\d+_${clock.now().toISOString().slice(0, 10)}$`));
});

test('price_list_published: a published list is edited, deleted or published again → 409', async () => {
  const list = await publishNew({ effective_from: addDays(300) });
  const edited = await ask('PATCH', getPath(list), { body: { note: 'Cheaper' } });
  expectFailure(edited, 409, 'price_list_published');
  expectFailure(await ask('DELETE', getPath(list)), 409, 'price_list_published');
  expectFailure(await publish(list), 409, 'price_list_published');
  assert.deepEqual((await ask('GET', getPath(list))).body, list);
});

test('price_list_overtaken: two lists of one moment, or of now, are published at once → one gets 409, and is published with another date', async () => {
  const drafts = [await draft({ effective_from: addDays(9) }), await draft({ effective_from: addDays(9) })];
  const answers = await Promise.all(drafts.map(publish));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409],
  );
  const refused = drafts.find((_, index) => answers[index]?.status === 409);
  assert.ok(refused !== undefined);
  expectFailure(await publish(refused), 409, 'price_list_overtaken');
  const body = { effective_from: addDays(10) };
  expectStatus(await ask('PATCH', getPath(refused), { body }), 200);
  expectStatus(await publish(refused), 200);
  const [first, second] = [await draft(), await draft()];
  clock.advance(1_000);
  expectStatus(await publish(first), 200);
  expectFailure(await publish(second), 409, 'price_list_overtaken');
  clock.advance(1_000);
  expectStatus(await ask('PATCH', getPath(second), { body: { note: 'compared' } }), 200);
  expectStatus(await publish(second), 200);
});

test('price_list_not_found: an unknown list → 404', async () => {
  const path = `/lab/price-lists/${UNKNOWN_ID}`;
  expectFailure(await ask('GET', path), 404, 'price_list_not_found');
  expectFailure(await ask('GET', `${path}/comparison`), 404, 'price_list_not_found');
  expectFailure(await ask('PATCH', path, { body: { note: 'x' } }), 404, 'price_list_not_found');
  expectFailure(await ask('DELETE', path), 404, 'price_list_not_found');
  expectFailure(await ask('POST', `${path}/publish`, { body: {} }), 404, 'price_list_not_found');
});

test('invalid_request: repeated prices, a method without a target, an unknown target, equal lots → every field at once', async () => {
  const lot = { num_sequences: 24, price_usdcent: 1 };
  const discount = { sequences_min: 96, basis_points: 100 };
  const wrong = {
    effective_from: addDays(1),
    note: 'two\nlines',
    prices: [setPrice('expression', 1, 0, 'bli'), setPrice('affinity', 1), setPrice('affinity', 2)],
    volume_discounts: [discount, discount],
    materials: [
      { target_id: UNKNOWN_ID, pricing: null },
      {
        target_id: build.targets.perLot,
        pricing: { type: 'per_broken_lot', lot_prices: [lot, lot] },
      },
      { target_id: build.targets.perLot, pricing: null },
    ],
  };
  const paths = [
    'materials[0].target_id',
    'materials[1].pricing',
    'materials[2]',
    'note',
    'prices[0].method',
    'prices[2]',
    'volume_discounts[1]',
  ];
  const refused = await ask('POST', '/lab/price-lists', { body: wrong });
  assert.deepEqual(listProblemPaths(expectFailure(refused, 400, 'invalid_request')), paths);
  const made = await draft();
  const edited = await ask('PATCH', getPath(made), { body: wrong });
  assert.deepEqual(listProblemPaths(expectFailure(edited, 400, 'invalid_request')), paths);
  const empty = await publish(await draft({ prices: [] }));
  assert.deepEqual(listProblemPaths(expectFailure(empty, 400, 'invalid_request')), ['prices']);
});

test('price: a method has its own price → it counts for that method, the general one for the other', async () => {
  await publishNew({
    prices: withPrices(setPrice('affinity', 10_000, 10), setPrice('affinity', 12_000, 20, 'spr')),
  });
  const read = async (method: string) =>
    (await estimate({ experiment_type: 'affinity', method })).breakdown.assay.unit_price_cents;
  assert.deepEqual([await read('bli'), await read('spr')], [10_000, 12_000]);
});

test('discount_cents: an order reaches a threshold → total = assay + materials − discount on every document', async () => {
  await publishNew({
    prices: withPrices(),
    volume_discounts: [
      { sequences_min: 3, basis_points: 500 },
      { sequences_min: 5, basis_points: 1_250 },
      { experiment_type: 'expression', sequences_min: 100, basis_points: 5_000 },
    ],
  });
  const off = async (count: number) => {
    const { breakdown } = await estimate({ sequences: createSequences(count), n_replicates: 1 });
    const discount = breakdown.discount_cents === undefined ? 0 : getNumber(breakdown.discount_cents);
    assert.equal(
      getNumber(breakdown.total_cents),
      getNumber(breakdown.assay.subtotal_cents) + getNumber(breakdown.materials.subtotal_cents) - discount,
    );
    return discount;
  };
  // 12.5 % of 74,500 cents are 9,312.5: half a cent is rounded away from zero.
  assert.deepEqual([await off(2), await off(3), await off(5)], [0, 2_235, 9_313]);
  const body = build.createBody({ sequences: createSequences(5), n_replicates: 1 });
  const quoted = await build.createQuoted(body);
  const quote = expectStatus(await ask('GET', `/quotes/${quoted.quoteId}`), 200).body;
  assert.equal(quote.subtotal_cents, 14_900 * 5 + 500 * 5 - 9_313);
  const last = getItems(quote.line_items).at(-1);
  assert.equal(last?.description, 'Volume discount from 5 sequences, 12.5 %');
  // The assay has discounts of its own, so the general ones do not count for it.
  const own = await estimate({ ...withoutTarget, sequences: createSequences(5) });
  assert.ok(!('discount_cents' in own.breakdown));
});

test('materials: a list with prices of targets → they count from its moment on, and the catalog shows them', async () => {
  const targetId = build.targets.perSequence;
  const lots = { type: 'per_broken_lot', lot_prices: [{ num_sequences: 24, price_usdcent: 50_000 }] };
  const list = await publishNew({
    effective_from: addDays(1),
    materials: [
      { target_id: targetId.toUpperCase(), pricing: lots },
      { target_id: build.targets.byHand, pricing: { type: 'per_sequence', price_per_sequence_cents: 700 } },
    ],
  });
  const readTarget = async (id: string) => (await ask('GET', `/targets/${id}`)).body;
  assert.equal((await estimate({})).breakdown.materials.type, 'per_sequence');
  clock.advance(DAY_MS);
  // Before the worker has run, the estimate already has the price of the list.
  assert.equal((await readTarget(targetId)).pricing.type, 'per_sequence');
  assert.equal((await estimate({})).breakdown.materials.subtotal_cents, 50_000);
  await worker.runChores();
  assert.deepEqual((await readTarget(targetId)).pricing, lots);
  assert.equal((await readTarget(build.targets.byHand)).selfservice, true);
  assert.equal((await estimate({ target_id: build.targets.byHand })).breakdown.materials.subtotal_cents, 700);
  const trail = await database.read.query(
    `select id from audit_log where subject = $1 and operation_id = 'apply_price_list'`,
    [getText(list.id)],
  );
  assert.equal(trail.length, 1);
  // A price that staff give afterwards stays.
  const pricing = { type: 'per_sequence', price_per_sequence_cents: 500 };
  for (const [id, price] of [
    [targetId, pricing],
    [build.targets.byHand, null],
  ] as const)
    expectStatus(await ask('PATCH', `/lab/targets/${id}`, { body: { pricing: price } }), 200);
  await worker.runChores();
  assert.equal((await estimate({})).breakdown.materials.subtotal_cents, 500);
});

test('compare_price_list: a draft against the list in effect → what changes, and what would have no price', async () => {
  const base = await publishNew({ volume_discounts: [{ sequences_min: 96, basis_points: 500 }] });
  const made = await draft({
    prices: [
      ...withPrices(setPrice('screening', 15_000, 2_900)).filter(
        ({ experiment_type: type }) => type !== 'fluorescence',
      ),
      setPrice('epitope_binning', 30_000, 1_000),
    ],
    volume_discounts: [{ sequences_min: 96, basis_points: 800 }],
    materials: [{ target_id: build.targets.perSequence, pricing: null }],
  });
  const { body } = expectStatus(await ask('GET', `${getPath(made)}/comparison`), 200);
  assert.deepEqual(body.base, { id: base.id, version: base.version });
  const changed = new Map(
    getItems(body.prices).map((item) => [getText(item.experiment_type), item] as const),
  );
  assert.deepEqual([...changed.keys()].toSorted(), ['epitope_binning', 'fluorescence', 'screening']);
  assert.equal(changed.get('fluorescence')?.after, null);
  assert.equal(changed.get('epitope_binning')?.before, null);
  assert.equal(changed.get('screening')?.before.unit_price_cents, 14_900);
  assert.equal(changed.get('screening')?.after.unit_price_cents, 15_000);
  assert.deepEqual(body.volume_discounts, [
    { experiment_type: null, sequences_min: 96, before: 500, after: 800 },
  ]);
  const [material] = getItems(body.materials);
  assert.deepEqual([material?.target_id, material?.after], [build.targets.perSequence, null]);
  assert.match(getText(getItems(body.warnings)[0]), /^fluorescence is offered/);
  const same = expectStatus(await ask('GET', `${getPath(base)}/comparison`), 200).body;
  assert.deepEqual([same.prices, same.volume_discounts, same.materials, same.warnings], [[], [], [], []]);
});

test('permission_denied: operators and clients → operators read price lists and assay types and change none, clients see neither', async () => {
  const made = await draft();
  for (const path of ['/lab/price-lists', getPath(made), `${getPath(made)}/comparison`, '/lab/assay-types']) {
    expectStatus(await ask('GET', path, { token: operator }), 200);
    assert.equal((await ask('GET', path, { token: client })).status, 403);
  }
  for (const token of [operator, client]) {
    const body = { effective_from: addDays(1), prices: [] };
    assert.equal((await ask('POST', '/lab/price-lists', { body, token })).status, 403);
    assert.equal((await ask('POST', `${getPath(made)}/publish`, { body: {}, token })).status, 403);
    const offer = { body: { offered: true }, token };
    assert.equal((await ask('PATCH', '/lab/assay-types/expression', offer)).status, 403);
  }
  const note = { body: { note: 'By the manager' }, token: manager };
  expectStatus(await ask('PATCH', getPath(made), note), 200);
});

test('edit_assay_type: methods, replicates and turnaround → staff and clients read them, and the entry has both states', async () => {
  const body = { methods: ['spr'], n_replicates_min: 2, n_replicates_max: 4, turnaround_workdays: 15 };
  const before = getItems((await ask('GET', '/lab/assay-types')).body.items).find(
    ({ experiment_type: type }) => getText(type) === 'screening',
  );
  const edited = expectStatus(await ask('PATCH', '/lab/assay-types/screening', { body }), 200).body;
  const { offered, updated_at: _at, ...shown } = edited;
  assert.equal(offered, true);
  assert.deepEqual(shown, {
    experiment_type: 'screening',
    title: before?.title,
    requires_target: true,
    ...body,
  });
  const listed = expectStatus(await ask('GET', '/assay-types', { token: client }), 200).body;
  assert.deepEqual(
    getItems(listed.items).find(({ experiment_type: type }) => getText(type) === 'screening'),
    shown,
  );
  const [entry] = await database.read.query<{ details: Json; organization_id: string }>(
    `select details, organization_id from audit_log where operation_id = 'edit_assay_type' and status = 200
     order by created_at desc limit 1`,
  );
  assert.equal(entry?.organization_id, INSTALLATION_ID);
  assert.deepEqual(entry?.details.before.methods, ['bli', 'spr']);
  assert.deepEqual(entry?.details.after.methods, ['spr']);
  const again = {
    methods: ['bli', 'spr'],
    n_replicates_min: 1,
    n_replicates_max: 5,
    turnaround_workdays: null,
  };
  const reset = expectStatus(await ask('PATCH', '/lab/assay-types/screening', { body: again }), 200).body;
  assert.equal(reset.turnaround_workdays, null);
});

test('invalid_request: a calendar of no zone, no workday or no day → 400 by its field', async () => {
  expectStatus(await ask('GET', '/lab/calendar'), 200);
  expectStatus(await ask('PATCH', '/lab/calendar', { body: { closing_days: ['2026-12-25'] } }), 200);
  for (const [body, path] of [
    [{ time_zone: 'Nowhere/Else' }, 'time_zone'],
    [{ workdays: [] }, 'workdays'],
    [{ closing_days: ['2026-02-30'] }, 'closing_days'],
  ] as const) {
    const refused = await ask('PATCH', '/lab/calendar', { body });
    expectFailure(refused, 400, 'invalid_request');
    assert.deepEqual(listProblemPaths(refused), [path]);
  }
});

test('invalid_request: an offer without a method, with one too many, or with no number of replicates → 400 by its field', async () => {
  for (const [type, body, paths] of [
    ['affinity', { methods: [] }, ['methods']],
    ['affinity', { methods: ['bli', 'bli'] }, ['methods']],
    ['expression', { methods: ['bli'] }, ['methods']],
    ['expression', { n_replicates_min: 4, n_replicates_max: 2 }, ['n_replicates_min']],
  ] as const) {
    const refused = await ask('PATCH', `/lab/assay-types/${type}`, { body });
    assert.deepEqual(listProblemPaths(expectFailure(refused, 400, 'invalid_request')), paths);
  }
});

test('assay_type_not_found: an unknown type → 404', async () => {
  const answer = await ask('PATCH', '/lab/assay-types/turbidity', { body: { offered: true } });
  expectFailure(answer, 404, 'assay_type_not_found');
});

test('invalid_query: an unknown field → 400', async () => {
  for (const path of ['/lab/price-lists', '/lab/assay-types'])
    expectFailure(await ask('GET', `${path}?sort=desc(color)`), 400, 'invalid_query');
});

proveCoverage('lab-prices');
