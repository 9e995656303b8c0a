/** Experiments on the road through the lab that people take, with the files of the simulated instrument. */
import { isRecord } from '#core/records.ts';
import type { PlanRecord } from '#features/runs/plan-schemas.ts';
import { runFiles } from '#sandbox/run-files.ts';
import {
  expectStatus,
  createSequences,
  type Builders,
  type ExperimentBody,
  type Invoiced,
} from './builders.ts';
import { getText, type TestService } from './service.ts';
import { createSharedTraces, encodeFile, type EncodedFile } from './shared-files.ts';
import { planTestRun, insertTestRun } from './stored-runs.ts';

export interface ByHand {
  /** Paid, with its materials in the lab. */
  readonly createQueued: (body?: ExperimentBody) => Promise<Invoiced>;
  /** Its run started by hand. */
  readonly createRunning: (body?: ExperimentBody) => Promise<Invoiced>;
  /** With one raw file of its one sequence. */
  readonly createRecorded: (body?: ExperimentBody) => Promise<Invoiced>;
  /** The body that stores a run over one queued experiment. */
  readonly planQueued: () => ReturnType<typeof planTestRun>;
  /** The id of a planned run over one queued experiment. */
  readonly createStoredRun: () => Promise<string>;
  /** A started run over one queued experiment; `file` has its only plate. */
  readonly createStartedRun: () => Promise<{ readonly id: string; readonly file: EncodedFile }>;
  /** The id of a started run with the file of its plate. */
  readonly createRecordedRun: () => Promise<string>;
  /** Analyzed, and not released. */
  readonly createReviewed: (body?: ExperimentBody) => Promise<Invoiced>;
  /** Reviewed and released by people, while the simulated lab rests. */
  readonly createReleasedByHand: (body?: ExperimentBody) => Promise<Invoiced>;
  /** Released, with another analysis that waits for review. */
  readonly createPending: (body?: ExperimentBody) => Promise<Invoiced>;
}

type Named = Readonly<Record<string, string>>;

/** The simulated plate has one replicate, and orders have three. */
export const SHORT = { reason: 'One replicate is enough for a test.' };

/** The body of a step, with the reason where it may need one. */
export const withShortReason = (step: string, body: unknown): unknown =>
  isRecord(body) && (step === 'complete' || step === 'release') ? { ...SHORT, ...body } : body;

/** The plate that `createRawFile` records. */
export const PLATE = 'P1';

const recorded = new Map<string, EncodedFile>();

/** The body that brings the first plate of a screening, or another experiment, of these sequences. */
export function createRawFile(
  named: Named,
  experimentType: 'affinity' | 'screening' = 'screening',
  name?: string,
): EncodedFile {
  // The simulated instrument measures the same sequences alike.
  const key = JSON.stringify([experimentType, named]);
  const file = recorded.get(key) ?? recordFirstPlate(named, experimentType);
  recorded.set(key, file);
  return { ...file, name: name ?? file.name };
}

function recordFirstPlate(named: Named, experimentType: 'affinity' | 'screening'): EncodedFile {
  const [plate] = runFiles({
    experimentCode: 'HAND-001',
    experimentType,
    method: 'bli',
    target: { id: 'by hand', name: 'antigen' },
    sequences: Object.entries(named).map(([key, aaString]) => ({
      id: key,
      name: key,
      aaString,
      isControl: false,
    })),
    nReplicates: experimentType === 'affinity' ? 2 : 1,
    options: { force: 'binder' },
  });
  if (plate === undefined) throw new Error('nothing was recorded');
  return encodeFile(plate.fileName, plate.bytes);
}

export function createByHandBuilders(
  { ask, service }: Pick<TestService, 'ask' | 'service'>,
  { createPaid, createPaidAsOrdered }: Pick<Builders, 'createPaid' | 'createPaidAsOrdered'>,
): ByHand {
  const step = async (
    experiment: Invoiced,
    path: string,
    body: unknown,
    status: number,
  ): Promise<Invoiced> => {
    expectStatus(await ask('POST', `/lab/experiments/${experiment.id}/${path}`, { body }), status);
    return experiment;
  };
  const receive = (paid: Invoiced) => step(paid, 'materials', {}, 200);
  const createQueued = async (body?: ExperimentBody) => receive(await createPaidAsOrdered(body));
  const createRunning = async (body?: ExperimentBody) =>
    step(await createQueued(body), 'runs', { instrument: 'Octet R8' }, 201);
  const createRecorded = async (body?: ExperimentBody) =>
    step(await createRunning(body), 'files', createRawFile(createSequences(1)), 201);
  const createReviewed = async (body?: ExperimentBody) => {
    const experiment = await step(await createRecorded(body), 'complete', SHORT, 200);
    while ((await service.worker.runDue()) > 0);
    const { body: detail } = await ask('GET', `/experiments/${experiment.id}`);
    if (getText(detail.status) !== 'in_review')
      throw new Error(`not in review but ${getText(detail.status)}`);
    return experiment;
  };
  const createReleasedByHand = async (body?: ExperimentBody) =>
    step(await createReviewed(body), 'release', SHORT, 200);
  const createPending = async (body?: ExperimentBody) => {
    const experiment = await createReleasedByHand(body);
    await step(experiment, 'reanalyze', { reason: 'again' }, 201);
    while ((await service.worker.runDue()) > 0);
    return experiment;
  };
  // A plan has a well for each replicate.
  const planQueued = async () => planTestRun(ask, [(await receive(await createPaid())).code]);
  const createStoredRun = async () => insertTestRun(ask, [(await receive(await createPaid())).code]);
  const createStartedRun = async () => {
    const id = await createStoredRun();
    const { plan, code } = expectStatus(await ask('POST', `/lab/runs/${id}/start`, { body: {} }), 200).body;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a plan as the service answers it
    const bytes = createSharedTraces(plan as unknown as PlanRecord, { salt: getText(code) });
    return { id, file: encodeFile('P1.csv', bytes) };
  };
  const createRecordedRun = async () => {
    const { id, file } = await createStartedRun();
    expectStatus(await ask('POST', `/lab/runs/${id}/raw-files`, { body: file }), 201);
    return id;
  };
  return {
    createStartedRun,
    createRecordedRun,
    createQueued,
    createRunning,
    createRecorded,
    createReviewed,
    createReleasedByHand,
    createPending,
    planQueued,
    createStoredRun,
  };
}
