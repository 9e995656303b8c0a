import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { Answer, type Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import { findExperiment } from '#domain/experiments/store.ts';
import type { getExperimentPlot } from '#domain/results/experiment-plot.ts';
import { platesSvg } from '#domain/results/plots/plates.ts';
import { rankingSvg } from '#domain/results/plots/ranking.ts';
import { rankedResults } from '#domain/results/ranking-store.ts';

const RANKED_MAX = 100;
/** Ten plates of 96 wells. */
const WELLS_MAX = 960;

/** `GET /experiments/{experiment_id}/plot.svg`. */
export async function experimentPlot(
  input: Input<typeof getExperimentPlot>,
  context: ReadContext,
): Promise<Answer> {
  const scope = scopeOf(context.principal);
  const experiment = await findExperiment(scope, context.sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const isRanking = input.query.view !== 'plates';
  const limit = isRanking ? RANKED_MAX : WELLS_MAX;
  const { results, total } = await rankedResults(scope, context.sql, experiment.id, limit);
  if (total === 0) throw fail('results_not_released');
  const { code, experiment_type } = experiment;
  const ranked = { code, experiment_type, results, total };
  const svg = isRanking ? rankingSvg(ranked) : platesSvg(ranked);
  if (svg === undefined) throw fail('plates_unknown', { type: experiment_type });
  return new Answer(200, svg, { 'content-type': 'image/svg+xml; charset=utf-8' });
}
