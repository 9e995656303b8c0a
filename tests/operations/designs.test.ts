/** Designs over experiments: what counts as one, what is found, and what nobody else sees. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSignedIn } from '#testing/browser.ts';
import { createBuilders, createSequences, expectFailure, expectStatus, VHH } from '#testing/builders.ts';
import { createRawFile, withShortReason } from '#testing/lab-by-hand.ts';
import { createRecordedService, proveCoverage } from '#testing/recorder.ts';
import { getItems, getText, type Json } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken } = service;
const { createBody, createReleased, createRunning, create } = await createBuilders(service);

const replace = (at: number, letter: string): string => VHH.slice(0, at) + letter + VHH.slice(at + 1);
const CLOSE = replace(20, VHH[20] === 'W' ? 'K' : 'W');
const FAR = VHH.slice(0, 30) + VHH.slice(33);
const order = (sequences: object) =>
  createReleased(
    createBody({ experiment_type: 'affinity', sequences, parameters: { sandbox: { force: 'binder' } } }),
  );
const first = await order({ parent: VHH, close: CLOSE });
const second = await order({ 'parent again': VHH, far: FAR });

async function list(query: string, token?: string): Promise<{ items: readonly Json[]; total: unknown }> {
  const { body } = expectStatus(
    await ask('GET', `/designs?${query}`, token === undefined ? {} : { token }),
    200,
  );
  return { items: getItems(body.items), total: body.total };
}
const listNames = async (query: string) => (await list(query)).items.map((item) => getText(item.name));

test('list_designs: one sequence in two experiments under two names → one design with both results', async () => {
  const { items, total } = await list('');
  assert.equal(total, 3);
  const parent = items.find((item) => getText(item.name) === 'parent');
  assert.deepEqual(parent?.names, ['parent', 'parent again']);
  assert.equal(parent.experiment_count, 2);
  assert.equal(parent.measurement_count, 2);
  const codes = getItems(parent.measurements).map((each) => getText(each.experiment_code));
  assert.deepEqual(codes.toSorted(), [first.code, second.code].toSorted());
  assert.equal(parent.aa_string, VHH);
});

test('list_designs: search by either name, by part of the sequence, by a filter → the designs that have it', async () => {
  assert.deepEqual(await listNames('search=again'), ['parent']);
  assert.deepEqual(await listNames(`search=${CLOSE.slice(15, 26).toLowerCase()}`), ['close']);
  assert.deepEqual(await listNames('filter=contains(names,far)'), ['far']);
  assert.deepEqual(await listNames('filter=eq(measurement_count,2)'), ['parent']);
  assert.deepEqual(await listNames('sort=asc(name)&limit=2'), ['close', 'far']);
  const byKd = (await list('sort=asc(kd_m)&filter=is_not_null(kd_m)')).items.map((item) => Number(item.kd_m));
  assert.deepEqual(
    byKd,
    byKd.toSorted((a, b) => a - b),
  );
  assert.ok(byKd.length > 0);
});

test('list_designs: a sequence and a distance → identical ones, then the near ones, closest first with their distance', async () => {
  const near = async (distance: number) =>
    (await list(`sequence=${VHH}&max_distance=${distance}`)).items.map((item) => [item.name, item.distance]);
  assert.deepEqual(await near(0), [['parent', 0]]);
  assert.deepEqual(await near(1), [
    ['parent', 0],
    ['close', 1],
  ]);
  assert.deepEqual(await near(3), [
    ['parent', 0],
    ['close', 1],
    ['far', 3],
  ]);
  const spaced = `${VHH.slice(0, 10)} ${VHH.slice(10).toLowerCase()}`;
  assert.equal((await list(`sequence=${encodeURIComponent(spaced)}`)).total, 1);
  assert.deepEqual(await listNames(`sequence=${VHH}&max_distance=3&sort=desc(distance)&limit=1`), ['far']);
});

test('invalid_query: no sequence, a distance beyond the bound, an unknown field → 400', async () => {
  for (const query of ['sequence=12', 'sequence=A::C', 'filter=eq(color,red)'])
    expectFailure(await ask('GET', `/designs?${query}`), 400, 'invalid_query');
  for (const query of ['max_distance=21', 'max_distance=-1'])
    assert.equal((await ask('GET', `/designs?sequence=A&${query}`)).status, 400);
});

test('list_designs: another organization → its own designs alone, and none of ours is found by its sequence', async () => {
  const token = await issueToken({ role: 'admin', ownOrganization: true });
  expectStatus(
    await ask('POST', '/experiments', { token, body: createBody({ sequences: { theirs: VHH } }) }),
    201,
  );
  const { items } = await list('', token);
  assert.deepEqual(
    items.map((item) => [item.name, item.measurement_count, item.experiment_count]),
    [['theirs', 0, 1]],
  );
  const near = await list(`sequence=${VHH}&max_distance=20`, token);
  assert.equal(near.total, 1);
});

test('list_designs: a token limited to an experiment → must name it, and sees its results alone', async () => {
  const root = await issueToken({ role: 'admin' });
  const body = { token: root, name: 'narrow', attenuation: { resource_ids: [first.code] } };
  const token = getText(
    expectStatus(await ask('POST', '/tokens/attenuate', { token: root, body }), 201).body.token,
  );
  for (const query of ['', `?experiment_id=${second.code}`, `?sequence=${VHH}`])
    expectFailure(await ask('GET', `/designs${query}`, { token }), 403, 'token_restricted');
  const { items } = await list(`experiment_id=${first.code}&sequence=${VHH}&max_distance=20`, token);
  assert.deepEqual(
    items.map((item) => item.name),
    ['parent', 'close'],
  );
  assert.deepEqual(items[0]?.names, ['parent']);
  assert.equal(items[0]?.measurement_count, 1);
  assert.ok(!JSON.stringify(items).includes(second.code));
  const reading = { token: root, name: 'narrow', attenuation: { allowed_resources: ['sequence'] } };
  const other = getText(
    expectStatus(await ask('POST', '/tokens/attenuate', { token: root, body: reading }), 201).body.token,
  );
  expectFailure(await ask('GET', '/designs', { token: other }), 403, 'permission_denied');
});

test('list_designs: a part of the results is released → the rest is not counted, sorted or shown', async () => {
  const named = createSequences(2);
  const run = await createRunning(createBody({ sequences: named }));
  const steps = [
    ['files', createRawFile(named), 201],
    ['complete', {}, 200],
    ['release', { sequences: ['design-2'] }, 200],
  ] as const;
  for (const [step, body, status] of steps) {
    expectStatus(
      await ask('POST', `/lab/experiments/${run.id}/${step}`, { body: withShortReason(step, body) }),
      status,
    );
    while ((await service.service.worker.runDue()) > 0);
  }
  const counts = (await list(`experiment_id=${run.code}&sort=asc(name)`)).items;
  assert.deepEqual(
    counts.map((item) => [item.name, item.measurement_count]),
    [
      ['design-1', 0],
      ['design-2', 1],
    ],
  );
  assert.deepEqual(await listNames(`experiment_id=${run.code}&filter=gt(measurement_count,0)`), ['design-2']);
});

test('designs page: search, likeness and order in the address → the same designs, and a CSV of them', async () => {
  await create();
  const browser = await openSignedIn(service);
  const page = await browser.open(`/designs?search=again`);
  assert.equal(page.status, 200);
  assert.match(page.text, /also <bdi>parent again<\/bdi>/);
  assert.match(page.text, /1 design matches/);
  const near = await browser.open(`/designs?sequence=${VHH}&distance=3`);
  assert.match(near.text.replaceAll(/<[^>]+>/g, ' '), /parent.*identical.*close.*1.*far.*3/s);
  const wrong = await browser.open('/designs?sequence=123');
  assert.match(wrong.text, /Paste amino acids/);
  const csv = await browser.open(`/designs.csv?sequence=${VHH}&distance=1`);
  assert.match(String(csv.headers['content-disposition']), /designs\.csv/);
  const lines = csv.text.trim().split('\r\n');
  assert.equal(lines.length, 1 + 3, 'two results of the parent and one of the other');
  assert.match(lines[0] ?? '', /^\ufeff?name,other_names,/);
  assert.ok(lines.every((line, index) => index === 0 || line.includes('affinity')));
  const odd = await browser.open('/designs?order=__proto__&distance=x&offset=-1');
  assert.equal(odd.status, 200);
});

const compare = (query: string, token?: string, experiment = first.code) =>
  ask('GET', `/experiments/${experiment}/comparison?${query}`, token === undefined ? {} : { token });

test('compare_experiments: two rounds by sequence → the common design first, with ΔlogKD, interval and rank change', async () => {
  const { body } = expectStatus(await compare(`with=${second.code}`), 200);
  assert.deepEqual([body.quantity, body.unit, body.scale, body.join], ['KD', 'M', 'log10', 'sequence']);
  const items = getItems(body.items);
  assert.deepEqual(
    items.map((item) => item.name),
    ['parent', 'close', 'far'],
  );
  const [common, alone] = items;
  const [a, b] = getItems(common?.values);
  const [none, difference] = getItems(common?.differences);
  assert.equal(none, null);
  assert.ok(Math.abs(Number(difference?.delta) - Math.log10(Number(b?.value) / Number(a?.value))) < 1e-9);
  assert.ok(Number(difference?.ci95_low) <= Number(difference?.delta));
  assert.ok(Number(difference?.ci95_high) >= Number(difference?.delta));
  assert.equal(difference?.rank_change, 0);
  assert.deepEqual(getItems(alone?.values)[1], null);
  assert.deepEqual(getItems(alone?.differences), [null, null]);
  const byName = expectStatus(await compare(`with=${second.code}&join=name`), 200);
  assert.equal(getItems(byName.body.items).length, 4, 'no name is in both');
  const { text } = expectStatus(
    await ask('GET', `/experiments/${first.code}/comparison/plot.svg?with=${second.id}`),
    200,
  );
  assert.match(text, /<svg/);
  assert.match(text, /1 design with a value in both/);
});

test('compare_experiments: unknown, foreign, unreleased, twice, of another assay, too many → refused', async () => {
  const draft = await create();
  const melted = await createReleased({
    name: 'melts',
    experiment_spec: { experiment_type: 'thermostability', n_replicates: 1, sequences: { parent: VHH } },
  });
  for (const path of ['comparison', 'comparison/plot.svg']) {
    const refuse = async (names: string, status: number, code: string, token?: string) =>
      expectFailure(
        await ask(
          'GET',
          `/experiments/${first.code}/${path}?with=${names}`,
          token === undefined ? {} : { token },
        ),
        status,
        code,
      );
    await refuse(draft.code, 404, 'results_not_released');
    await refuse('NO-001-001', 404, 'experiment_not_found');
    await refuse(first.id, 400, 'invalid_query');
    await refuse(',', 400, 'invalid_query');
    await refuse('A,B,C,D,E', 400, 'invalid_query');
    await refuse(melted.code, 409, 'experiments_not_comparable');
    const stranger = await issueToken({ role: 'admin', ownOrganization: true });
    await refuse(second.code, 404, 'experiment_not_found', stranger);
    const root = await issueToken({ role: 'admin' });
    const body = { token: root, name: 'narrow', attenuation: { resource_ids: [first.code] } };
    const narrow = await ask('POST', '/tokens/attenuate', { token: root, body });
    await refuse(second.code, 403, 'token_restricted', getText(narrow.body.token));
  }
});

test('compare page: the address names two experiments → differences, controls, figure and CSV; fewer → a choice', async () => {
  const browser = await openSignedIn(service);
  const address = `experiments=${first.code},${second.code}`;
  const page = await browser.open(`/compare?${address}`);
  assert.equal(page.status, 200);
  const text = page.text.replaceAll(/<[^>]+>/g, ' ');
  assert.match(text, /1 design in common, joined by sequence/);
  assert.match(text, /no control has a value in both/);
  assert.match(page.text, /<img src="\/compare\/plot\.svg/);
  assert.equal((await browser.open(`/compare/plot.svg?${address}`)).status, 200);
  const csv = await browser.open(`/compare.csv?${address}`);
  assert.match(csv.text, new RegExp(`${second.code} delta`));
  const choice = await browser.open(`/compare?experiments=${first.code}`);
  assert.match(choice.text, new RegExp(`name="experiments" value="${second.code}"`));
  const ticked = await browser.open(`/compare?experiments=${first.code}&experiments=${second.code}`);
  assert.match(ticked.text, /in common/);
  assert.equal((await browser.open('/compare?experiments=A,B,C,D,E,F')).status, 200);
  assert.equal((await browser.open('/compare?experiments=A,B')).status, 404);
  const list = await browser.open('/');
  assert.match(list.text, new RegExp(`name="experiments" value="${first.code}"`));
});

proveCoverage('designs');
