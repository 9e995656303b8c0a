/** What the steps that staff take by hand share. */
import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { labScope } from '#core/scope.ts';
import { lockExperiment, type ExperimentRow } from '../../experiments/store.ts';

/**
 * Locks an experiment of any organization until the transaction ends, and names its organization for the audit trail.
 * Throws `experiment_not_found`.
 */
export async function holdExperiment(context: WriteContext, idOrCode: string): Promise<ExperimentRow> {
  const experiment = await lockExperiment(labScope, context.tx, idOrCode);
  if (experiment === undefined) throw fail('experiment_not_found');
  context.setAuditOrganization(experiment.organization_id);
  return experiment;
}

/** Builds the answer of an operation that moved an experiment. */
export function describeMove(experiment: ExperimentRow, status: ExperimentStatus) {
  return {
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    previous_status: experiment.status,
    status,
  };
}
