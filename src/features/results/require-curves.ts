import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { getScope } from '#core/principal.ts';
import { findCurves } from './store.ts';

/** Throws `result_not_found`. */
export async function requireCurves(resultId: string, context: ReadContext) {
  const curves = await findCurves(getScope(context.principal), context.sql, resultId);
  if (curves === undefined) throw fail('result_not_found');
  return curves;
}
