/** The figures of a whole experiment: ranking, plates, melting curves, rates. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fail, type Failure } from '#core/failures.ts';
import type { Scope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { hasPlot } from '#assays/registry.ts';
import { selectResultIndex, selectRankedResults } from './package-store.ts';
import type { RankedExperiment } from './ranked.ts';
import { findCurves } from './store.ts';
import { findShownAssay, requireShownAssay } from '#assays/shown.ts';
import { drawPlatesPages } from './figures/plates.ts';
import { drawRankingPages, ROWS_OF_PAGE } from './figures/ranking.ts';
import { drawRates } from './figures/rates.ts';
import type { Scene } from '#documents/scene.ts';

export const RANKED_MAX = 100;

export function createNothingToDrawFailure(view: string, type: string): Failure {
  if (view === 'melts') return fail('melts_unknown', { type });
  return view === 'plates' ? fail('plates_unknown', { type }) : fail('rates_unknown', { type });
}

/** Ten plates of 96 wells. */
export const WELLS_MAX = 960;

interface Subject {
  readonly id: string;
  readonly code: string;
  readonly type: string;
}

export async function loadRanked(
  scope: Scope,
  sql: Sql,
  { id, code, type }: Subject,
  limit: number,
): Promise<RankedExperiment> {
  const { results, total } = await selectRankedResults(scope, sql, id, limit);
  return { code, experiment_type: type, results, total };
}

/**
 * Draws the overlaid curves of the best results of an experiment, on pages. Curves are long, so the event loop gets a
 * turn between results.
 */
export async function drawOverlays(
  scope: Scope,
  sql: Sql,
  { id, code, type }: Subject,
  perPage?: number,
): Promise<Scene[]> {
  const overlays = findShownAssay(type)?.collectOverlays?.();
  if (overlays === undefined) return [];
  const { ids } = await selectResultIndex(scope, sql, id);
  for (const resultId of ids.slice(0, RANKED_MAX)) {
    const curves = await findCurves(scope, sql, resultId);
    if (curves !== undefined) overlays.take(curves);
    await nextTurn();
  }
  return overlays.buildPages(code, perPage);
}

export interface ExperimentFigures {
  readonly ranking: readonly Scene[];
  readonly rates: readonly Scene[];
  readonly plates: readonly Scene[];
  readonly melts: readonly Scene[];
}

/** Loads every figure of the whole experiment, split to fit on pages. */
export async function loadExperimentFigures(
  scope: Scope,
  sql: Sql,
  subject: Subject,
): Promise<ExperimentFigures> {
  const best = await loadRanked(scope, sql, subject, RANKED_MAX);
  const assay = requireShownAssay(subject.type);
  const rates = drawRates(best);
  return {
    ranking: drawRankingPages(best, assay.measure, ROWS_OF_PAGE),
    rates: rates === undefined ? [] : [rates],
    plates: hasPlot(subject.type, 'plates')
      ? drawPlatesPages(await loadRanked(scope, sql, subject, WELLS_MAX), assay)
      : [],
    melts: await drawOverlays(scope, sql, subject),
  };
}
