import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { diffLabResults as operation } from '../results/lab-contract.ts';
import { compareVersions } from '../results/diff-results.ts';
import { requireLabResult } from './lab-results.ts';

/** `GET /lab/experiments/{experiment_id}/results/{result_id}/diff`. */
export async function diffLabResults(input: Input<typeof operation>, context: ReadContext) {
  await requireLabResult(context, input.params);
  return compareVersions(labScope, context.sql, {
    resultId: input.params.result_id,
    against: input.query.against,
  });
}
