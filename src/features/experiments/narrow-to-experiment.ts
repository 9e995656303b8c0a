import type { ReadContext } from '#core/context.ts';
import { getScope } from '#core/principal.ts';
import { findExperiment } from './store.ts';

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
