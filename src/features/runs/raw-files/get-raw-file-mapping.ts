import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import { findExperiment } from '../../experiments/store.ts';
import type { getRawFileMapping as operation } from './mapping-contract.ts';
import { selectMappings } from './mapping-store.ts';
import { selectLatestRun } from './store.ts';

/** `GET /lab/experiments/{experiment_id}/mapping`. */
export async function getRawFileMapping(input: Input<typeof operation>, { sql }: ReadContext) {
  const experiment = await findExperiment(labScope, sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const run = await selectLatestRun(labScope, sql, experiment.id);
  const versions = run === undefined ? [] : await selectMappings(labScope, sql, run.id);
  return {
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    versions: versions.map((version) => ({ ...version, entries: [...version.entries] })),
  };
}
