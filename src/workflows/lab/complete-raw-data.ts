import type { WriteContext } from '#core/context.ts';
import { formatCount } from '#core/counts.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { selectRawFilesOfRun } from '#domain/lab/raw-file-store.ts';
import type { completeRawData as operation } from '#domain/lab/run-contract.ts';
import { completeRun, selectLatestRun } from '#domain/lab/store.ts';
import { transitionExperiment } from '../experiments/transition-experiment.ts';
import { askForAnalysis } from './analyze-experiment.ts';
import { describeMove, holdExperiment } from './lab-step.ts';
import { checkSettings } from './reanalyze-experiment.ts';

/**
 * `POST /lab/experiments/{experiment_id}/complete`: closes the current run, whose raw data are
 * complete, and asks for its analysis.
 */
export async function completeRawData(input: Input<typeof operation>, context: WriteContext) {
  const { tx } = context;
  const experiment = await holdExperiment(context, input.params.experiment_id);
  const scope = createOrganizationScope(experiment.organization_id);
  const run = await selectLatestRun(scope, tx, experiment.id);
  if (experiment.status !== 'in_production' || run === undefined)
    throw fail('move_not_allowed', { status: experiment.status, action: 'complete its raw data' });
  if (!run.by_hand) throw fail('run_not_by_hand');
  const files = await selectRawFilesOfRun(scope, tx, run.id);
  // A run that repeats replicates may end without any: what was measured before is analyzed without them.
  if (files.length === 0 && !run.adds_to_earlier) throw fail('run_without_files');
  const settings = await checkSettings(context, experiment, input.body?.settings);
  await completeRun(scope, tx, run.id, context.clock.now());
  const counted = formatCount(files.length, 'raw file');
  const after = await transitionExperiment(context, tx, scope, experiment, {
    trigger: 'complete_raw_data',
    actor: 'lab',
    action: 'complete its raw data',
    description: `${counted} recorded on ${run.instrument}.`,
  });
  await askForAnalysis(context, tx, experiment, { runId: run.id, settings });
  return describeMove(experiment, after.status);
}
