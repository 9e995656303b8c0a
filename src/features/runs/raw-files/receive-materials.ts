import type { Work, WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import type { ExperimentRow } from '../../experiments/store.ts';
import type { receiveMaterials as operation } from './run-contract.ts';
import { putMaterials, selectMaterials } from '../../materials/store.ts';
import { transitionExperiment } from '../../experiments/transition-experiment.ts';
import { describeMove, holdExperiment } from './lab-step.ts';
import { scheduleLab } from './schedule-lab.ts';

/** Moves an experiment whose materials are all in the lab: it waits for its run. */
export async function moveToQueue(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
): Promise<ExperimentRow> {
  return transitionExperiment(work, tx, createOrganizationScope(experiment.organization_id), experiment, {
    trigger: 'receive_materials',
    actor: 'lab',
    action: 'receive materials',
    description:
      experiment.target_id === null
        ? 'Gene fragments are in the lab.'
        : 'Gene fragments and antigen are in the lab.',
  });
}

/** Marks every material that is not in the lab yet as received, and moves the experiment. */
export async function markMaterialsArrived(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
  recordedBy: string,
): Promise<ExperimentRow> {
  const next = await moveToQueue(work, tx, experiment);
  const materials = await selectMaterials(labScope, tx, [experiment.id]);
  const arrived = materials
    .filter(({ status }) => status === 'missing' || status === 'ordered')
    .map((material) => ({ ...material, status: 'received' as const }));
  const of = { experiment_id: experiment.id, recorded_by: recordedBy, at: work.clock.now() };
  await putMaterials(createOrganizationScope(experiment.organization_id), tx, of, arrived);
  return next;
}

/** `POST /lab/experiments/{experiment_id}/materials`: records that all materials of an experiment are in the lab. */
export async function receiveMaterials(input: Input<typeof operation>, context: WriteContext) {
  const experiment = await holdExperiment(context, input.params.experiment_id);
  const after = await markMaterialsArrived(context, context.tx, experiment, context.principal.userEmail);
  await scheduleLab(context, context.tx, after);
  return describeMove(experiment, after.status);
}
