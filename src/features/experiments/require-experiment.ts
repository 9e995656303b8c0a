import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { getScope } from '#core/principal.ts';
import { findExperiment, type ExperimentRow } from './store.ts';

/** Throws `experiment_not_found`. */
export async function requireExperiment(context: ReadContext, idOrCode: string): Promise<ExperimentRow> {
  const experiment = await findExperiment(getScope(context.principal), context.sql, idOrCode);
  if (experiment === undefined) throw fail('experiment_not_found');
  return experiment;
}
