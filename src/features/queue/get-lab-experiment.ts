import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { getLabExperiment as operation } from './contract.ts';
import { findLabExperiment } from './store.ts';

/**
 * `GET /lab/experiments/{experiment_id}`: an experiment of any organization with its money, runs, results,
 * history and notes.
 */
export async function getLabExperiment(input: Input<typeof operation>, context: ReadContext) {
  const { experiment_id: idOrCode } = input.params;
  const experiment = await findLabExperiment(labScope, context.sql, idOrCode, context.site.baseUrl);
  if (experiment === undefined) throw fail('experiment_not_found');
  return experiment;
}
