import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { labScope } from '#core/scope.ts';
import { checkLedger, selectInvoiceBalances } from '#features/ledger/store.ts';
import {
  createBuilders,
  expectFailure,
  expectStatus,
  createSequences,
  UNKNOWN_ID,
} from '#testing/builders.ts';
import { createZip } from '#testing/analysis/archive.ts';
import { createRawFile, withShortReason } from '#testing/lab-by-hand.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getNumber, getText } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken, runLab } = service;
const { worker, database } = service.service;
const {
  createAutoAccepted,
  createBody,
  create,
  createInvoiced,
  createPaid,
  createQueued,
  createRunning,
  createRecorded,
  createReviewed,
} = await createBuilders(service);

const post = (id: string, step: string, body: unknown = {}) =>
  ask('POST', `/lab/experiments/${id}/${step}`, { body: withShortReason(step, body) });
const readFiles = async (id: string) =>
  expectStatus(await ask('GET', `/lab/experiments/${id}/files`), 200).body;
const readStatus = async (id: string) => getText((await ask('GET', `/experiments/${id}`)).body.status);
const settle = async () => {
  while ((await worker.runDue()) > 0);
};

const octet = { instrument: 'Octet R8' };
const plate = createRawFile(createSequences(1));
const createTextFile = (name: string, content: string) => ({
  name,
  content_base64: Buffer.from(content).toString('base64'),
});

const put = (id: string, { name, content_base64: content }: typeof plate) =>
  ask('PUT', `/lab/experiments/${id}/files/${encodeURIComponent(name)}`, {
    payload: Buffer.from(content, 'base64').toString(),
  });

/** Every step with a body that fits. */
const STEPS: readonly (readonly [string, unknown])[] = [
  ['materials', {}],
  ['runs', octet],
  ['files', plate],
  ['complete', {}],
  ['release', {}],
  ['send-back', { reason: 'again' }],
];

test('experiment_not_found: any lab step of an unknown experiment → 404', async () => {
  for (const [step, given] of STEPS)
    expectFailure(await post(UNKNOWN_ID, step, given), 404, 'experiment_not_found');
  expectFailure(await put(UNKNOWN_ID, plate), 404, 'experiment_not_found');
  expectFailure(await ask('GET', `/lab/experiments/${UNKNOWN_ID}/files`), 404, 'experiment_not_found');
});

test('move_not_allowed: any lab step of a draft → 409', async () => {
  const { id } = await create();
  for (const [step, given] of STEPS) expectFailure(await post(id, step, given), 409, 'move_not_allowed');
  expectFailure(await put(id, plate), 409, 'move_not_allowed');
  assert.equal((await readFiles(id)).run, null);
});

test('permission_denied: a client takes a lab step → 403', async () => {
  const { id } = await createQueued();
  const token = await issueToken({ role: 'admin', ownOrganization: true });
  for (const [step, given] of STEPS) {
    const answer = await ask('POST', `/lab/experiments/${id}/${step}`, { token, body: given });
    expectFailure(answer, 403, 'permission_denied');
  }
});

test('receive_materials: the experiment waits for materials → in_queue', async () => {
  const { id } = await createPaid();
  const { body: moved } = expectStatus(await post(id, 'materials'), 200);
  assert.deepEqual([moved.previous_status, moved.status], ['waiting_for_materials', 'in_queue']);
  expectFailure(await post(id, 'materials'), 409, 'move_not_allowed');
});

test('run_not_paid: a run before payment → 409 without a reason; with one it starts and keeps the reason', async () => {
  const { id } = await createInvoiced();
  expectStatus(await post(id, 'materials'), 200);
  expectFailure(await post(id, 'runs', octet), 409, 'run_not_paid');
  const reason = 'A purchase order is signed.';
  const started = expectStatus(await post(id, 'runs', { ...octet, override_reason: reason }), 201);
  assert.equal(started.body.status, 'in_production');
  assert.equal(started.body.run?.override_reason, reason);
});

test('start_run: a reason where none is needed → it is not stored', async () => {
  const { id } = await createQueued();
  const started = expectStatus(await post(id, 'runs', { ...octet, override_reason: 'to be sure' }), 201);
  assert.equal(started.body.run?.override_reason, null);
  expectFailure(await post(id, 'runs', octet), 409, 'move_not_allowed');
});

test('add_raw_file: a file of the assay → stored with its digest and the sequences it matches', async () => {
  const { id } = await createRunning(createBody({ sequences: createSequences(2) }));
  const { body: uploaded } = expectStatus(await post(id, 'files', plate), 201);
  const bytes = Buffer.from(plate.content_base64, 'base64');
  assert.equal(uploaded.file?.sha256, createHash('sha256').update(bytes).digest('hex'));
  assert.equal(uploaded.file?.size_bytes, bytes.length);
  const { understood } = uploaded.file ?? {};
  assert.deepEqual(understood?.matched_sequences, ['design-1']);
  assert.deepEqual(understood?.unmatched_samples, []);
  assert.equal(getItems(understood?.sets)[0]?.format, 'assayer-traces');
  const listed = await readFiles(id);
  assert.deepEqual(getItems(listed.files), [uploaded.file]);
  assert.deepEqual(listed.sequences_without_data, ['design-2']);
});

test('put_raw_file: the same bytes as by add_raw_file → the same file; a bad file → the problem names the body', async () => {
  const { id } = await createRunning(createBody({ sequences: createSequences(2) }));
  const { body: uploaded } = expectStatus(await put(id, plate), 201);
  assert.deepEqual(getItems(uploaded.file?.understood?.matched_sequences), ['design-1']);
  assert.deepEqual(getItems((await readFiles(id)).files), [uploaded.file]);
  const again = expectStatus(await post(id, 'files', plate), 201);
  assert.equal(again.body.file?.id, uploaded.file?.id);
  const refused = expectFailure(await put(id, createTextFile('notes.txt', 'hello')), 422, 'raw_file_refused');
  assert.equal(getItems(refused.body.problems)[0]?.path, 'body');
});

test('add_raw_file: base64 in lines → decoded; names of no sequence → listed as unmatched', async () => {
  const { id } = await createRunning();
  const other = createRawFile({ stranger: createSequences(1)['design-1'] ?? '' }, 'screening', plate.name);
  const first = expectStatus(await post(id, 'files', other), 201).body.file;
  assert.deepEqual(first?.understood?.unmatched_samples, ['stranger']);
  const wrapped = { ...plate, content_base64: plate.content_base64.replaceAll(/.{76}/g, '$&\n') };
  const second = expectStatus(await post(id, 'files', wrapped), 201).body.file;
  assert.equal(second?.id, first?.id);
  assert.notEqual(second?.sha256, first?.sha256);
  assert.deepEqual(getItems((await readFiles(id)).files), [second]);
});

test('raw_file_refused: a damaged or unknown file → the sentence of its parser, and nothing is kept', async () => {
  const { id } = await createRunning();
  const lines = Buffer.from(plate.content_base64, 'base64').toString().split('\n');
  const index = lines.length - 2;
  const damaged = lines.with(index, (lines[index] ?? '').replace(/[^,]*$/, 'NaN')).join('\n');
  const refused = expectFailure(
    await post(id, 'files', createTextFile('p.csv', damaged)),
    422,
    'raw_file_refused',
  );
  const [problem] = getItems(refused.body.problems);
  assert.equal(problem?.path, 'content_base64');
  assert.match(
    getText(problem?.message),
    new RegExp(`^p\\.csv, line ${index + 1}, column \\d+: expected .*, found`),
  );
  for (const [name, content, sentence] of [
    ['notes.txt', 'hello', /notes\.txt, line 1, column 1: expected a trace file .*, found an unknown format/],
    ['empty.csv', '', /found an empty file/],
    ['broken.zip', 'PK\u0003\u0004 and no more', /broken\.zip/],
  ] as const) {
    const answer = expectFailure(
      await post(id, 'files', createTextFile(name, content)),
      422,
      'raw_file_refused',
    );
    assert.match(getText(getItems(answer.body.problems)[0]?.message), sentence);
  }
  assert.deepEqual(getItems((await readFiles(id)).files), []);
});

test('raw_file_refused: the same bytes under a second name → 422 names the first file', async () => {
  const { id } = await createRunning();
  expectStatus(await post(id, 'files', plate), 201);
  const twin = await post(id, 'files', { ...plate, name: `again-${plate.name}` });
  const answer = expectFailure(twin, 422, 'raw_file_refused');
  const message = `the run already has a file with the same bytes: ${plate.name}`;
  assert.deepEqual(getItems(answer.body.problems), [{ path: 'content_base64', message }]);
  expectStatus(await post(id, 'files', plate), 201);
  assert.equal(getItems((await readFiles(id)).files).length, 1);
});

test('raw_file_refused: the same measurement in other bytes under a second name → 422; another measurement → taken', async () => {
  const { id } = await createRunning();
  expectStatus(await post(id, 'files', plate), 201);
  const bytes = Buffer.from(plate.content_base64, 'base64');
  const text = bytes.toString();
  const again = [
    createTextFile('marked.csv', `\ufeff${text}`),
    createTextFile('renamed.csv', text.replaceAll('design-1', 'design-2')),
    {
      name: 'packed.zip',
      content_base64: Buffer.from(createZip([{ name: 'a.csv', bytes }]).bytes).toString('base64'),
    },
  ];
  for (const file of again) {
    const answer = expectFailure(await post(id, 'files', file), 422, 'raw_file_refused');
    assert.match(answer.text, /already has a file with the same measured values/, file.name);
    const shown = expectStatus(await post(id, 'preview', { files: [file] }), 200).body;
    assert.ok(
      getItems(shown.problems).some(({ code }) => getText(code) === 'file_twice'),
      file.name,
    );
  }
  const corrected = createTextFile(plate.name, `\ufeff${text}`);
  assert.equal(expectStatus(await post(id, 'files', corrected), 201).body.file?.version, 2);
  const lines = text.trimEnd().split('\n');
  const other = [...lines.slice(0, -1), `${lines.at(-1)}1`, ''].join('\n');
  expectStatus(await post(id, 'files', createTextFile('other.csv', other)), 201);
});

test('raw_file_refused: an archive that has the same measurement twice → 422 names the archive', async () => {
  const { id } = await createRunning();
  const bytes = Buffer.from(plate.content_base64, 'base64');
  const archive = createZip([
    { name: 'a.csv', bytes },
    { name: 'b.csv', bytes: Buffer.concat([Buffer.from('\ufeff'), bytes]) },
  ]);
  const file = { name: 'two.zip', content_base64: Buffer.from(archive.bytes).toString('base64') };
  const answer = expectFailure(await post(id, 'files', file), 422, 'raw_file_refused');
  assert.match(answer.text, /each measurement once in the archive or workbook/);
});

test('invalid_request: a name with a folder, or content that is not base64 → 400', async () => {
  const { id } = await createRunning();
  for (const name of ['', 'a/b.csv', String.raw`a\b.csv`, 'a\nb', 'x'.repeat(201)])
    expectFailure(await post(id, 'files', { ...plate, name }), 400, 'invalid_request');
  for (const content of ['no base64!', 'YQ', 'YR==', plate.content_base64.slice(0, -1)]) {
    const answer = await post(id, 'files', { name: 'p.csv', content_base64: content });
    assert.match(expectFailure(answer, 400, 'invalid_request').text, /content_base64/);
  }
});

test('add_raw_file: well files of thermostability and fluorescence → accepted by their own assay only', async () => {
  const melts =
    'Temperature,A1,A2\n' + Array.from({ length: 40 }, (_, n) => `${25 + n},${n}.5,${n}.25\n`).join('');
  const spec = { experiment_type: 'thermostability', method: null, target_id: null };
  const { id } = await createRunning(createBody(spec));
  const uploaded = expectStatus(await post(id, 'files', createTextFile('m.csv', melts)), 201).body.file
    ?.understood;
  assert.equal(uploaded?.n_unnamed_wells, 2);
  assert.deepEqual(uploaded?.unmatched_samples, []);
  const other = await createRunning(createBody({ ...spec, experiment_type: 'fluorescence' }));
  const refused = await post(other.id, 'files', createTextFile('m.csv', melts));
  assert.match(
    expectFailure(refused, 422, 'raw_file_refused').text,
    /expected values of a plate reader, found melting/,
  );
});

test('run_without_files: a run is completed without a file → 409; with one → it is completed and closed', async () => {
  const { id } = await createRunning();
  expectFailure(await post(id, 'complete'), 409, 'run_without_files');
  expectStatus(await post(id, 'files', plate), 201);
  expectFailure(await post(id, 'complete', { settings: { no_such: 1 } }), 400, 'invalid_request');
  assert.equal(expectStatus(await post(id, 'complete'), 200).body.status, 'data_analysis');
  expectFailure(await post(id, 'files', plate), 409, 'move_not_allowed');
  expectFailure(await post(id, 'send-back', { reason: 'too early' }), 409, 'move_not_allowed');
  await settle();
  assert.equal(await readStatus(id), 'in_review');
});

test('send_back_exp: the files cannot be analyzed → the problem stays with the run until other files are sent', async () => {
  const { id } = await createRunning();
  const xy = Array.from({ length: 100 }, (_, n) => `${n}\t${n / 100}\n`).join('');
  const header = 'Cycle: 1 design-1 100 nM_X\tCycle: 1 design-1 100 nM_Y\n';
  expectStatus(await post(id, 'files', createTextFile('cycles.txt', header + xy)), 201);
  expectFailure(await post(id, 'complete'), 409, 'raw_data_not_analyzable');
  const settings = { association_s: 50 };
  expectFailure(await post(id, 'complete', { settings, reason: undefined }), 409, 'less_than_ordered');
  expectStatus(await post(id, 'complete', { settings }), 200);
  const forget = `update jobs set payload = payload || '{"settings":{}}' where payload ->> 'experiment_id' = $1`;
  await database.read.query(forget, [id]);
  await settle();
  assert.equal(await readStatus(id), 'data_analysis');
  assert.match(getText((await readFiles(id)).run?.problem), /association/i);
  expectStatus(await post(id, 'files', { ...plate, name: 'cycles.txt' }), 201);
  const back = { reason: 'The right file is there.' };
  assert.equal(expectStatus(await post(id, 'send-back', back), 200).body.status, 'data_analysis');
  await settle();
  assert.equal(await readStatus(id), 'in_review');
  assert.equal((await readFiles(id)).run?.problem, null);
});

test('send_back_exp: the analysis fails for another reason → it is given up and can be started again', async () => {
  const { id } = await createRunning();
  const { body: uploaded } = expectStatus(await post(id, 'files', plate), 201);
  expectStatus(await post(id, 'complete'), 200);
  const lose = 'update raw_files set sha256 = $2 where experiment_id = $1';
  await database.read.query(lose, [id, 'f'.repeat(64)]);
  await runLab();
  assert.equal(await readStatus(id), 'data_analysis');
  assert.match(getText((await readFiles(id)).run?.problem), /could not be completed/);
  await database.read.query(lose, [id, getText(uploaded.file?.sha256)]);
  expectStatus(await post(id, 'send-back', { reason: 'The disk is mounted again.' }), 200);
  await settle();
  assert.equal(await readStatus(id), 'in_review');
});

test('send_back_exp: a finished analysis is sent back with settings → a new version, and the newest is released', async () => {
  const { id } = await createReviewed();
  const back = { reason: 'Without drift.', settings: { drift: false } };
  assert.equal(expectStatus(await post(id, 'send-back', back), 200).body.previous_status, 'in_review');
  await settle();
  assert.equal(expectStatus(await post(id, 'release'), 200).body.status, 'done');
  const results = getItems((await ask('GET', `/experiments/${id}/results`)).body.items);
  assert.deepEqual(
    results.map(({ version }) => version),
    [2],
  );
  expectFailure(await post(id, 'release'), 409, 'move_not_allowed');
});

test('start_run: an experiment in review → a second run with files of its own', async () => {
  const { id } = await createReviewed();
  const repeated = expectStatus(await post(id, 'runs', octet), 201).body;
  assert.deepEqual([repeated.previous_status, repeated.status], ['in_review', 'in_production']);
  assert.equal(repeated.run?.ordinal, 2);
  assert.deepEqual(getItems((await readFiles(id)).files), []);
});

test('simulated lab: a run by hand in any state → left alone', async () => {
  for (const [state, build] of [
    ['in_production', createRunning],
    ['in_production', createRecorded],
    ['in_review', createReviewed],
  ] as const) {
    const { id } = await build();
    await runLab();
    assert.equal(await readStatus(id), state);
  }
});

test('simulated lab: staff received only the materials → it runs the rest, and the run is not by hand', async () => {
  const { id } = await createQueued(createBody({ parameters: { sandbox: { force: 'binder' } } }));
  await runLab();
  assert.equal(await readStatus(id), 'done');
  const { run, files } = await readFiles(id);
  assert.equal(run?.by_hand, false);
  assert.equal(getItems(files)[0]?.understood, null);
});

test('run_not_by_hand: staff add files to or complete a run of the simulated lab → 409', async () => {
  const { id } = await createPaid();
  for (let round = 0; round < 20 && (await readStatus(id)) !== 'in_production'; round++) {
    service.clock.advance(1_000);
    await worker.runDue();
  }
  assert.equal(await readStatus(id), 'in_production');
  expectFailure(await post(id, 'files', plate), 409, 'run_not_by_hand');
  expectFailure(await put(id, plate), 409, 'run_not_by_hand');
  expectFailure(await post(id, 'complete'), 409, 'run_not_by_hand');
});

test('release_results: a run by hand is released → its revenue is earned once', async () => {
  const { id, invoiceId } = await createReviewed();
  const readEarned = async () =>
    (await selectInvoiceBalances(labScope, database.read, invoiceId)).revenue ?? 0;
  assert.equal(await readEarned(), 0);
  expectStatus(await post(id, 'release'), 200);
  const { total_cents: total } = (await ask('GET', `/invoices/${invoiceId}`)).body;
  assert.equal(await readEarned(), -getNumber(total));
  await runLab();
  assert.equal(await readEarned(), -getNumber(total));
  assert.equal(await readStatus(id), 'done');
});

test('run_not_paid: results are released before the invoice was sent → revenue is earned when it is sent', async () => {
  const { id, invoiceId } = await createAutoAccepted();
  expectStatus(await post(id, 'materials'), 200);
  expectStatus(await post(id, 'runs', { ...octet, override_reason: 'A framework contract.' }), 201);
  expectStatus(await post(id, 'files', plate), 201);
  expectStatus(await post(id, 'complete'), 200);
  await settle();
  expectStatus(await post(id, 'release'), 200);
  assert.deepEqual(await checkLedger(labScope, database.read), []);
  expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/send`), 200);
  const { total_cents: total } = (await ask('GET', `/invoices/${invoiceId}`)).body;
  assert.equal((await selectInvoiceBalances(labScope, database.read, invoiceId)).revenue, -getNumber(total));
  assert.deepEqual(await checkLedger(labScope, database.read), []);
});

test('add_raw_file: ten times at once under one name → one file', async () => {
  const { id } = await createRunning();
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(id, 'files', plate)));
  const ids = new Set(answers.map((answer) => getText(expectStatus(answer, 201).body.file?.id)));
  assert.equal(ids.size, 1);
  assert.equal(getItems((await readFiles(id)).files).length, 1);
});

proveCoverage('lab-runs');
