import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { deleteExperiment as operation } from './contract.ts';
import { deleteExperiment as removeExperiment, lockExperiment } from './store.ts';
import { describeStatus } from '../updates/details.ts';
import { addUpdate } from './transition-experiment.ts';

/** `DELETE /experiments/{experiment_id}`: removes a draft; its updates and the audit entry remain. */
export async function deleteExperiment(input: Input<typeof operation>, context: WriteContext) {
  const scope = getScope(context.principal);
  const experiment = await lockExperiment(scope, context.tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  if (experiment.status !== 'draft') throw fail('experiment_deletion_refused', { status: experiment.status });
  await removeExperiment(scope, context.tx, experiment.id);
  await addUpdate(context, context.tx, experiment, {
    event: 'experiment.deleted',
    name: 'Draft deleted',
    details: describeStatus(experiment.status, null),
  });
  return null;
}
