import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { Answer, type Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { Scope } from '#core/scope.ts';
import { hasPlot } from '#assays/registry.ts';
import { findExperiment } from '../experiments/store.ts';
import type { RankedExperiment } from './ranked.ts';
import type { getExperimentPlot as operation } from './contract.ts';
import { requireShownAssay } from '#assays/shown.ts';
import { drawPlates } from './figures/plates.ts';
import { drawRanking } from './figures/ranking.ts';
import { drawRates } from './figures/rates.ts';
import { writeSvg } from '#documents/svg.ts';
import {
  drawOverlays,
  createNothingToDrawFailure,
  loadRanked,
  RANKED_MAX,
  WELLS_MAX,
} from './experiment-figures.ts';

const drawRanked = {
  ranking: (ranked: RankedExperiment) =>
    drawRanking(ranked, requireShownAssay(ranked.experiment_type).measure),
  plates: (ranked: RankedExperiment) => drawPlates(ranked, requireShownAssay(ranked.experiment_type)),
  rates: drawRates,
} as const;

/** `GET /experiments/{experiment_id}/plot.svg`. */
export function getExperimentPlot(input: Input<typeof operation>, context: ReadContext): Promise<Answer> {
  return drawExperimentPlot(getScope(context.principal), input, context);
}

/** Draws the results that the scope may read. Throws `experiment_not_found` or `results_not_released`. */
export async function drawExperimentPlot(
  scope: Scope,
  input: Pick<Input<typeof operation>, 'params' | 'query'>,
  { sql }: Pick<ReadContext, 'sql'>,
): Promise<Answer> {
  const experiment = await findExperiment(scope, sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const { id, code, experiment_type: type } = experiment;
  const { view = 'ranking' } = input.query;
  const limit = view === 'plates' ? WELLS_MAX : RANKED_MAX;
  const ranked = await loadRanked(scope, sql, { id, code, type }, limit);
  if (ranked.total === 0) throw fail('results_not_released');
  if (view !== 'ranking' && !hasPlot(type, view)) throw createNothingToDrawFailure(view, type);
  const scene =
    view === 'melts'
      ? (await drawOverlays(scope, sql, { id, code, type }, RANKED_MAX))[0]
      : drawRanked[view](ranked);
  if (scene === undefined) throw createNothingToDrawFailure(view, type);
  return new Answer(200, writeSvg(scene), { 'content-type': 'image/svg+xml; charset=utf-8' });
}
