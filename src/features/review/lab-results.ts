/** Finds results for the lab, released or not: the addresses name the experiment, so a result of another is unknown. */
import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { labScope } from '#core/scope.ts';
import { findExperiment, type ExperimentRow } from '../experiments/store.ts';
import { selectExperimentOfResult } from '../results/store.ts';

/** Throws `experiment_not_found`. */
export async function requireLabExperiment(
  { sql }: Pick<ReadContext, 'sql'>,
  idOrCode: string,
): Promise<ExperimentRow> {
  const experiment = await findExperiment(labScope, sql, idOrCode);
  if (experiment === undefined) throw fail('experiment_not_found');
  return experiment;
}

/** Returns the experiment of the result, which has to be the named one. Throws `result_not_found`. */
export async function requireLabResult(
  context: Pick<ReadContext, 'sql'>,
  { experiment_id: idOrCode, result_id: resultId }: { experiment_id: string; result_id: string },
): Promise<ExperimentRow> {
  const experiment = await requireLabExperiment(context, idOrCode);
  const owner = await selectExperimentOfResult(labScope, context.sql, resultId);
  if (owner !== experiment.id) throw fail('result_not_found');
  return experiment;
}
