/** The experiment that a request names. */
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

const NOBODY = '00000000-0000-0000-0000-000000000000';

/** A list for an unknown experiment is empty, not an error. */
export async function narrowToExperiment(
  context: ReadContext,
  idOrCode: string | undefined,
): Promise<string | null> {
  if (idOrCode === undefined) return null;
  const experiment = await findExperiment(getScope(context.principal), context.sql, idOrCode);
  return experiment?.id ?? NOBODY;
}
