import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { Answer, type Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { getLabResultPlot as operation } from '../results/lab-contract.ts';
import { findCurves } from '../results/store.ts';
import { drawResult } from '#assays/shown-registry.ts';
import { writeSvg } from '#presentation/svg.ts';
import { requireLabResult } from './lab-results.ts';

/** `GET /lab/experiments/{experiment_id}/results/{result_id}/plot.svg`. */
export async function getLabResultPlot(
  input: Input<typeof operation>,
  context: ReadContext,
): Promise<Answer> {
  await requireLabResult(context, input.params);
  const curves = await findCurves(labScope, context.sql, input.params.result_id);
  if (curves === undefined) throw fail('result_not_found');
  return new Answer(200, writeSvg(drawResult(curves)), { 'content-type': 'image/svg+xml; charset=utf-8' });
}
