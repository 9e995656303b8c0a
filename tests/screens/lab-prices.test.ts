/** The screens of prices and assay types, and what clients are offered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSignedIn, type Browser, type Page } from '#testing/browser.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import type { NewPerson } from '#testing/people.ts';
import { getItems, getText, testService, type Json } from '#testing/service.ts';

const service = await testService();
const { ask, issueToken } = service;
const { targets } = await createBuilders(service);
const manager = await openSignedIn(service);
const HOSTILE = '<img src=x onerror=alert(1)>';
const LISTS = '/lab/price-lists';

async function openAs(person: NewPerson): Promise<Browser> {
  const { body } = await ask('GET', '/whoami', { token: await issueToken(person) });
  return openSignedIn(service, getText(body.user_id));
}

/** Begins a draft and returns its page. */
async function begin(): Promise<{ readonly path: string; readonly page: Page }> {
  const begun = await manager.send(await manager.open(LISTS), `${LISTS}/new`);
  const path = (begun.location ?? '').replace(/\?.*/, '');
  return { path, page: await manager.open(path) };
}

/** What the form of a draft holds, to be sent again. */
function readForm({ text }: Page): Record<string, string> {
  const inputs = [
    ...text.matchAll(/<input[^>]*name="((?:unit|further|discount|effective|note)\w*)" value="([^"]*)"/g),
  ];
  const dated = /name="effective_from"[^>]*value="([^"]*)"/.exec(text)?.[1] ?? '';
  const materials = /<textarea[^>]*name="materials"[^>]*>\n?([^<]*)</.exec(text)?.[1] ?? '';
  return {
    ...Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value])),
    effective_from: dated,
    discount_0_sequences_min: '',
    materials,
  };
}

const readList = async (path: string): Promise<Json> => expectStatus(await ask('GET', path), 200).body;
const readNumber = async (id: string): Promise<string> =>
  getText((await ask('GET', `/lab/targets/${id}`)).body.catalog_number);

test('create_price_list: a draft is begun → it has the prices in effect, and saved as it is nothing changes', async () => {
  const { path, page } = await begin();
  const before = await readList(path);
  assert.equal(getItems(before.prices).length, 5);
  assert.match(page.text, /name="unit_affinity_any" value="199\.00"/);
  const saved = await manager.send(page, path, readForm(page));
  assert.equal(saved.location, `${path}?done=saved`, saved.text);
  const { updated_at: _before, ...unchanged } = before;
  const { updated_at: _after, ...after } = await readList(path);
  assert.deepEqual(after, unchanged);
});

test('edit_price_list: prices of a method, a discount, both models of antigens and a day → the draft has them', async () => {
  const { path, page } = await begin();
  const [one, other, third] = await Promise.all(
    [targets.perSequence, targets.perLot, targets.byHand].map(readNumber),
  );
  const typed = {
    ...readForm(page),
    effective_from: '2031-07-01',
    note: HOSTILE,
    unit_affinity_spr: '249.5',
    further_affinity_spr: '59',
    unit_expression_any: '',
    further_expression_any: '',
    discount_0_experiment_type: 'affinity',
    discount_0_sequences_min: '96',
    discount_0_basis_points: '12.5',
    materials: `${one} = 9.00\n\n${other} = 24: 500.00; 96: 1500.00\n${third} = on request`,
  };
  assert.equal((await manager.send(page, path, typed)).location, `${path}?done=saved`);
  const list = await readList(path);
  assert.equal(list.effective_from, '2031-07-01T00:00:00.000Z');
  const spr = getItems(list.prices).find(({ method }) => method !== null);
  assert.deepEqual([spr?.unit_price_cents, spr?.replicate_price_cents], [24_950, 5_900]);
  assert.ok(!JSON.stringify(list.prices).includes('expression'));
  assert.deepEqual(list.volume_discounts, [
    { experiment_type: 'affinity', sequences_min: 96, basis_points: 1_250 },
  ]);
  assert.deepEqual(
    getItems(list.materials).map(({ pricing }) => pricing),
    [
      { type: 'per_sequence', price_per_sequence_cents: 900 },
      {
        type: 'per_broken_lot',
        lot_prices: [
          { num_sequences: 24, price_usdcent: 50_000 },
          { num_sequences: 96, price_usdcent: 150_000 },
        ],
      },
      null,
    ],
  );
  const shown = await manager.open(path);
  assert.ok(!shown.text.includes('<img') && shown.text.includes('&lt;img'));
  assert.ok(shown.text.includes(`${other} = 24: 500.00; 96: 1500.00`));
  assert.match(shown.text, /Expression is offered, and this list has no price for it/);
});

test('invalid_request: wrong amounts, shares and targets → each beside its row, and what was typed stays', async () => {
  const { path, page } = await begin();
  const refused = await manager.send(page, path, {
    ...readForm(page),
    unit_affinity_spr: 'dear',
    discount_0_sequences_min: '1',
    discount_0_basis_points: '10',
  });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /id="affinity_spr-problem">The price is an amount/);
  assert.match(refused.text, /id="discount_0-problem">Sequences from must be at least 2\./);
  assert.match(refused.text, /name="unit_affinity_spr" value="dear"/);
  const unknown = await manager.send(page, path, { ...readForm(page), materials: 'NOBODY-1 = 5.00' });
  assert.equal(unknown.status, 400);
  assert.match(unknown.text, /id="list-materials-problem"><li>Line 1: the catalog has no target “NOBODY-1”/);
});

test('invalid_request: names of targets longer than a filter may be → beside the field, and what was typed stays', async () => {
  const { path, page } = await begin();
  const names = [
    'N'.repeat(5_000),
    ...Array.from({ length: 30 }, (_, index) => `${String(index)}-${"'".repeat(190)}`),
  ];
  const materials = names.map((name) => `${name} = 5.00`).join('\n');
  const refused = await manager.send(page, path, { ...readForm(page), materials });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /id="list-materials-problem"><li>Line 1: the catalog has no target “NNN/);
  assert.match(refused.text, /Line 2: the catalog has no target “0-/);
  assert.match(readForm(refused).materials ?? '', /^N{5000} = 5\.00\n0-/);
});

test('compare_order_cost: a draft with another price and a discount → the example costs both, side by side', async () => {
  const { path, page } = await begin();
  const typed = {
    ...readForm(page),
    unit_affinity_any: '300.00',
    further_affinity_any: '10.00',
    discount_0_experiment_type: '',
    discount_0_sequences_min: '10',
    discount_0_basis_points: '10',
  };
  await manager.send(page, path, typed);
  const example = 'assay=affinity&method=bli&sequences=10&replicates=2';
  const { text } = await manager.open(`${path}?${example}`);
  const costs = /<table class="costs">.*?<\/table>/s.exec(text)?.[0] ?? '';
  for (const amount of ['$2,480.00', '$3,100.00', '-$310.00', '$2,790.00'])
    assert.ok(costs.includes(amount), `${amount} in ${costs}`);
  assert.match(text, /<strong>\$310\.00<\/strong>, 12\.5 % more/);
  assert.match(
    (await manager.open(`${path}?${example}&target=NOBODY-1`)).text,
    /The catalog has no target “NOBODY-1”/,
  );
  assert.match(
    (await manager.open(`${path}?assay=affinity&sequences=0`)).text,
    /class="problem" role="alert"/,
  );
});

test('publish_price_list: a draft is published → its version, read only, and it can be exported', async () => {
  const { path, page } = await begin();
  const typed = { ...readForm(page), effective_from: '2031-01-01' };
  await manager.send(page, path, typed);
  const published = await manager.send(await manager.open(path), `${path}/publish`);
  assert.equal(published.location, `${path}?done=publish`);
  const { text } = await manager.open(path);
  assert.match(text, /Takes effect later/);
  assert.doesNotMatch(text, /Save the draft|Publish the saved draft/);
  const file = await manager.open(`${path}/export.csv`);
  assert.match(String(file.headers['content-type']), /^text\/csv/);
  assert.match(file.text, /^kind,experiment_type/);
});

test('delete_price_list: a draft is deleted → it is gone', async () => {
  const { path, page } = await begin();
  assert.equal((await manager.send(page, `${path}/delete`)).location, `${LISTS}?done=delete`);
  assert.equal((await manager.open(path)).status, 404);
});

test('import_price_list: a file is checked, then imported → what changes and nothing stored; then a draft', async () => {
  const content = 'kind,experiment_type,unit_price_cents,replicate_price_cents\nprice,expression,9900,1500\n';
  const page = await manager.open(`${LISTS}/import`);
  const before = (await ask('GET', LISTS)).body.total;
  const checked = await manager.send(page, `${LISTS}/import`, { content, intent: 'check' });
  assert.match(checked.text, /1 price, 0 discounts, 0 materials\. Nothing is stored yet/);
  assert.match(checked.text, /<del>\$79\.00 \+ \$15\.00/);
  assert.equal((await ask('GET', LISTS)).body.total, before);
  const done = await manager.send(checked, `${LISTS}/import`, { content, intent: 'import' });
  assert.match(done.location ?? '', /price-lists\/[0-9a-f-]{36}\?done=imported$/);
  const wrong = await manager.send(page, `${LISTS}/import`, { content: 'kind\ngift\n', intent: 'import' });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /Line 2: kind &quot;gift&quot;/);
  assert.doesNotMatch(wrong.text, /Make a draft of it/);
});

test('assay types: an operator → reads prices and assay types, and gets no form of either', async () => {
  const operator = await openAs({ staffRoles: ['operator'] });
  const { path } = await begin();
  for (const address of [LISTS, path, '/lab/assay-types']) {
    const { status, text } = await operator.open(address);
    assert.equal(status, 200, address);
    assert.doesNotMatch(text, /Save|New draft|>Import<|id="publish"|<summary>Edit/, address);
  }
  assert.equal((await operator.open(`${LISTS}/import`)).status, 404);
});

test('edit_assay_type: methods, replicates and turnaround → saved; no method → refused with its sentence', async () => {
  const action = '/lab/assay-types/affinity';
  const page = await manager.open('/lab/assay-types');
  const typed = {
    offered: 'yes',
    'methods:spr': 'yes',
    n_replicates_min: '2',
    n_replicates_max: '4',
    turnaround_workdays: '15',
  };
  assert.equal((await manager.send(page, action, typed)).location, '/lab/assay-types?done=assay-types');
  const { text } = await manager.open('/lab/assay-types');
  assert.match(text, /15 workdays/);
  const { 'methods:spr': _method, ...none } = typed;
  const refused = await manager.send(page, action, none);
  assert.equal(refused.status, 400);
  assert.match(refused.text, /class="problem" role="alert">Nothing was changed; see below/);
  assert.match(
    refused.text,
    /id="lab-assay-types-affinity-methods-problem"><li>Must name at least one method/,
  );
  const many = await manager.send(page, action, { ...typed, turnaround_workdays: 'soon' });
  assert.match(many.text, /id="lab-assay-types-affinity-turnaround_workdays-problem"/);
});

test('experiment_type_not_offered: an assay is withdrawn → the form for clients does not have it; none is left → what to do first', async () => {
  const offer = async (type: string, offered: boolean) =>
    expectStatus(await ask('PATCH', `/lab/assay-types/${type}`, { body: { offered } }), 200);
  const client = await openAs({ role: 'admin', ownOrganization: true });
  const listOffered = async (): Promise<string[]> => {
    const { text } = await client.open('/experiments/new');
    const select = /<select[^>]*name="experiment_type".*?<\/select>/s.exec(text)?.[0] ?? '';
    return [...select.matchAll(/value="(\w+)"/g)].map(([, value = '']) => value);
  };
  const all = await listOffered();
  assert.ok(all.includes('screening'));
  assert.doesNotMatch((await manager.open('/lab')).text, /Clients cannot order anything yet/);
  await offer('screening', false);
  assert.deepEqual(
    await listOffered(),
    all.filter((type) => type !== 'screening'),
  );
  for (const type of all) await offer(type, false);
  assert.match((await client.open('/experiments/new')).text, /The lab offers no assay at present/);
  for (const path of ['/lab', LISTS, '/lab/assay-types']) {
    const { text } = await manager.open(path);
    assert.match(text, /Clients cannot order anything yet/, path);
    assert.match(text, /To do<\/span> <a href="\/lab\/assay-types">Offer an assay/, path);
  }
});
