import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createBuilders,
  expectFailure,
  expectStatus,
  createSequences,
  UNKNOWN_ID,
} from '#testing/builders.ts';
import { createRawFile, withShortReason } from '#testing/lab-by-hand.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getText, type Json } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken } = service;
const { worker } = service.service;
const { createBody, create, createQueued, createRunning, createRecorded, createReleased } =
  await createBuilders(service);

const plate = createRawFile(createSequences(1));
const decode = (content: string) => Buffer.from(content, 'base64').toString();
const encode = (name: string, content: string) => ({
  name,
  content_base64: Buffer.from(content).toString('base64'),
});
/** What these tests complete and release is less than their orders. */
const post = (id: string, step: string, body: unknown = {}) =>
  ask('POST', `/lab/experiments/${id}/${step}`, { body: withShortReason(step, body) });
const preview = async (id: string, body: unknown) => expectStatus(await post(id, 'preview', body), 200).body;
const read = (id: string, step: string) => ask('GET', `/lab/experiments/${id}/${step}`);
const readFiles = async (id: string) => getItems(expectStatus(await read(id, 'files'), 200).body.files);
const listCodes = (shown: Json) => getItems(shown.problems).map(({ code }) => getText(code));
const settle = async () => {
  while ((await worker.runDue()) > 0);
};

/** The screening file of one design under another name. */
const createStranger = () =>
  createRawFile({ stranger: createSequences(1)['design-1'] ?? '' }, 'screening', plate.name);

test('experiment_not_found, permission_denied: every operation → 404 for an unknown experiment, 403 for a client', async () => {
  const { id } = await createQueued();
  const client = await issueToken({ role: 'admin', ownOrganization: true });
  for (const [method, step, body] of [
    ['POST', 'preview', { files: [plate] }],
    ['POST', 'mapping', { entries: [] }],
    ['GET', 'mapping', undefined],
  ] as const) {
    const readFiles = (of: string, token?: string) =>
      ask(method, `/lab/experiments/${of}/${step}`, {
        ...(body === undefined ? {} : { body }),
        ...(token === undefined ? {} : { token }),
      });
    expectFailure(await readFiles(UNKNOWN_ID), 404, 'experiment_not_found');
    expectFailure(await readFiles(id, client), 403, 'permission_denied');
  }
  const payload = decode(plate.content_base64);
  const put = (of: string, token?: string) =>
    ask('PUT', `/lab/experiments/${of}/preview/p.csv`, {
      payload,
      ...(token === undefined ? {} : { token }),
    });
  expectFailure(await put(UNKNOWN_ID), 404, 'experiment_not_found');
  expectFailure(await put(id, client), 403, 'permission_denied');
});

test('preview_raw_files: a file of the assay → wells, steps and matches; nothing is kept', async () => {
  const { id } = await createRunning(createBody({ sequences: createSequences(2) }));
  const shown = await preview(id, { files: [plate] });
  assert.equal(shown.is_kept, false);
  const [file] = getItems(shown.files);
  assert.deepEqual([file?.name, file?.version, file?.problem], [plate.name, 1, null]);
  const [set] = getItems(shown.sets);
  assert.equal(set?.format, 'assayer-traces');
  assert.equal(set?.axis_unit, 's');
  const wells = getItems(set?.wells);
  const design = wells.find((well) => getText(well.sample) === 'design-1');
  assert.equal(design?.matched_sequence, 'design-1');
  const association = getItems(design?.parts).find((part) => getText(part.name) === 'association');
  assert.ok(Number(association?.n_points) > 10 && Number(association?.to) > Number(association?.from));
  assert.deepEqual(shown.sequences_missing, ['design-2']);
  assert.ok(listCodes(shown).includes('sequence_missing'));
  assert.equal(shown.is_analyzable, true);
  assert.deepEqual(await readFiles(id), []);
});

test('preview_raw_file: the same bytes by PUT → the same answer as by POST', async () => {
  const { id } = await createRunning();
  const path = `/lab/experiments/${id}/preview/${encodeURIComponent(plate.name)}`;
  const answer = await ask('PUT', path, { payload: decode(plate.content_base64) });
  assert.deepEqual(expectStatus(answer, 200).body, await preview(id, { files: [plate] }));
});

test('preview_raw_files: a damaged file beside a good one → the sentence of its parser, and the good one is read', async () => {
  const { id } = await createRunning();
  const shown = await preview(id, {
    files: [encode('notes.txt', 'hello'), plate, encode('b.zip', 'PK\u0003\u0004')],
  });
  const problems = getItems(shown.files).map(({ problem }) => problem);
  assert.match(getText(problems[0]), /notes\.txt, line 1, column 1: expected a trace file/);
  assert.equal(problems[1], null);
  assert.match(getText(problems[2]), /b\.zip/);
  assert.equal(listCodes(shown).filter((code) => code === 'file_unreadable').length, 2);
  assert.equal(getItems(shown.sets).length, 1);
  assert.equal(shown.is_analyzable, false);
});

test('preview_raw_files: names that nobody ordered, and the same bytes under two names → a problem for each', async () => {
  const { id } = await createRunning();
  const stranger = createStranger();
  const shown = await preview(id, { files: [stranger] });
  assert.deepEqual(shown.samples_not_ordered, ['stranger']);
  assert.deepEqual(shown.sequences_missing, ['design-1']);
  const twice = await preview(id, { files: [plate, { ...plate, name: 'again.csv' }] });
  assert.ok(listCodes(twice).includes('file_twice'));
  assert.ok(!listCodes(shown).includes('file_twice'));
});

test('run_without_files, invalid_request: no file to show → 409; content that is not base64 → 400', async () => {
  const { id } = await createRunning();
  expectFailure(await post(id, 'preview', {}), 409, 'run_without_files');
  const answer = await post(id, 'preview', { files: [{ name: 'p.csv', content_base64: 'no base64!' }] });
  assert.match(expectFailure(answer, 400, 'invalid_request').text, /files\/0\/content_base64/);
});

test('map_raw_files: a sample of another name is mapped → the preview, the analysis and the result follow it', async () => {
  const { id, code } = await createRunning();
  expectStatus(await post(id, 'files', createStranger()), 201);
  const entries = [{ sample: 'stranger', role: 'sample', sequence: 'design-1' }];
  const tried = await preview(id, { entries });
  assert.deepEqual([tried.samples_not_ordered, tried.sequences_missing, tried.is_kept], [[], [], true]);
  assert.deepEqual(getItems(expectStatus(await read(id, 'mapping'), 200).body.versions), []);
  const reason = 'The plate was labeled by the name of the order before.';
  const { body } = expectStatus(await post(id, 'mapping', { entries, reason }), 201);
  const { mapping } = body;
  assert.equal(mapping?.version, 1);
  assert.equal(mapping?.created_by, 'demo@example.org');
  const shown = await preview(id, {});
  assert.deepEqual(shown.sequences_missing, []);
  const wells = getItems(getItems(shown.sets)[0]?.wells);
  assert.ok(wells.some((well) => Boolean(well.is_mapped) && getText(well.sample) === 'design-1'));
  expectStatus(await post(id, 'complete'), 200);
  await settle();
  expectStatus(await post(id, 'release'), 200);
  const { body: results } = await ask('GET', `/experiments/${code}/results`);
  const [result] = getItems(results.items);
  assert.notEqual(result?.outcome, 'not_tested');
  const notices = JSON.stringify(result);
  assert.match(notices, /stated by hand what wells or samples of the raw files are: version 1, 1 line/);
  const { body: audit } = await ask(
    'GET',
    `/lab/audit?filter=${encodeURIComponent('eq(operation,map_raw_files)')}`,
  );
  assert.ok(JSON.stringify(audit).includes('map_raw_files'));
});

test('map_raw_files: the same run without the mapping → the sequence is not tested', async () => {
  const { id, code } = await createRunning();
  expectStatus(await post(id, 'files', createStranger()), 201);
  expectStatus(await post(id, 'complete'), 200);
  await settle();
  expectStatus(await post(id, 'release'), 200);
  const { body: results } = await ask('GET', `/experiments/${code}/results`);
  assert.equal(getItems(results.items)[0]?.outcome, 'not_tested');
});

test('map_raw_files: a second mapping → the next version, and the first stays listed', async () => {
  const { id } = await createRecorded();
  expectStatus(await post(id, 'mapping', { entries: [{ well: 'A1', role: 'left_out' }] }), 201);
  const { body } = expectStatus(await post(id, 'mapping', { entries: [] }), 201);
  assert.equal(body.mapping?.version, 2);
  const versions = getItems(expectStatus(await read(id, 'mapping'), 200).body.versions);
  assert.deepEqual(
    versions.map(({ version, entries }) => [version, getItems(entries).length]),
    [
      [2, 0],
      [1, 1],
    ],
  );
});

test('invalid_request: an entry without a place, with two, twice, of an unknown sequence, or of a blank → 400 names it', async () => {
  const { id } = await createRecorded();
  for (const [entries, sentence] of [
    [[{ role: 'blank' }], /either a well or a sample/],
    [[{ role: 'blank', well: 'A1', sample: 'x' }], /either a well or a sample/],
    [
      [
        { role: 'blank', well: 'A1' },
        { role: 'sample', well: 'A1' },
      ],
      /well A1 a second time/,
    ],
    [[{ role: 'sample', well: 'A1', sequence: 'design-9' }], /design-9, which the experiment does not have/],
    [[{ role: 'blank', well: 'A1', sequence: 'design-1' }], /leave the sequence out/],
  ] as const) {
    assert.match(
      expectFailure(await post(id, 'mapping', { entries }), 400, 'invalid_request').text,
      sentence,
    );
    expectFailure(await post(id, 'preview', { entries }), 400, 'invalid_request');
  }
  assert.deepEqual(getItems(expectStatus(await read(id, 'mapping'), 200).body.versions), []);
});

test('move_not_allowed, run_not_by_hand: a mapping before a run, or of the simulated lab → 409', async () => {
  const { id } = await create();
  expectFailure(await post(id, 'mapping', { entries: [] }), 409, 'move_not_allowed');
  const { id: simulated } = await createReleased();
  expectFailure(await post(simulated, 'mapping', { entries: [] }), 409, 'run_not_by_hand');
});

test('add_raw_file: other bytes of the same name → the next version; the same bytes again → the same version', async () => {
  const { id } = await createRunning();
  const first = expectStatus(await post(id, 'files', plate), 201).body.file;
  const again = expectStatus(await post(id, 'files', plate), 201).body.file;
  assert.deepEqual(again, first);
  assert.equal((await preview(id, { files: [createStranger()] })).files[0]?.version, 2);
  const second = expectStatus(await post(id, 'files', createStranger()), 201).body.file;
  assert.equal(second?.version, 2);
  assert.equal(second?.uploaded_by, 'demo@example.org');
  const [listed] = await readFiles(id);
  assert.deepEqual(getItems(listed?.earlier_versions), [
    {
      version: 1,
      sha256: first?.sha256,
      size_bytes: first?.size_bytes,
      created_at: first?.created_at,
      uploaded_by: first?.uploaded_by,
    },
  ]);
  expectStatus(await post(id, 'complete'), 200);
});

proveCoverage('lab-files');
