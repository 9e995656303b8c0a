import type { ReadContext } from '#core/context.ts';
import { Answer, type Input } from '#core/operation.ts';
import type { getResultPlot as operation } from './contract.ts';
import { drawResult } from '#assays/shown-registry.ts';
import { writeSvg } from '#presentation/svg.ts';
import { requireCurves } from './require-curves.ts';

/** `GET /results/{result_id}/plot.svg`: the curves of a result with their fits and residuals, as SVG. */
export async function getResultPlot(input: Input<typeof operation>, context: ReadContext): Promise<Answer> {
  const curves = await requireCurves(input.params.result_id, context);
  return new Answer(200, writeSvg(drawResult(curves)), { 'content-type': 'image/svg+xml; charset=utf-8' });
}
