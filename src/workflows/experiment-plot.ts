import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { Answer, type Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { findExperiment } from '#domain/experiments/store.ts';
import type { getExperimentPlot } from '#domain/results/experiment-plot.ts';
import type { RankedExperiment } from '#domain/results/plots/measures.ts';
import { platesPages, platesSvg } from '#domain/results/plots/plates.ts';
import { rankingPages, rankingSvg, ROWS_OF_PAGE } from '#domain/results/plots/ranking.ts';
import { ratesSvg } from '#domain/results/plots/rates.ts';
import { rankedResults } from '#domain/results/ranking-store.ts';

const RANKED_MAX = 100;
/** Ten plates of 96 wells. */
const WELLS_MAX = 960;

interface Subject {
  readonly id: string;
  readonly code: string;
  readonly type: string;
}

async function ranked(
  scope: OrganizationScope,
  sql: Sql,
  { id, code, type }: Subject,
  limit: number,
): Promise<RankedExperiment> {
  const { results, total } = await rankedResults(scope, sql, id, limit);
  return { code, experiment_type: type, results, total };
}

/** `GET /experiments/{experiment_id}/plot.svg`. */
export async function experimentPlot(
  input: Input<typeof getExperimentPlot>,
  context: ReadContext,
): Promise<Answer> {
  const scope = scopeOf(context.principal);
  const experiment = await findExperiment(scope, context.sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const { id, code, experiment_type: type } = experiment;
  const { view = 'ranking' } = input.query;
  const limit = view === 'plates' ? WELLS_MAX : RANKED_MAX;
  const found = await ranked(scope, context.sql, { id, code, type }, limit);
  if (found.total === 0) throw fail('results_not_released');
  const svg = { ranking: rankingSvg, plates: platesSvg, rates: ratesSvg }[view](found);
  if (svg === undefined) throw fail(view === 'plates' ? 'plates_unknown' : 'rates_unknown', { type });
  return new Answer(200, svg, { 'content-type': 'image/svg+xml; charset=utf-8' });
}

export interface ExperimentFigures {
  readonly ranking: readonly string[];
  readonly rates: readonly string[];
  readonly plates: readonly string[];
}

/** Every picture of the whole experiment, cut into pieces that fit on a page. */
export async function experimentFigures(
  scope: OrganizationScope,
  sql: Sql,
  subject: Subject,
): Promise<ExperimentFigures> {
  const best = await ranked(scope, sql, subject, RANKED_MAX);
  const rates = ratesSvg(best);
  const plates = platesPages(await ranked(scope, sql, subject, WELLS_MAX));
  return { ranking: rankingPages(best, ROWS_OF_PAGE), rates: rates === undefined ? [] : [rates], plates };
}
