import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { PlanRecord } from '#domain/runs/plan-schemas.ts';
import {
  createBuilders,
  createSequences,
  expectFailure,
  expectStatus,
  UNKNOWN_ID,
  type Invoiced,
} from '#testing/builders.ts';
import { createRecordedService, proveCoverage } from '#testing/recorder.ts';
import { getItems, getText, type Json } from '#testing/service.ts';
import { createSharedTraces, encodeFile } from '#testing/shared-files.ts';
import { insertTestRun } from '#testing/stored-runs.ts';

const service = await createRecordedService();
const { ask, issueToken } = service;
const { worker } = service.service;
const { createBody, createInvoiced, createQueued } = await createBuilders(service);
const foreign = await issueToken({ role: 'admin', ownOrganization: true });

const [ownSequence, otherSequence] = Object.values(createSequences(2));
const post = (path: string, body: unknown = {}) => ask('POST', `/lab/${path}`, { body });
const settle = async () => {
  while ((await worker.runDue()) > 0);
};
const readStatus = async (id: string) =>
  getText(expectStatus(await ask('GET', `/lab/experiments/${id}`), 200).body.status);

interface SharedRun {
  readonly id: string;
  readonly code: string;
  readonly plan: PlanRecord;
  readonly own: Invoiced;
  readonly theirs: Invoiced;
}

/** A started run over one order of each of two organizations; both have a sequence of the same name. */
async function startShared(): Promise<SharedRun> {
  const own = await createQueued(
    createBody({ sequences: { 'own-design': ownSequence ?? '', twin: otherSequence ?? '' } }),
  );
  const body = createBody({ sequences: { 'secret-design': otherSequence ?? '', twin: ownSequence ?? '' } });
  const theirs = await createInvoiced(body, { token: foreign });
  expectStatus(await post(`invoices/${theirs.invoiceId}/bank-transfer`), 201);
  await settle();
  expectStatus(await post(`experiments/${theirs.id}/materials`), 200);
  const id = await insertTestRun(ask, [own.code, theirs.code]);
  const run = expectStatus(await post(`runs/${id}/start`), 200).body;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a plan as the service answers it
  const plan = run.plan as unknown as PlanRecord;
  return { id, code: getText(run.code), plan, own, theirs };
}

const bring = (run: SharedRun, bytes: Uint8Array, name = 'P1-both.csv') =>
  post(`runs/${run.id}/raw-files`, encodeFile(name, bytes));
const listCodes = ({ problems }: Json) => getItems(problems).map(({ code }) => getText(code));
const listMessages = ({ body }: { body: Json }) =>
  getItems(body.problems)
    .map(({ message }) => getText(message))
    .join('\n');

test('complete_lab_run: two organizations in one file → both analyzed on their own wells, in one step', async () => {
  const run = await startShared();
  const bytes = createSharedTraces(run.plan);
  const added = expectStatus(await bring(run, bytes), 201).body;
  assert.deepEqual(
    getItems(added.experiments).map((each) => [each.experiment_code, each.sequences_without_data]),
    [
      [run.own.code, []],
      [run.theirs.code, []],
    ],
  );
  const completed = expectStatus(await post(`runs/${run.id}/complete`), 200).body;
  assert.equal(completed.status, 'complete');
  assert.deepEqual(
    getItems(completed.experiments).map(({ status }) => getText(status)),
    ['data_analysis', 'data_analysis'],
  );
  await settle();
  for (const { id } of [run.own, run.theirs]) {
    assert.equal(await readStatus(id), 'in_review');
    const { body } = expectStatus(await ask('GET', `/lab/experiments/${id}/results`), 200);
    for (const result of getItems(body.items)) assert.notEqual(result.outcome, 'not_tested');
  }
});

export { startShared, bring, listCodes, listMessages, createHash, expectFailure, UNKNOWN_ID, proveCoverage };
