/** Steps of the lab that people take by hand; in a sandbox the simulated lab goes on where no run was started by hand. */
import type { Work, WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { labScope, organizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { lockExperiment, type ExperimentRow } from '#domain/experiments/store.ts';
import { findInvoiceOfExperiment } from '#domain/invoices/store.ts';
import type * as operations from '#domain/lab/run-contract.ts';
import { completeRun, insertRun, latestRun, rawFilesOfRun, setRunProblem } from '#domain/lab/store.ts';
import { advance, announce } from '../experiments/advance-experiment.ts';
import { askForAnalysis } from './analyse-run.ts';
import { releaseExperiment } from './analyse-experiment.ts';
import { runInfo } from './run-info.ts';
import { checkedSettings } from './reanalyse-experiment.ts';
import { scheduleLab } from './schedule-lab.ts';

async function locked(context: WriteContext, idOrCode: string): Promise<ExperimentRow> {
  const experiment = await lockExperiment(labScope, context.tx, idOrCode);
  if (experiment === undefined) throw fail('experiment_not_found');
  context.concern(experiment.organization_id);
  return experiment;
}

function moved(experiment: ExperimentRow, status: ExperimentStatus) {
  return {
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    previous_status: experiment.status,
    status,
  };
}

/** Materials are in the lab: the experiment waits for its run. */
export async function materialsArrived(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
): Promise<ExperimentRow> {
  return advance(work, tx, organizationScope(experiment.organization_id), experiment, {
    trigger: 'receive_materials',
    actor: 'lab',
    attempt: 'receive materials',
    description:
      experiment.target_id === null
        ? 'Gene fragments are in the lab.'
        : 'Gene fragments and antigen are in the lab.',
  });
}

export async function receiveMaterials(
  input: Input<typeof operations.receiveMaterials>,
  context: WriteContext,
) {
  const experiment = await locked(context, input.params.experiment_id);
  const after = await materialsArrived(context, context.tx, experiment);
  await scheduleLab(context, context.tx, after);
  return moved(experiment, after.status);
}

/** Starts the run of an experiment that waits for one, or repeats the run of one in review. */
export async function startRun(input: Input<typeof operations.startRun>, context: WriteContext) {
  const { tx } = context;
  const { instrument, override_reason: reason = null } = input.body;
  const experiment = await locked(context, input.params.experiment_id);
  const scope = organizationScope(experiment.organization_id);
  const trigger = experiment.status === 'in_review' ? 'repeat_run' : 'start_run';
  const after = await advance(context, tx, scope, experiment, {
    trigger,
    actor: 'lab',
    attempt: 'be started',
    description: `On ${instrument}.`,
  });
  const invoice = await findInvoiceOfExperiment(scope, tx, experiment.id);
  const isPaid = invoice?.status === 'paid';
  // What is in review was paid for, or overridden, when its first run started.
  const needsOverride = !isPaid && trigger === 'start_run';
  if (needsOverride && reason === null) throw fail('run_not_paid', { status: invoice?.status ?? 'missing' });
  const previous = await latestRun(scope, tx, experiment.id);
  await insertRun(scope, tx, {
    id: context.ids.uuid(),
    experimentId: experiment.id,
    ordinal: (previous?.ordinal ?? 0) + 1,
    instrument,
    startedAt: context.clock.now(),
    byHand: true,
    overrideReason: needsOverride ? reason : null,
  });
  const run = await latestRun(scope, tx, experiment.id);
  return { ...moved(experiment, after.status), run: runInfo(run) };
}

export async function completeRawData(
  input: Input<typeof operations.completeRawData>,
  context: WriteContext,
) {
  const { tx } = context;
  const experiment = await locked(context, input.params.experiment_id);
  const scope = organizationScope(experiment.organization_id);
  const run = await latestRun(scope, tx, experiment.id);
  if (experiment.status !== 'in_production' || run === undefined)
    throw fail('move_not_allowed', { status: experiment.status, action: 'complete its raw data' });
  if (!run.by_hand) throw fail('run_not_by_hand');
  const files = await rawFilesOfRun(scope, tx, run.id);
  if (files.length === 0) throw fail('run_without_files');
  const settings = checkedSettings(context, experiment, input.body?.settings);
  await completeRun(scope, tx, run.id, context.clock.now());
  const counted = files.length === 1 ? '1 raw file' : `${files.length} raw files`;
  const after = await advance(context, tx, scope, experiment, {
    trigger: 'complete_raw_data',
    actor: 'lab',
    attempt: 'complete its raw data',
    description: `${counted} recorded on ${run.instrument}.`,
  });
  await askForAnalysis(context, tx, experiment, { runId: run.id, settings });
  return moved(experiment, after.status);
}

export async function releaseByStaff(input: Input<typeof operations.releaseResults>, context: WriteContext) {
  const experiment = await locked(context, input.params.experiment_id);
  const after = await releaseExperiment(context, context.tx, experiment);
  return moved(experiment, after.status);
}

/** Analyses the run again before anything is released: from review, or after an analysis that could not be made. */
export async function sendBack(input: Input<typeof operations.sendBack>, context: WriteContext) {
  const { tx } = context;
  const experiment = await locked(context, input.params.experiment_id);
  const scope = organizationScope(experiment.organization_id);
  const run = await latestRun(scope, tx, experiment.id);
  const settings = checkedSettings(context, experiment, input.body.settings);
  const isStopped = experiment.status === 'data_analysis' && run !== undefined && run.problem !== null;
  const { reason: description } = input.body;
  if (isStopped)
    await announce(context, tx, experiment, { type: 'progress', name: 'Analysed again', description });
  else
    await advance(context, tx, scope, experiment, {
      trigger: 'send_back',
      actor: 'lab',
      attempt: 'be sent back to analysis',
      description,
    });
  if (run === undefined) throw new Error(`${experiment.code} is in review without a run`);
  await setRunProblem(scope, tx, run.id, null);
  await askForAnalysis(context, tx, experiment, { runId: run.id, settings });
  return moved(experiment, 'data_analysis');
}
