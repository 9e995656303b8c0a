import type { Work, WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import type { ExperimentRow } from '#domain/experiments/store.ts';
import type { receiveMaterials as operation } from '#domain/lab/run-contract.ts';
import { transitionExperiment } from '../experiments/transition-experiment.ts';
import { describeMove, holdExperiment } from './lab-step.ts';
import { scheduleLab } from './schedule-lab.ts';

/** Records that the materials are in the lab: the experiment waits for its run. */
export async function markMaterialsArrived(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
): Promise<ExperimentRow> {
  return transitionExperiment(work, tx, createOrganizationScope(experiment.organization_id), experiment, {
    trigger: 'receive_materials',
    actor: 'lab',
    attempt: 'receive materials',
    description:
      experiment.target_id === null
        ? 'Gene fragments are in the lab.'
        : 'Gene fragments and antigen are in the lab.',
  });
}

export async function receiveMaterials(input: Input<typeof operation>, context: WriteContext) {
  const experiment = await holdExperiment(context, input.params.experiment_id);
  const after = await markMaterialsArrived(context, context.tx, experiment);
  await scheduleLab(context, context.tx, after);
  return describeMove(experiment, after.status);
}
