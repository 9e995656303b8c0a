/**
 * The simulated lab: it takes the same steps as people, through the same workflows, and records raw files.
 * This folder: the simulated lab, which drives the same workflows. Not here: anything that a live service runs.
 */
import type { Blobs } from '#core/blobs.ts';
import type { Work } from '#core/context.ts';
import { formatCount } from '#core/words.ts';
import { experimentStatuses, isTerminal, type ExperimentStatus } from '#core/lifecycle.ts';
import { labScope, createOrganizationScope, type OrganizationScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import { findExperiment, lockExperiment, type ExperimentRow } from '#features/experiments/store.ts';
import { findInvoiceOfExperiment } from '#features/invoices/store.ts';
import { putRawFiles, type NewRawFile } from '#features/runs/raw-files/raw-file-store.ts';
import { completeRun, insertRun, selectLatestRun, type RunRow } from '#features/runs/raw-files/store.ts';
import { selectSequencesOfExperiment } from '#features/sequences/store.ts';
import { findKeptTarget } from '#features/targets/store.ts';
import { transitionExperiment, addUpdate } from '#features/experiments/transition-experiment.ts';
import { chooseLab } from '#features/runs/raw-files/get-simulated-lab.ts';
import { analyzeRun, recordFailedAnalysis } from '#workflows/analyze/analyze-experiment.ts';
import { finalize } from '#workflows/pay/finalize-invoice.ts';
import { markMaterialsArrived } from '#features/runs/raw-files/receive-materials.ts';
import { recordChange } from '#features/audit/record-change.ts';
import type { AnalysisPorts } from '#features/runs/raw-files/compute-results.ts';
import { releaseExperiment } from '#workflows/release/release-results.ts';
import { SANDBOX_STEP, scheduleLab } from '#features/runs/raw-files/schedule-lab.ts';
import { chooseFaultyTurn, hasLaterFault, type Turn } from './faults.ts';
import { findRepeated, isReviewedByPeople } from './review-faults.ts';
import { buildSimulationOptions } from './models/options.ts';
import type { SimulatedPlate } from './models/plates.ts';
import { findSimulatedAssay } from '#assays/simulated.ts';
import type { RunRequest } from '#assays/simulated-assay.ts';

export interface LabPorts extends AnalysisPorts {
  readonly database: Database;
  readonly blobs: Blobs;
  /** Simulates the plates of an experiment, off the thread that serves requests. */
  readonly simulate: (
    request: RunRequest,
    onPlate: (plate: SimulatedPlate) => Promise<void>,
  ) => Promise<void>;
}

export interface LabStep {
  readonly experiment_id: string;
  readonly status: ExperimentStatus;
}

/** Reads the payload of a job. */
export function parseLabStep(payload: Readonly<Record<string, unknown>>): LabStep {
  const status = experimentStatuses.find((known) => known === payload.status);
  if (status === undefined) throw new Error('a lab step without a known status');
  return { experiment_id: String(payload.experiment_id), status };
}

/** Statuses that a simulated run goes through by itself, even while people play the lab. */
const RECORDING: ReadonlySet<ExperimentStatus> = new Set(['in_production', 'data_analysis']);

/** Takes the step that follows `step.status`; does nothing when the experiment has moved on. */
export async function takeLabStep(work: Work, ports: LabPorts, step: LabStep): Promise<void> {
  const experiment = await findExperiment(labScope, ports.database.read, step.experiment_id);
  if (experiment === undefined || experiment.status !== step.status) return;
  // A run that people started is also completed by people.
  const run = await selectLatestRun(labScope, ports.database.read, experiment.id);
  if (run?.by_hand === true) return;
  const isManual = (await chooseLab(ports.database.read, experiment)) === 'manual';
  if (isManual && !RECORDING.has(step.status)) return;
  if (REVIEWED.has(step.status) && (await isReviewedByPeople(ports.database.read, experiment))) return;
  const faulty = await chooseFaultyTurn(work, ports.database.read, experiment, run);
  if (faulty !== undefined) return runInTurn(work, ports, step, leaveToPeople(faulty));
  switch (step.status) {
    case 'waiting_for_materials':
      return runInTurn(work, ports, step, (tx, scope, current) => receiveMaterials(work, tx, scope, current));
    case 'in_queue':
      return runInTurn(work, ports, step, (tx, scope, current) => startRun(work, tx, scope, current));
    case 'in_production':
      return recordRun(work, ports, experiment);
    case 'data_analysis':
      if (run === undefined) throw new Error(`${experiment.code} has no run to analyze`);
      return analyzeRun(work, ports, { experiment, run });
    case 'in_review':
      return runInTurn(
        work,
        ports,
        step,
        leaveToPeople((tx, _scope, current) => releaseExperiment(work, tx, current)),
      );
    default:
      return;
  }
}

/** Statuses in which a review may go on. */
const REVIEWED: ReadonlySet<ExperimentStatus> = new Set(['in_review', 'done']);

/** A review that people began is also ended by people. Somebody may have begun since the step was chosen. */
function leaveToPeople(turn: Turn): Turn {
  return async (tx, scope, current) =>
    REVIEWED.has(current.status) && (await isReviewedByPeople(tx, current))
      ? undefined
      : turn(tx, scope, current);
}

/**
 * Runs one transaction over the locked experiment; the status it reaches decides when the lab takes the next step.
 */
async function runInTurn(work: Work, ports: LabPorts, step: LabStep, turn: Turn): Promise<void> {
  await ports.database.runTransaction(async (tx) => {
    const current = await lockExperiment(labScope, tx, step.experiment_id);
    if (current === undefined || current.status !== step.status) return;
    const next = await turn(tx, createOrganizationScope(current.organization_id), current);
    await recordStep(work, tx, current, next ?? current);
    if (next === undefined) return;
    if (!isTerminal(next.status) || (next.status === 'done' && hasLaterFault(next)))
      await scheduleLab(work, tx, next);
  });
}

async function recordStep(
  work: Work,
  tx: Transaction,
  from: ExperimentRow,
  to: ExperimentRow,
): Promise<void> {
  await recordChange(work, tx, createOrganizationScope(from.organization_id), {
    actorKind: 'worker',
    actor: 'simulated lab',
    operation: SANDBOX_STEP,
    subject: from.id,
    details: { from: from.status, to: to.status },
  });
}

async function receiveMaterials(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  experiment: ExperimentRow,
): Promise<ExperimentRow> {
  const invoice = await findInvoiceOfExperiment(scope, tx, experiment.id);
  // The simulated staff sends the invoice that an automatic acceptance left as a draft.
  if (invoice?.status === 'draft') await finalize({ ...work, tx }, scope, experiment, invoice);
  return markMaterialsArrived(work, tx, experiment, 'simulated lab');
}

/** A run starts when it is paid for; until then the payment itself calls the lab back. What is not simulated is left to people. */
async function startRun(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  experiment: ExperimentRow,
): Promise<ExperimentRow | undefined> {
  const invoice = await findInvoiceOfExperiment(scope, tx, experiment.id);
  if (invoice?.status !== 'paid') {
    const number = invoice?.invoice_number ?? 'the invoice';
    const name = 'Waiting for payment';
    await addUpdate(work, tx, experiment, {
      event: 'run.waiting_for_payment',
      actor: 'lab',
      name,
      description: `The run starts when ${number} is paid.`,
    });
    return undefined;
  }
  const assay = findSimulatedAssay(experiment.experiment_type);
  if (assay === undefined) {
    await addUpdate(work, tx, experiment, {
      event: 'run.waiting_for_lab',
      actor: 'lab',
      name: 'Waiting for the lab',
      description: `The simulated lab does not measure ${experiment.experiment_type}; people start the run.`,
    });
    return undefined;
  }
  const previous = await selectLatestRun(scope, tx, experiment.id);
  await insertRun(scope, tx, {
    id: work.ids.createUuid(),
    experiment_id: experiment.id,
    ordinal: (previous?.ordinal ?? 0) + 1,
    instrument: assay.nameInstrument(experiment.method),
    started_at: work.clock.now(),
    by_hand: false,
    override_reason: null,
  });
  return transitionExperiment(work, tx, scope, experiment, {
    trigger: 'start_run',
    actor: 'lab',
    action: 'be started',
  });
}

/** Records every plate as a raw file, then passes the run to analysis. */
async function recordRun(work: Work, ports: LabPorts, experiment: ExperimentRow): Promise<void> {
  const scope = createOrganizationScope(experiment.organization_id);
  const run = await selectLatestRun(scope, ports.database.read, experiment.id);
  if (run === undefined) throw new Error(`${experiment.code} is in production without a run`);
  const files: NewRawFile[] = [];
  const repeated = await findRepeated(ports.database.read, experiment, run);
  await ports.simulate(await loadRequest(ports, scope, experiment, { run, repeated }), async (plate) => {
    const sha256 = await ports.blobs.put(plate.bytes);
    files.push({
      id: work.ids.createUuid(),
      name: plate.fileName,
      sha256,
      sizeBytes: plate.bytes.length,
      understood: null,
    });
  });
  await ports.database.runTransaction(async (tx) => {
    const current = await lockExperiment(labScope, tx, experiment.id);
    if (current?.status !== 'in_production') return;
    const at = work.clock.now();
    const of = { experiment_id: experiment.id, run_id: run.id, at, uploaded_by: null };
    await putRawFiles(scope, tx, of, files);
    await completeRun(scope, tx, run.id, at);
    const plates = formatCount(files.length, 'plate');
    const next = await transitionExperiment(work, tx, scope, current, {
      trigger: 'complete_raw_data',
      actor: 'lab',
      action: 'complete its raw data',
      description: `${plates} recorded on ${run.instrument}.`,
    });
    await recordStep(work, tx, current, next);
    await scheduleLab(work, tx, next);
  });
}

/** Called when a step was given up: an analysis is told like any other that could not be completed. */
export async function recordFailedStep(work: Work, tx: Transaction, step: LabStep): Promise<void> {
  if (step.status !== 'data_analysis') return;
  const run = await selectLatestRun(labScope, tx, step.experiment_id);
  if (run !== undefined)
    await recordFailedAnalysis(work, tx, { experiment_id: step.experiment_id, run_id: run.id });
}

async function loadRequest(
  ports: LabPorts,
  scope: OrganizationScope,
  experiment: ExperimentRow,
  { run, repeated }: { readonly run: RunRow; readonly repeated: ReadonlySet<string> | undefined },
): Promise<RunRequest> {
  const sql = ports.database.read;
  const target =
    experiment.target_id === null ? undefined : await findKeptTarget(scope, sql, experiment.target_id);
  const sequences = await selectSequencesOfExperiment(scope, sql, experiment.id);
  const request = buildSimulationRequest(
    repeated === undefined ? experiment : { ...experiment, n_replicates: 1 },
    target ?? { id: experiment.id, name: 'custom target' },
    sequences,
    run.ordinal,
  );
  if (repeated === undefined) return request;
  return {
    ...request,
    sequences: request.sequences.filter(({ name }) => repeated.has(name)),
    options: { ...request.options, selectedWith: request.sequences },
  };
}

function buildSimulationRequest(
  experiment: Pick<
    ExperimentRow,
    'code' | 'experiment_type' | 'method' | 'n_replicates' | 'antigen_concentrations_nm' | 'parameters'
  >,
  target: { readonly id: string; readonly name: string },
  sequences: readonly { id: string; name: string; aa_string: string; is_control: boolean }[],
  attempt: number,
): RunRequest {
  return {
    experimentCode: experiment.code,
    experimentType: experiment.experiment_type,
    method: experiment.method ?? 'bli',
    target: { id: target.id, name: target.name },
    sequences: sequences.map(({ id, name, aa_string: aaString, is_control: isControl }) => ({
      id,
      name,
      aaString,
      isControl,
    })),
    nReplicates: experiment.n_replicates,
    options: buildSimulationOptions(experiment.parameters, attempt),
    concentrationsNm: experiment.antigen_concentrations_nm,
  };
}
