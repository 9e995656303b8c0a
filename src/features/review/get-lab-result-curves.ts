import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { getLabResultCurves as operation } from '../results/lab-contract.ts';
import { findCurves } from '../results/store.ts';
import { writeCurves } from '../results/get-result-curves.ts';
import { requireLabResult } from './lab-results.ts';

/** `GET /lab/experiments/{experiment_id}/results/{result_id}/curves`. */
export async function getLabResultCurves(input: Input<typeof operation>, context: ReadContext) {
  await requireLabResult(context, input.params);
  const curves = await findCurves(labScope, context.sql, input.params.result_id);
  if (curves === undefined) throw fail('result_not_found');
  return writeCurves(curves, input);
}
