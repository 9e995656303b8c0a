/** The operations of materials, each with what carries it out. */
import { bindRead, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import { neededFields } from './list-fields.ts';
import { formatDay } from './rules.ts';
import { listNeededPage, selectMaterials } from './store.ts';
import { LAB_LIST, parseList } from '#core/parse-list.ts';
import { fail } from '#core/failures.ts';
import { findExperiment } from '../experiments/store.ts';
import { describeMaterials, readAntigenStock } from './materials-record.ts';

export const materialsOperations: readonly Binding[] = [
  bindRead(contract.listLabMaterials, listLabMaterials),
  bindRead(contract.getLabMaterials, getLabMaterials),
];

/** `GET /lab/materials`. */
function listLabMaterials(
  input: Input<typeof contract.listLabMaterials>,
  context: ReadContext,
): Promise<RawJson> {
  const query = parseList(context, neededFields, input.query, [], LAB_LIST);
  return listNeededPage(labScope, context.sql, query, formatDay(context.clock.now()));
}

/** `GET /lab/experiments/{experiment_id}/materials`. */
async function getLabMaterials(input: Input<typeof contract.getLabMaterials>, { sql, clock }: ReadContext) {
  const experiment = await findExperiment(labScope, sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const materials = await selectMaterials(labScope, sql, [experiment.id]);
  const stock = await readAntigenStock(sql, experiment);
  return describeMaterials(experiment, materials, { stock, at: clock.now() });
}
