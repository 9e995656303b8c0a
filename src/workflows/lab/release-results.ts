import type { Work, WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { setResultsStatus, type ExperimentRow } from '#domain/experiments/store.ts';
import type { releaseResults as operation } from '#domain/lab/run-contract.ts';
import { releaseResults as releaseRows } from '#domain/results/store.ts';
import { transitionExperiment, addUpdate } from '../experiments/transition-experiment.ts';
import { recognizeExperimentRevenue } from '../ledger/recognize-revenue.ts';
import { describeMove, holdExperiment } from './lab-step.ts';

/** Ends the review: results become final and visible to the client. */
export async function releaseExperiment(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
): Promise<ExperimentRow> {
  const scope = createOrganizationScope(experiment.organization_id);
  const released = await releaseRows(scope, tx, experiment.id, work.clock.now());
  await setResultsStatus(scope, tx, experiment.id, 'all');
  await addUpdate(work, tx, experiment, {
    type: 'results',
    name: 'Results available',
    description: `${released} results released.`,
  });
  await recognizeExperimentRevenue(work, tx, experiment);
  return transitionExperiment(work, tx, scope, experiment, {
    trigger: 'release',
    actor: 'lab',
    attempt: 'be released',
  });
}

export async function releaseResults(input: Input<typeof operation>, context: WriteContext) {
  const experiment = await holdExperiment(context, input.params.experiment_id);
  const after = await releaseExperiment(context, context.tx, experiment);
  return describeMove(experiment, after.status);
}
