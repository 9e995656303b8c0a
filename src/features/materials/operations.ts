/** The operations of materials, each with what carries it out. */
import { bindLabList, bindRead, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import { formatDay } from './rules.ts';
import { listNeededPage, selectMaterials } from './store.ts';
import { fail } from '#core/failures.ts';
import { findExperiment } from '../experiments/store.ts';
import { describeMaterials, readAntigenStock } from './materials-record.ts';

export const materialsOperations: readonly Binding[] = [
  bindLabList(contract.listLabMaterials, ({ scope, sql, clock }, query) =>
    listNeededPage(scope, sql, query, formatDay(clock.now())),
  ),
  bindRead(contract.getLabMaterials, getLabMaterials),
];

/** `GET /lab/experiments/{experiment_id}/materials`. */
async function getLabMaterials(input: Input<typeof contract.getLabMaterials>, { sql, clock }: ReadContext) {
  const experiment = await findExperiment(labScope, sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const materials = await selectMaterials(labScope, sql, [experiment.id]);
  const stock = await readAntigenStock(sql, experiment);
  return describeMaterials(experiment, materials, { stock, at: clock.now() });
}
