import type { ReadContext } from '#core/context.ts';
import type { Answer, Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { getLabPlot as operation } from '../results/lab-contract.ts';
import { drawExperimentPlot } from '../results/get-experiment-plot.ts';

/** `GET /lab/experiments/{experiment_id}/plot.svg`. */
export function getLabPlot(input: Input<typeof operation>, context: ReadContext): Promise<Answer> {
  return drawExperimentPlot(labScope, input, context);
}
