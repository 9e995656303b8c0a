/** The operations of the step "analyze", each with what carries it out. */
import { bindOutward, bindWrite, type Binding } from '#features/binding.ts';
import * as runsFileContract from '#features/runs/file-contract.ts';
import * as runsRawFilesRunContract from '#features/runs/raw-files/run-contract.ts';
import * as reviewContract from '#features/review/contract.ts';
import * as runsRawFilesContract from '#features/runs/raw-files/contract.ts';
import { completeLabRun } from './complete-lab-run.ts';
import { completeRawData } from './complete-raw-data.ts';
import { decideReplicates } from './decide-replicates.ts';
import { reanalyzeExperiment } from './reanalyze-experiment.ts';
import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { selectLatestRun, setRunProblem } from '#features/runs/raw-files/store.ts';
import { transitionExperiment, addUpdate } from '#features/experiments/transition-experiment.ts';
import { logReview } from '#features/review/review-log.ts';
import { askForAnalysis } from './analyze-experiment.ts';
import { describeMove, holdExperiment } from '#features/runs/raw-files/lab-step.ts';
import { checkSettings } from './reanalyze-experiment.ts';

export const analyzeOperations: readonly Binding[] = [
  bindOutward(runsFileContract.completeLabRun, completeLabRun),
  bindOutward(runsRawFilesRunContract.completeRawData, completeRawData),
  bindWrite(runsRawFilesRunContract.sendExperimentBack, sendExperimentBack),
  bindWrite(reviewContract.decideReplicates, decideReplicates),
  bindWrite(runsRawFilesContract.reanalyzeExperiment, reanalyzeExperiment),
];

/**
 * `POST /lab/experiments/{experiment_id}/send-back`: has the run analyzed again before anything is released, from review
 * or after an analysis that failed.
 */
async function sendExperimentBack(
  input: Input<typeof runsRawFilesRunContract.sendExperimentBack>,
  context: WriteContext,
) {
  const { tx } = context;
  const experiment = await holdExperiment(context, input.params.experiment_id);
  const scope = createOrganizationScope(experiment.organization_id);
  const run = await selectLatestRun(scope, tx, experiment.id);
  const settings = await checkSettings(context, experiment, input.body.settings);
  const isStopped = experiment.status === 'data_analysis' && run !== undefined && run.problem !== null;
  const { reason: description } = input.body;
  if (isStopped)
    await addUpdate(context, tx, experiment, {
      event: 'analysis.repeated',
      name: 'Analyzed again',
      description,
      actor: 'lab',
    });
  else
    await transitionExperiment(context, tx, scope, experiment, {
      trigger: 'send_back',
      actor: 'lab',
      action: 'be sent back to analysis',
      description,
    });
  await logReview(context, tx, experiment, context.principal, {
    action: 'sent_back',
    version: null,
    reason: description,
  });
  if (run === undefined) throw new Error(`${experiment.code} is in review without a run`);
  await setRunProblem(scope, tx, run.id, null);
  await askForAnalysis(context, tx, experiment, { runId: run.id, settings });
  return describeMove(experiment, 'data_analysis');
}
