/** Results count what was measured against what was ordered and planned. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Trace } from '#analysis/curves/trace.ts';
import { isRecord } from '#core/records.ts';
import { labScope } from '#core/scope.ts';
import { lockExperiment } from '#features/experiments/store.ts';
import type { PlanRecord } from '#features/runs/plan-schemas.ts';
import { releaseExperiment } from '#workflows/release/release-results.ts';
import {
  createBuilders,
  createSequences,
  expectFailure,
  expectStatus,
  listProblemPaths,
  VHH,
} from '#testing/builders.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import { openSignedIn } from '#testing/browser.ts';
import { takeMails } from '#testing/notices.ts';
import { getItems, getText, testService, type Json } from '#testing/service.ts';
import { createSharedTraces, encodeFile } from '#testing/shared-files.ts';
import { insertTestRun } from '#testing/stored-runs.ts';

const service = await testService();
const { ask } = service;
const { createBody, createReviewed, createRunning, createQueued } = await createBuilders(service);

const post = (path: string, body: unknown = {}) => ask('POST', `/lab/${path}`, { body });
const settle = async (): Promise<void> => {
  while ((await service.service.worker.runDue()) > 0);
};

const readResults = async (id: string): Promise<Json[]> =>
  getItems(expectStatus(await ask('GET', `/lab/experiments/${id}/results`), 200).body.items).toSorted(
    (a, b) => (getText(a.sequence_name) < getText(b.sequence_name) ? -1 : 1),
  );

const getCounts = ({
  n_replicates_ordered: ordered,
  n_replicates: measured,
  n_curves_planned,
  n_curves,
}: Json) => [ordered, measured, n_curves_planned, n_curves];

const listMissing = ({ qc }: Json) => {
  assert.ok(isRecord(qc) && Array.isArray(qc.flags));
  const { flags, details } = qc;
  return getItems(details)
    .filter(({ code }) => getText(code).endsWith('S_MISSING') && flags.includes(code))
    .map(({ code, message }) => `${getText(code)}: ${getText(message)}`);
};

test('REPLICATES_MISSING: one of three ordered replicates in the files, and a sequence in none → both are flagged', async () => {
  const { id } = await createRunning(createBody({ sequences: createSequences(2) }));
  expectStatus(await post(`experiments/${id}/files`, createRawFile(createSequences(1))), 201);
  const preview = expectStatus(await post(`experiments/${id}/preview`), 200).body;
  assert.deepEqual(preview.measured, {
    n_replicates_ordered: 6,
    n_replicates: 1,
    n_curves_planned: null,
    n_curves: null,
  });
  const refused = expectFailure(await post(`experiments/${id}/complete`), 409, 'less_than_ordered');
  const named = '1 of 6 ordered replicates (design-1: 1 of 3, design-2: 0 of 3)';
  assert.ok(getItems(preview.problems).some(({ message }) => getText(message).includes(named)));
  assert.deepEqual(refused.body.problems, [
    {
      path: 'reason',
      message: `${named}: give a reason to go on without the rest, or bring the rest`,
    },
  ]);
  expectStatus(await post(`experiments/${id}/complete`, { reason: 'Less than ordered is enough.' }), 200);
  await settle();
  const results = await readResults(id);
  assert.deepEqual(results.map(getCounts), [
    [3, 1, null, 1],
    [3, 0, null, null],
  ]);
  assert.deepEqual(results.map(listMissing), [
    ['REPLICATES_MISSING: 1 of 3 ordered replicates was measured.'],
    ['REPLICATES_MISSING: None of the 3 ordered replicates was measured.'],
  ]);
  for (const [index, { rows, summary }] of results.entries())
    for (const row of [...getItems(rows), ...getItems(summary)])
      assert.deepEqual([row.n_replicates_ordered, row.n_replicates], [3, 1 - index]);
});

test('CURVES_MISSING: nine of 24 planned curves, of one of three replicates and a half → told by sequence', async () => {
  const experiment = await createQueued(
    createBody({
      experiment_type: 'affinity',
      sequences: createSequences(2),
      antigen_concentrations: [1000, 316.2, 100, 31.6, 0],
    }),
  );
  const runId = await insertTestRun(ask, [experiment.code], { concentrations_m: undefined });
  const started = expectStatus(await post(`runs/${runId}/start`), 200).body;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a plan as the service answers it
  const plan = started.plan as unknown as PlanRecord;
  const planned = plan.plates
    .flatMap(({ wells }) => wells)
    .filter(({ sequence_id: sequence, concentration_m: molar }) => sequence !== null && molar !== 0);
  assert.equal(planned.length, 24);
  const change = (trace: Trace) => {
    const isMissing =
      trace.role === 'sample' && (trace.replicate === 3 || (trace.replicate === 2 && !isKept(trace)));
    return isMissing ? [] : [trace];
  };
  const bytes = createSharedTraces(plan, { salt: getText(started.code), assay: 'affinity', change });
  expectStatus(await post(`runs/${runId}/raw-files`, encodeFile('P1.csv', bytes)), 201);
  const refused = expectFailure(await post(`runs/${runId}/complete`), 409, 'less_than_ordered');
  assert.match(
    refused.text,
    /3 of 6 ordered replicates and 9 of 24 planned curves \(design-1: 2 of 3, design-2: 1 of 3\) of/,
  );
  expectStatus(await post(`runs/${runId}/complete`, { reason: 'The protein ran out.' }), 200);
  await settle();
  const results = await readResults(experiment.id);
  assert.deepEqual(results.map(getCounts), [
    [3, 2, 12, 5],
    [3, 1, 12, 4],
  ]);
  assert.deepEqual(results.map(listMissing), [
    [
      'REPLICATES_MISSING: 2 of 3 ordered replicates were measured.',
      'CURVES_MISSING: 5 of 12 planned curves were measured.',
    ],
    [
      'REPLICATES_MISSING: 1 of 3 ordered replicates was measured.',
      'CURVES_MISSING: 4 of 12 planned curves were measured.',
    ],
  ]);
});

test('less_than_ordered: a release without a reason → refused with the counts; with one, the client reads the counts alone', async () => {
  const { id, invoiceId } = await createReviewed();
  const review = expectStatus(await ask('GET', `/lab/experiments/${id}/review`), 200).body;
  // 14,900 + 2 × 2,900 for three replicates, 14,900 for one.
  assert.deepEqual(review.shortfall, {
    missing: '1 of 3 ordered replicates',
    invoice_id: invoiceId,
    credit_cents: 5_800,
    credit_notes: [],
  });
  const refused = expectFailure(await post(`experiments/${id}/release`), 409, 'less_than_ordered');
  assert.deepEqual(refused.body.problems, [
    {
      path: 'reason',
      message: '1 of 3 ordered replicates: give a reason to release without the rest, or have it measured',
    },
  ]);
  const reason = 'The client agreed by telephone.';
  expectStatus(await post(`experiments/${id}/release`, { reason }), 200);
  const feed = expectStatus(await ask('GET', `/experiments/${id}/updates?limit=50`), 200);
  assert.match(feed.text, /They rest on 1 of 3 ordered replicates/);
  assert.ok(!feed.text.includes(reason));
  const after = expectStatus(await ask('GET', `/lab/experiments/${id}/review`), 200);
  assert.ok(after.text.includes(reason));
});

test('get_lab_review: credit notes for what was not measured, in two parts → the credit shrinks, and at nothing the page names them', async () => {
  const { id, invoiceId } = await createReviewed();
  const staff = await openSignedIn(service);
  const readShortfall = async (): Promise<unknown> =>
    expectStatus(await ask('GET', `/lab/experiments/${id}/review`), 200).body.shortfall;
  const refund = async (cents: number): Promise<string> => {
    const body = { amount_cents: cents, reason: 'Two replicates were not measured.' };
    return getText(
      expectStatus(await post(`invoices/${invoiceId}/refunds`, body), 201).body.credit_note_number,
    );
  };
  const missing = '1 of 3 ordered replicates';
  const first = await refund(5_000);
  assert.deepEqual(await readShortfall(), {
    missing,
    invoice_id: invoiceId,
    credit_cents: 800,
    credit_notes: [first],
  });
  const inPart = await staff.open(`/lab/experiments/${id}/review`);
  assert.match(inPart.text, new RegExp(`\\$8\\.00 with tax were paid .* not on ${first}\\..*refund=800`));
  const second = await refund(800);
  assert.deepEqual(await readShortfall(), {
    missing,
    invoice_id: invoiceId,
    credit_cents: 0,
    credit_notes: [first, second],
  });
  const page = await staff.open(`/lab/experiments/${id}/review`);
  assert.match(page.text, new RegExp(`for the rest is credited by ${first} and ${second}\\.`));
  assert.doesNotMatch(page.text, /Refund it on the invoice/);
});

test('less_than_ordered: results are released and amended with a reason → both mails to the client have the counts, and the first has no reason', async () => {
  await takeMails(service);
  const { id } = await createReviewed();
  const reason = 'The client agreed by telephone.';
  expectStatus(await post(`experiments/${id}/release`, { reason }), 200);
  const released = (await takeMails(service)).find(({ subject }) => subject.startsWith('Results of'));
  const text = released?.content?.paragraphs.join(' ') ?? '';
  assert.match(text, /are released\. 1 result released\. They rest on 1 of 3 ordered replicates\./);
  assert.ok(!text.includes(reason));
  expectStatus(await post(`experiments/${id}/reanalyze`, { reason: 'Another look.' }), 201);
  await settle();
  expectStatus(await post(`experiments/${id}/amend`, { reason: 'The window was wrong' }), 200);
  const amended = (await takeMails(service)).find(({ subject }) => subject.includes('were amended'));
  const told = amended?.content?.paragraphs.join(' ') ?? '';
  assert.match(told, /The window was wrong\. They rest on 1 of 3 ordered replicates\./);
});

test('less_than_ordered: the simulated lab releases less → it gives a reason in its own words, and the client reads the counts', async () => {
  const { id } = await createReviewed();
  const { database, work } = service.service;
  await database.runTransaction(async (tx) => {
    const experiment = await lockExperiment(labScope, tx, id);
    assert.ok(experiment !== undefined);
    await releaseExperiment(work, tx, experiment);
  });
  const { events } = expectStatus(await ask('GET', `/lab/experiments/${id}/review`), 200).body;
  const event = getItems(events).find(({ action }) => getText(action) === 'released');
  assert.match(
    getText(event?.reason),
    /^1 of 3 ordered replicates: The simulated instrument recorded no more, and/,
  );
  const feed = expectStatus(await ask('GET', `/experiments/${id}/updates?limit=50`), 200);
  assert.match(feed.text, /They rest on 1 of 3 ordered replicates/);
});

test('less_than_ordered: files name a sample that nobody ordered → told at preview, and completing needs a reason', async () => {
  const named = createSequences(2);
  const [first = ''] = Object.values(named);
  const { id } = await createRunning(createBody({ n_replicates: 1, sequences: { 'design-1': first } }));
  expectStatus(await post(`experiments/${id}/files`, createRawFile(named)), 201);
  const preview = expectStatus(await post(`experiments/${id}/preview`), 200).body;
  assert.deepEqual(preview.samples_not_ordered, ['design-2']);
  const refused = expectFailure(await post(`experiments/${id}/complete`), 409, 'less_than_ordered');
  assert.match(refused.text, /nobody ordered design-2/);
});

test('raw_data_not_analyzable: a file without the length of its association → told at preview, refused with the setting named', async () => {
  const { id } = await createRunning(
    createBody({ experiment_type: 'affinity', sequences: { 'mAb A': VHH }, n_replicates: 1 }),
  );
  const rows = Array.from({ length: 400 }, (_, s) => `${s}\t${(s < 200 ? s : 400 - s) / 400}`);
  const text = ['Cycle: 1 mAb A 100 nM_X\tCycle: 1 mAb A 100 nM_Y', ...rows, ''].join('\r\n');
  expectStatus(await post(`experiments/${id}/files`, encodeFile('curves.txt', Buffer.from(text))), 201);
  const preview = expectStatus(await post(`experiments/${id}/preview`), 200).body;
  assert.equal(preview.is_analyzable, false);
  const problem = getItems(preview.problems).find(({ code }) => getText(code) === 'steps_not_stated');
  assert.equal(problem?.setting, 'association_s');
  const reason = 'One curve is enough.';
  const refused = expectFailure(
    await post(`experiments/${id}/complete`, { reason }),
    409,
    'raw_data_not_analyzable',
  );
  assert.deepEqual(listProblemPaths(refused), ['settings.association_s']);
  const settings = { association_s: 200 };
  expectStatus(await post(`experiments/${id}/complete`, { reason, settings }), 200);
});

test('raw_data_not_analyzable: a plate of fluorescence in two reads → told at preview, refused until the settings choose one', async () => {
  const spec = { experiment_type: 'fluorescence', sequences: { alone: VHH }, n_replicates: 1 };
  const { id } = await createRunning(createBody({ ...spec, target_id: undefined, method: undefined }));
  const lines = [
    '# assayer-plate: 1',
    'well,role,sample,replicate,concentration_m,concentration_ng_per_ul',
    'A1,blank,,1,,',
    'A2,sample,alone,1,,',
    '',
  ];
  const reads = [485, 560].flatMap((ex) => [
    `A1,fluorescence,${ex},600,80,100`,
    `A2,fluorescence,${ex},600,80,900`,
  ]);
  const text = [...lines, 'well,channel,ex_nm,em_nm,gain,value', ...reads, ''].join('\n');
  expectStatus(await post(`experiments/${id}/files`, encodeFile('plate.csv', Buffer.from(text))), 201);
  const preview = expectStatus(await post(`experiments/${id}/preview`), 200).body;
  assert.equal(preview.is_analyzable, false);
  const refused = expectFailure(await post(`experiments/${id}/complete`), 409, 'raw_data_not_analyzable');
  assert.match(refused.text, /several reads.*ex_nm/);
  expectStatus(await post(`experiments/${id}/complete`, { settings: { ex_nm: 485 } }), 200);
});

/** Of the second replicate of the first sequence the highest dose alone. */
const isKept = ({ sample, concentrationM }: Trace) => sample === 'design-1' && concentrationM === 1e-6;
