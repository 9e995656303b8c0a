import type { AuditedReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import { runInSlices } from '#core/slices.ts';
import { findQualityWarnings } from '../experiments/advice.ts';
import { findExperiment } from '../experiments/store.ts';
import type { getLabSequences as operation } from './contract.ts';
import { selectLabSequences } from './store.ts';
import { writeFasta } from '#presentation/data-package/texts.ts';

/**
 * `GET /lab/experiments/{experiment_id}/sequences`: the sequences of an experiment of any organization. The audit trail
 * of that organization records the reading.
 */
export async function getLabSequences(input: Input<typeof operation>, context: AuditedReadContext) {
  const experiment = await findExperiment(labScope, context.sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  context.setAuditOrganization(experiment.organization_id);
  const scope = createOrganizationScope(experiment.organization_id);
  const rows = await selectLabSequences(scope, context.sql, experiment.id);
  const sequences = rows.map(({ name, aa_string: aaString, is_control: isControl, metadata }) => ({
    name,
    aaString,
    isControl,
    metadata,
  }));
  return {
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    sequences: rows,
    fasta: writeFasta(sequences),
    warning_groups: await runInSlices(findQualityWarnings(sequences)),
  };
}
