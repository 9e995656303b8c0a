import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createBuilders,
  createSequences,
  expectFailure,
  expectStatus,
  UNKNOWN_ID,
} from '#testing/builders.ts';
import { createRecordedService, proveCoverage } from '#testing/recorder.ts';
import { getItems, getText, type Ask } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken } = service;
const { create, createBody, createInvoiced } = await createBuilders(service);

const controls = { positive: 'positive-protein', negatives: ['negative-1'], standard: null };
const createAsked = (id: string, given = {}) => ({
  experiment_ids: [id],
  size: 96,
  controls,
  concentrations_m: [1e-6, 1e-7, 1e-8, 1e-9],
  ...given,
});
const plan = async (body: Ask['body']) => ask('POST', '/lab/run-plans', { body });
const edit = async (body: Ask['body']) => ask('POST', '/lab/run-plans/edit', { body });
const write = async (body: Ask['body']) => ask('POST', '/lab/run-plans/files', { body });
const listProblemCodes = ({ body }: Awaited<ReturnType<typeof ask>>) =>
  getItems(body.problems).map(({ code }) => getText(code));

interface Well {
  readonly well: string;
  readonly role: string;
  readonly sample: string;
  readonly [field: string]: unknown;
}
interface Planned {
  readonly request: Readonly<Record<string, unknown>>;
  readonly plan: {
    readonly size: number;
    readonly plates: { readonly name: string; readonly wells: Well[] }[];
  };
}

async function planTwo(): Promise<Planned> {
  const { code } = await createInvoiced(createBody({ sequences: createSequences(2), n_replicates: 2 }));
  const answer = expectStatus(await plan(createAsked(code, { seed: 7 })), 200);
  return JSON.parse(answer.text);
}

const replaceWells = ({ plan: planned }: Planned, change: (wells: Well[]) => readonly Well[]) => ({
  ...planned,
  plates: planned.plates.map((plate) => ({ ...plate, wells: change(plate.wells) })),
});

const findWell = ({ plan: planned }: Planned, role: string): string =>
  planned.plates[0]?.wells.find((well) => well.role === role)?.well ?? '';

test('plan_run: an order of two sequences → all wells of its series, no error, the seed kept', async () => {
  const { request, plan: planned } = await planTwo();
  const samples = planned.plates.flatMap(({ wells }) => wells).filter(({ role }) => role === 'sample');
  // Two sequences, two replicates, four concentrations and buffer.
  assert.equal(samples.length, 20);
  assert.equal(new Set(samples.map(({ well }) => well)).size, 20);
  assert.equal(request['seed'], 7);
  const again = expectStatus(await plan(request), 200);
  assert.equal(again.body.is_startable, true);
  assert.deepEqual(again.body.plan, planned);
});

test('invalid_request: wells in another spelling → refused with their path, so that none is lost in a file', async () => {
  const planned = await planTwo();
  for (const well of ['a1', 'A01', ' A1', 'Q1', 'A25']) {
    const renamed = replaceWells(planned, ([first, ...rest]) =>
      first === undefined ? [] : [{ ...first, well }, ...rest],
    );
    const body = { plan: renamed, plate: 'P1', kind: 'plate_blocks' };
    expectFailure(await ask('POST', '/lab/run-plans/files', { body }), 400, 'invalid_request');
  }
});

test('plan_run: no seed → one is drawn, and gives the same plan again', async () => {
  const { id } = await createInvoiced();
  const first = expectStatus(await plan(createAsked(id)), 200);
  const again = expectStatus(await plan(first.body.request), 200);
  assert.deepEqual(again.body.plan, first.body.plan);
  const other = expectStatus(await plan(createAsked(id)), 200);
  assert.notDeepEqual(other.body.request, first.body.request);
});

test('plan_run: two experiments, one of them by id and by code → each once', async () => {
  const [one, other] = [await createInvoiced(), await createInvoiced()];
  const request = { ...createAsked(one.id), experiment_ids: [one.id, other.code, one.code] };
  const answer = expectStatus(await plan(request), 200);
  const planned: Planned = JSON.parse(answer.text);
  const wells = planned.plan.plates.flatMap((plate) => plate.wells);
  assert.equal(answer.body.is_startable, true);
  const ids = wells.flatMap(({ experiment_id: id }) => (id === null ? [] : [id]));
  assert.deepEqual(new Set(ids), new Set([one.id, other.id]));
});

test('concentrations: an affinity orders its own → they are planned, not those of the request', async () => {
  const { id } = await createInvoiced(
    createBody({ experiment_type: 'affinity', antigen_concentrations: [100, 10, 0] }),
  );
  const answer = expectStatus(await plan(createAsked(id)), 200);
  const planned: Planned = JSON.parse(answer.text);
  const wells = planned.plan.plates.flatMap((plate) => plate.wells).filter(({ role }) => role === 'sample');
  const concentrations = new Set(wells.map(({ concentration_m: each }) => each));
  assert.deepEqual(concentrations, new Set([1e-7, 1e-8, 0]));
});

test('concentrations_invalid: a screening without concentrations → no plan, the problem is named', async () => {
  const { id } = await createInvoiced();
  const answer = expectStatus(await plan(createAsked(id, { concentrations_m: [] })), 200);
  assert.deepEqual(listProblemCodes(answer), ['concentrations_invalid']);
});

test('control_missing: no positive control → no plan, the problem is named', async () => {
  const { id } = await createInvoiced();
  const request = createAsked(id, { controls: { ...controls, positive: null } });
  const answer = expectStatus(await plan(request), 200);
  assert.equal(answer.body.plan, null);
  assert.equal(answer.body.is_startable, false);
  assert.deepEqual(listProblemCodes(answer), ['control_missing']);
});

test('experiment_not_found: a plan or an edit for an unknown experiment → 404', async () => {
  expectFailure(await plan(createAsked(UNKNOWN_ID)), 404, 'experiment_not_found');
  const { request, plan: planned } = await planTwo();
  const unknown = { ...request, experiment_ids: [UNKNOWN_ID] };
  const change = { kind: 'empty', at: { plate: 'P1', well: 'A1' } };
  expectFailure(await edit({ request: unknown, plan: planned, edit: change }), 404, 'experiment_not_found');
});

test('permission_denied: a client plans, edits or writes → 403', async () => {
  const planned = await planTwo();
  const token = await issueToken({ role: 'admin', ownOrganization: true });
  const change = { kind: 'empty', at: { plate: 'P1', well: 'A1' } };
  const bodies = [
    ['', planned.request],
    ['/edit', { ...pick(planned), edit: change }],
    ['/files', { plan: planned.plan, plate: 'P1', kind: 'plate_list' }],
  ] as const;
  for (const [path, body] of bodies)
    expectFailure(await ask('POST', `/lab/run-plans${path}`, { token, body }), 403, 'permission_denied');
});

const pick = ({ request, plan: planned }: Planned) => ({ request, plan: planned });

test('edit_run_plan: a sample is marked empty, then put back → its replicate is missing, then nothing is', async () => {
  const planned = await planTwo();
  const at = { plate: 'P1', well: findWell(planned, 'sample') };
  const emptied = expectStatus(await edit({ ...pick(planned), edit: { kind: 'empty', at } }), 200);
  assert.equal(emptied.body.is_edited, true);
  assert.equal(emptied.body.is_startable, false);
  assert.deepEqual(listProblemCodes(emptied), ['replicate_missing']);
  const before = planned.plan.plates[0]?.wells.find(({ well }) => well === at.well);
  assert.ok(before !== undefined);
  const { well: _well, order: _order, ...content } = before;
  const back = { request: planned.request, plan: emptied.body.plan, edit: { kind: 'exchange', at, content } };
  const mended = expectStatus(await edit(back), 200);
  assert.equal(mended.body.is_startable, true);
  assert.deepEqual(mended.body.plan, planned.plan);
});

test('edit_run_plan: two wells of one column are swapped → startable; moved onto each other → well_taken, unchanged', async () => {
  const planned = await planTwo();
  const wells = planned.plan.plates[0]?.wells ?? [];
  const [one, other] = wells
    .filter(({ well }) => well.slice(1) === '1')
    .map(({ well }) => ({ plate: 'P1', well }));
  const swapped = expectStatus(await edit({ ...pick(planned), edit: { kind: 'swap', one, other } }), 200);
  assert.equal(swapped.body.is_startable, true);
  assert.notDeepEqual(swapped.body.plan, planned.plan);
  const moved = { ...pick(planned), edit: { kind: 'move', from: one, to: other } };
  const refused = expectStatus(await edit(moved), 200);
  assert.equal(refused.body.is_edited, false);
  assert.deepEqual(listProblemCodes(refused), ['well_taken']);
  assert.deepEqual(refused.body.plan, planned.plan);
});

test('plan_of_other_request: a plan with the request of another seed → named', async () => {
  const planned = await planTwo();
  const at = { plate: 'P1', well: findWell(planned, 'negative_control') };
  const request = { ...planned.request, seed: 8 };
  const answer = expectStatus(await edit({ request, plan: planned.plan, edit: { kind: 'empty', at } }), 200);
  assert.ok(listProblemCodes(answer).includes('plan_of_other_request'));
});

test('well_outside_plate, well_twice, plate_twice, run_too_large: a hostile plan → not edited, named', async () => {
  const planned = await planTwo();
  const [plate] = planned.plan.plates;
  const [well] = plate?.wells ?? [];
  assert.ok(plate !== undefined && well !== undefined);
  const full = { ...plate, wells: Array.from({ length: 384 }, () => well) };
  const hostile: readonly (readonly [code: string, plan: unknown])[] = [
    ['well_outside_plate', replaceWells(planned, (wells) => [...wells, { ...well, well: 'P24' }])],
    ['well_twice', replaceWells(planned, (wells) => [...wells, well])],
    ['plate_twice', { ...planned.plan, plates: [plate, plate] }],
    ['run_too_large', { ...planned.plan, plates: Array.from({ length: 21 }, () => full) }],
  ];
  const change = { kind: 'empty', at: { plate: 'P1', well: well.well } };
  for (const [code, bad] of hostile) {
    const answer = expectStatus(await edit({ request: planned.request, plan: bad, edit: change }), 200);
    assert.equal(answer.body.is_edited, false, code);
    assert.deepEqual(listProblemCodes(answer), [code]);
    const file = await write({ plan: bad, plate: 'P1', kind: 'plate_list' });
    expectFailure(file, 422, 'run_file_refused');
  }
  const huge = replaceWells(planned, (wells) => [...wells, { ...well, replicate: 1e15 }]);
  expectFailure(await edit({ request: planned.request, plan: huge, edit: change }), 400, 'invalid_request');
});

test('write_run_file: a plate map → a row per filled well; a worklist → a transfer of each sample', async () => {
  const planned = await planTwo();
  const wells = planned.plan.plates[0]?.wells ?? [];
  const list = expectStatus(await write({ plan: planned.plan, plate: 'P1', kind: 'plate_list' }), 200);
  assert.equal(list.body.file_name, 'P1-plate_list.csv');
  assert.match(getText(list.body.media_type), /^text\/csv/);
  assert.equal(getText(list.body.content).trimEnd().split('\r\n').length, 1 + wells.length);
  const samples = [...new Set(wells.map(({ sample }) => sample))].filter((sample) => sample !== '');
  const sources = samples.map((sample, index) => ({
    sample,
    concentration_m: null,
    plate: 'S1',
    size: 96,
    well: `A${index + 1}`,
  }));
  const deck = {
    source_labware: 'plate_a',
    source_slot: 1,
    aspiration_height_mm: 1,
    destination_labware: 'plate_b',
    destination_slot: 2,
  };
  const filled = wells.filter(({ role }) => role !== 'reference').length;
  for (const [kind, more, lines] of [
    ['hamilton_worklist', {}, 1 + filled],
    ['tecan_worklist', { liquid_class: 'Water' }, 3 * filled],
    ['echo_pick_list', { plate_types: { source: '384PP', destination: '96' } }, 1 + filled],
    ['opentrons_csv', { deck }, 1 + filled],
  ] as const) {
    const request = { plan: planned.plan, plate: 'P1', kind, sources, volume_ul: 5, ...more };
    const { body } = expectStatus(await write(request), 200);
    assert.equal(getText(body.content).trimEnd().split('\r\n').length, lines, kind);
  }
});

test('run_file_refused: a field is missing, a source is off its plate, the plate or kind does not exist → 422', async () => {
  const { plan: planned } = await planTwo();
  const source = { sample: 'design-1', concentration_m: null, plate: 'S1', size: 96, well: 'H13' };
  const refused: readonly (readonly [given: object, reason: RegExp])[] = [
    [{ kind: 'hamilton_worklist' }, /needs sources/],
    [{ kind: 'hamilton_worklist', sources: [source], volume_ul: 5 }, /H13 of plate S1/],
    [{ kind: 'plate_list', plate: 'P9' }, /no plate P9: choose P1/],
    [{ kind: 'loading_list' }, /not written for this layout/],
    [{ kind: 'quantstudio_setup' }, /needs reporter/],
  ];
  for (const [given, reason] of refused) {
    const answer = await write({ plan: planned, plate: 'P1', ...given });
    expectFailure(answer, 422, 'run_file_refused');
    assert.match(answer.text, reason);
  }
});

test('experiment_not_ready: a draft → no plan, the problem names its status', async () => {
  const { code } = await create();
  const answer = expectStatus(await plan(createAsked(code)), 200);
  assert.equal(answer.body.plan, null);
  assert.deepEqual(listProblemCodes(answer), ['experiment_not_ready']);
  assert.match(answer.text, new RegExp(`${code} is draft`));
});

proveCoverage('lab-plans');
