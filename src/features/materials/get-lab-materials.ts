import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import { findExperiment } from '../experiments/store.ts';
import type { getLabMaterials as operation } from './contract.ts';
import { selectMaterials } from './store.ts';
import { describeMaterials, readAntigenStock } from './materials-record.ts';

/** `GET /lab/experiments/{experiment_id}/materials`. */
export async function getLabMaterials(input: Input<typeof operation>, { sql, clock }: ReadContext) {
  const experiment = await findExperiment(labScope, sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const materials = await selectMaterials(labScope, sql, [experiment.id]);
  const stock = await readAntigenStock(sql, experiment);
  return describeMaterials(experiment, materials, { stock, at: clock.now() });
}
