import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Trace } from '#analysis/curves/trace.ts';
import { expectFailure, expectStatus, listProblemPaths, UNKNOWN_ID } from '#testing/builders.ts';
import { createRecordedService, proveCoverage } from '#testing/recorder.ts';
import { getItems, getNumber, getText, type Json } from '#testing/service.ts';
import { createSharedTraces, encodeFile } from '#testing/shared-files.ts';
import { createSharedRuns, type SharedRun } from '#testing/shared-run.ts';

const service = await createRecordedService();
const { ask, issueToken } = service;
const foreign = await issueToken({ role: 'admin', ownOrganization: true });
const { start, addFile, settle } = await createSharedRuns(service, foreign);

const post = (path: string, body: unknown = {}) => ask('POST', `/lab/${path}`, { body });
const readExperiment = async (id: string) =>
  expectStatus(await ask('GET', `/lab/experiments/${id}`), 200).body;
const readStatuses = async ({ own, theirs }: SharedRun) =>
  Promise.all([own, theirs].map(async ({ id }) => getText((await readExperiment(id)).status)));
const preview = async ({ id }: SharedRun, body: unknown) =>
  expectStatus(await post(`runs/${id}/preview`, body), 200).body;
const listCodes = ({ problems }: Json) => getItems(problems).map(({ code }) => getText(code));
const listMessages = ({ body }: { readonly body: Json }) =>
  getItems(body.problems)
    .map(({ message }) => getText(message))
    .join('\n');
const listFiles = async ({ id }: SharedRun) =>
  getItems(expectStatus(await ask('GET', `/lab/runs/${id}/raw-files`), 200).body.files);

/** A run for tests that leave nothing in it. */
const idle = await start();

/** A well of the plan that belongs to the experiment. */
function findWell({ plan }: SharedRun, experimentId: string | null) {
  const well = plan.plates[0]?.wells.find(
    ({ experiment_id: id, concentration_m: molar }) => id === experimentId && molar !== 0,
  );
  assert.ok(well !== undefined);
  return well;
}

/** A plate in which one well holds something else. */
const changeWell = (run: SharedRun, well: string, change: (trace: Trace) => Trace) =>
  createSharedTraces(run.plan, {
    salt: run.code,
    change: (trace) => [trace.well === well ? change(trace) : trace],
  });

test('complete_lab_run: two organizations in one file → both move in one step and are analyzed on their own wells', async () => {
  const run = await start();
  const bytes = createSharedTraces(run.plan, { salt: run.code });
  const shown = await preview(run, { files: [encodeFile('P1.csv', bytes)] });
  assert.deepEqual([shown.is_analyzable, shown.is_kept], [true, false]);
  assert.deepEqual(await listFiles(run), []);
  const added = expectStatus(await addFile(run, bytes), 201).body;
  assert.deepEqual(
    getItems(added.experiments).map((each) => [each.experiment_code, each.sequences_without_data]),
    [run.own, run.theirs].map(({ code }) => [code, []]),
  );
  const counts = getItems(added.experiments).map(({ n_curves: count }) => getNumber(count));
  assert.deepEqual(counts, [4, 4]);
  const completed = expectStatus(await post(`runs/${run.id}/complete`), 200).body;
  assert.equal(completed.status, 'complete');
  assert.deepEqual(await readStatuses(run), ['data_analysis', 'data_analysis']);
  await settle();
  assert.deepEqual(await readStatuses(run), ['in_review', 'in_review']);
  for (const { id } of [run.own, run.theirs]) {
    const { body } = expectStatus(await ask('GET', `/lab/experiments/${id}/results`), 200);
    assert.equal(getItems(body.items).length, 2);
    for (const result of getItems(body.items)) assert.notEqual(result.outcome, 'not_tested');
    const { text } = expectStatus(await ask('GET', `/lab/experiments/${id}/files`), 200);
    assert.match(text, /shared-P1\.csv/);
  }
  expectFailure(await post(`runs/${run.id}/complete`), 409, 'run_not_running');
  expectFailure(await addFile(run, bytes), 409, 'run_not_running');
});

test('complete_lab_run: the feed and the audit trail of a client → its own curves and experiment, and no other', async () => {
  const run = await start();
  expectStatus(await addFile(run, createSharedTraces(run.plan, { salt: run.code })), 201);
  expectStatus(await post(`runs/${run.id}/complete`), 200);
  const feed = await ask('GET', `/experiments/${run.theirs.id}/updates`, { token: foreign });
  assert.match(feed.text, /: ?"4 traces, SHA-256 [0-9a-f]{64}/);
  assert.match(feed.text, /1 raw file recorded on Octet R8/);
  const audit = await ask('GET', '/audit?limit=100', { token: foreign });
  assert.match(audit.text, /complete_raw_data/);
  for (const { text } of [feed, audit])
    for (const word of [run.own.code, run.own.id, run.code, run.id, 'both-clients'])
      assert.ok(!text.includes(word), word);
});

test('put_run_raw_file, preview_run_raw_file: the bytes as they are → as POST; other bytes of the name → the next version', async () => {
  const run = await start();
  const payload = Buffer.from(createSharedTraces(run.plan, { salt: run.code })).toString();
  const path = `/lab/runs/${run.code}`;
  const shown = expectStatus(await ask('PUT', `${path}/preview/P1.csv`, { payload }), 200).body;
  assert.deepEqual(shown, await preview(run, { files: [encodeFile('P1.csv', Buffer.from(payload))] }));
  const first = expectStatus(await ask('PUT', `${path}/raw-files/P1.csv`, { payload }), 201).body;
  assert.equal(first.file?.version, 1);
  const again = expectStatus(await ask('PUT', `${path}/raw-files/P1.csv`, { payload }), 201).body;
  assert.deepEqual(again.file, first.file);
  const other = createSharedTraces(run.plan, { salt: `${run.code} again` });
  const second = expectStatus(await addFile(run, other, 'P1.csv'), 201).body;
  assert.equal(second.file?.version, 2);
  assert.deepEqual(
    getItems(second.file?.earlier_versions).map(({ version, sha256 }) => [version, sha256]),
    [[1, first.file?.sha256]],
  );
  assert.equal((await preview(run, {})).is_kept, true);
});

test('raw_file_refused: wells outside the plan, a sample of nobody, another role, a damaged file → each is named, nothing is kept', async () => {
  const run = idle;
  const own = findWell(run, run.own.id);
  const outside = changeWell(run, own.well, (trace) => ({ ...trace, well: 'P24' }));
  const stranger = changeWell(run, own.well, (trace) => ({ ...trace, sample: 'stranger' }));
  const swapped = changeWell(run, own.well, (trace) => ({
    ...trace,
    sample: findWell(run, run.theirs.id).sample,
  }));
  const blank = changeWell(run, own.well, (trace) => ({ ...trace, role: 'blank' }));
  for (const [bytes, code, pattern] of [
    [outside, 'well_not_planned', /P1 P24 holds “own-design”|P1 P24 holds “.*twin”/],
    [stranger, 'sample_other_than_planned', /holds “stranger”, and the plan has/],
    [swapped, 'sample_other_than_planned', /holds “/],
    [blank, 'role_other_than_planned', /is a blank in the file/],
  ] as const) {
    const refused = expectFailure(await addFile(run, bytes), 422, 'raw_file_refused');
    assert.match(listMessages(refused), pattern);
    const shown = await preview(run, { files: [encodeFile('P1.csv', bytes)] });
    assert.ok(listCodes(shown).includes(code), code);
    assert.equal(shown.is_analyzable, false);
  }
  expectFailure(
    await ask('PUT', `/lab/runs/${run.id}/raw-files/P1.csv`, { payload: 'hello' }),
    422,
    'raw_file_refused',
  );
  assert.deepEqual(await listFiles(run), []);
  assert.deepEqual(listCodes(await preview(run, { files: [encodeFile('x.csv', Buffer.from('hello'))] })), [
    'file_unreadable',
    'nothing_read',
  ]);
});

test('raw_file_refused: the same bytes twice, the file of another run → the second is refused', async () => {
  const [run, other] = [await start(), idle];
  const bytes = createSharedTraces(run.plan, { salt: run.code });
  expectStatus(await addFile(run, bytes, 'P1.csv'), 201);
  const twin = expectFailure(await addFile(run, bytes, 'P1-again.csv'), 422, 'raw_file_refused');
  assert.match(listMessages(twin), /the run already has a file with the same bytes: P1\.csv/);
  const shown = await preview(run, { files: [encodeFile('P1-again.csv', bytes)] });
  assert.ok(listCodes(shown).includes('file_twice'));
  const foreignFile = await addFile(other, createSharedTraces(run.plan, { salt: 'another' }));
  assert.match(listMessages(expectFailure(foreignFile, 422, 'raw_file_refused')), /holds “/);
  assert.deepEqual(await listFiles(other), []);
});

test('map_run_raw_files: a well that contradicts the plan is mapped → the file is taken, and stays with its owner', async () => {
  const run = await start();
  const own = findWell(run, run.own.id);
  const theirs = findWell(run, run.theirs.id);
  const stranger = changeWell(run, own.well, (trace) => ({ ...trace, sample: 'stranger' }));
  const map = (entries: unknown) => post(`runs/${run.id}/mapping`, { entries });
  const unknown = [{ well: own.well, role: 'sample', sequence: 'nobody' }];
  assert.match(
    expectFailure(await map(unknown), 400, 'invalid_request').text,
    /nobody, which the plan does not have/,
  );
  const entries = [{ well: own.well, role: 'sample', sequence: own.sample }];
  const files = [encodeFile('P1.csv', stranger)];
  assert.equal((await preview(run, { files })).is_analyzable, false);
  assert.equal((await preview(run, { files, entries })).is_analyzable, true);
  const mapped = expectStatus(await map(entries), 201).body;
  assert.equal(mapped.mapping?.version, 1);
  expectStatus(await addFile(run, stranger), 201);
  // A blank by hand in a well of one client is no blank of the others.
  expectStatus(await map([...entries, { well: theirs.well, role: 'blank' }]), 201);
  const shown = await preview(run, {});
  const counts = getItems(shown.experiments).map(({ n_curves: count }) => getNumber(count));
  assert.deepEqual(counts, [4, 4]);
  const { versions } = expectStatus(await ask('GET', `/lab/runs/${run.id}/mapping`), 200).body;
  assert.deepEqual(
    getItems(versions).map(({ version }) => version),
    [2, 1],
  );
  // Only names of the plan may stand in what everybody gets.
  const control = [{ well: 'P24', role: 'positive_control' }];
  const outside = changeWell(run, own.well, (trace) => ({ ...trace, well: 'P24' }));
  const refused = await preview(run, { files: [encodeFile('P1.csv', outside)], entries: control });
  assert.ok(listCodes(refused).includes('well_not_planned'));
});

test('run_files_refused, run_without_files: no file, an experiment without data → 409, nothing moves', async () => {
  const run = await start();
  expectFailure(await post(`runs/${run.id}/complete`), 409, 'run_without_files');
  expectFailure(await post(`runs/${run.id}/preview`), 409, 'run_without_files');
  const wells = new Set(
    run.plan.plates[0]?.wells.filter(({ experiment_id: id }) => id === run.theirs.id).map(({ well }) => well),
  );
  const half = createSharedTraces(run.plan, {
    salt: run.code,
    change: (trace) => (wells.has(trace.well ?? '') ? [] : [trace]),
  });
  const added = expectStatus(await addFile(run, half), 201).body;
  assert.equal(getItems(getItems(added.experiments)[1]?.sequences_without_data).length, 2);
  const refused = expectFailure(await post(`runs/${run.id}/complete`), 409, 'run_files_refused');
  assert.match(listMessages(refused), new RegExp(`no data of ${run.theirs.code}`));
  assert.deepEqual(await readStatuses(run), ['in_production', 'in_production']);
});

test('less_than_ordered, raw_data_not_analyzable: a well is missing, a sensor has no stated association → a reason, a setting', async () => {
  const short = await start(3);
  const { well } = findWell(short, short.own.id);
  const bytes = createSharedTraces(short.plan, {
    salt: short.code,
    change: (trace) => (trace.well === well ? [] : [trace]),
  });
  expectStatus(await addFile(short, bytes), 201);
  const refused = expectFailure(await post(`runs/${short.id}/complete`), 409, 'less_than_ordered');
  assert.match(refused.text, new RegExp(`planned (curves|wells) \\(.+: \\d of 3\\) of ${short.own.code}`));
  const run = await start();
  const whole = changeWell(run, findWell(run, run.own.id).well, (trace) => ({
    ...trace,
    steps: trace.steps
      .filter(({ step }) => step !== 'dissociation')
      .map((step) => (step.step === 'association' ? { ...step, step: 'unsegmented' } : step)),
  }));
  expectStatus(await addFile(run, whole), 201);
  const shown = await preview(run, {});
  assert.equal(shown.is_analyzable, false);
  const stopped = expectFailure(await post(`runs/${run.id}/complete`), 409, 'raw_data_not_analyzable');
  assert.deepEqual(listProblemPaths(stopped), ['settings.association_s']);
  expectStatus(await post(`runs/${run.id}/complete`, { settings: { association_s: 100 } }), 200);
});

test('complete_lab_run: the database fails at the second experiment → neither moves; then two completions at once → one moves both', async () => {
  const run = await start();
  expectStatus(await addFile(run, createSharedTraces(run.plan, { salt: run.code })), 201);
  const { read } = service.service.database;
  const last = [run.own.id, run.theirs.id].toSorted().at(-1);
  await read.query(`create function fail_job() returns trigger language plpgsql as $$
    begin
      if new.kind = 'analyze_experiment' and new.payload->>'experiment_id' = '${last ?? ''}' then
        raise exception 'broken by the test';
      end if;
      return new;
    end $$`);
  await read.query('create trigger fail_job before insert on jobs for each row execute function fail_job()');
  try {
    assert.equal((await post(`runs/${run.id}/complete`)).status, 500);
  } finally {
    await read.query('drop trigger fail_job on jobs');
  }
  assert.deepEqual(await readStatuses(run), ['in_production', 'in_production']);
  const rows = await read.query('select id from raw_files where experiment_id = any ($1)', [
    [run.own.id, run.theirs.id],
  ]);
  assert.equal(rows.length, 0);
  // What was acknowledged is kept: the completion needs no second upload.
  const answers = await Promise.all([1, 2].map(() => post(`runs/${run.id}/complete`)));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409],
  );
  assert.deepEqual(await readStatuses(run), ['data_analysis', 'data_analysis']);
  const jobs = await read.query(
    "select id from jobs where kind = 'analyze_experiment' and payload->>'experiment_id' = any ($1)",
    [[run.own.id, run.theirs.id]],
  );
  assert.equal(jobs.length, 2);
});

test('run_not_running: a planned run, a canceled experiment → files, mapping and completion are refused', async () => {
  const run = await start();
  const { database } = service.service;
  await database.read.query("update lab_runs set status = 'planned' where id = $1", [run.id]);
  expectFailure(await post(`runs/${run.id}/mapping`, { entries: [] }), 409, 'run_not_running');
  await database.read.query("update lab_runs set status = 'running' where id = $1", [run.id]);
  for (const { id } of [run.own, run.theirs])
    await database.read.query("update experiments set status = 'canceled' where id = $1", [id]);
  const bytes = createSharedTraces(run.plan, { salt: run.code });
  expectFailure(await addFile(run, bytes), 409, 'run_not_running');
  expectFailure(
    await ask('PUT', `/lab/runs/${run.id}/raw-files/P1.csv`, { payload: Buffer.from(bytes).toString() }),
    409,
    'run_not_running',
  );
  expectFailure(await post(`runs/${run.id}/complete`), 409, 'run_not_running');
});

test('raw_file_refused: a file of the experiment under the name of its part of shared files → refused', async () => {
  const run = await start();
  const bytes = createSharedTraces(run.plan, { salt: run.code });
  const file = encodeFile('shared-P1.csv', bytes);
  expectStatus(await post(`experiments/${run.own.id}/files`, file), 201);
  expectStatus(await addFile(run, createSharedTraces(run.plan, { salt: `${run.code} b` })), 201);
  const refused = expectFailure(await post(`runs/${run.id}/complete`), 409, 'run_files_refused');
  assert.match(refused.text, /has a file of its own with the name shared-P1\.csv/);
  assert.deepEqual(await readStatuses(run), ['in_production', 'in_production']);
});

test('lab_run_not_found, permission_denied: every operation → 404 for an unknown run, 403 for a client', async () => {
  const file = encodeFile('P1.csv', Buffer.from('x'));
  const asks = [
    ['GET', 'raw-files', undefined],
    ['POST', 'raw-files', { body: file }],
    ['PUT', 'raw-files/P1.csv', { payload: 'x' }],
    ['POST', 'preview', { body: { files: [file] } }],
    ['PUT', 'preview/P1.csv', { payload: 'x' }],
    ['GET', 'mapping', undefined],
    ['POST', 'mapping', { body: { entries: [] } }],
    ['POST', 'complete', { body: {} }],
  ] as const;
  for (const [method, step, options = {}] of asks) {
    const path = `/lab/runs/${UNKNOWN_ID}/${step}`;
    expectFailure(await ask(method, path, options), 404, 'lab_run_not_found');
    expectFailure(await ask(method, path, { ...options, token: foreign }), 403, 'permission_denied');
  }
});

proveCoverage('lab-run-files');
