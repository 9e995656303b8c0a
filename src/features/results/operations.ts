/** The operations of results, each with what carries it out. */
import { bindRead, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import { listThumbnails, selectHighlights, summarizeResults } from './overview-store.ts';
import * as designsContract from './designs/contract.ts';
import { compareExperiments, loadComparison } from './designs/compare-experiments.ts';
import { listDesigns } from './designs/list-designs.ts';
import { EXPERIMENTS_MAX, getResultHighlights as highlightsOperation } from './highlights-contract.ts';
import * as packageContract from './package/contract.ts';
import { getResultCurves, requireCurves } from './get-result-curves.ts';
import { getExperimentPlot } from './get-experiment-plot.ts';
import { diffResults } from './diff-results.ts';
import type { ReadContext } from '#core/context.ts';
import { type Input, Answer, type Output } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { RawJson } from '#core/reply.ts';
import { resultFields, experimentResultFields } from './list-fields.ts';
import { listResultPage, findResultJson } from './store.ts';
import { withPackageLinks, DATA_PACKAGE_PATH, createPackageLink } from './package/package-link.ts';
import { narrowToExperiment, requireExperiment } from '../experiments/require-experiment.ts';
import { parseList } from '#core/parse-list.ts';
import { getResultForm } from './result-form.ts';
import { createInvalidFieldsFailure, fail } from '#core/failures.ts';
import { drawResult } from '#assays/shown.ts';
import { drawScatter } from './figures/scatter.ts';
import { writeSvg } from '#documents/svg.ts';
import { findNeighbors, selectVersionsOfResult } from './release-store.ts';
import { HOUR_MS } from '#core/clock.ts';
import { findExperiment } from '../experiments/store.ts';
import { selectResultIndex } from './package-store.ts';
import { findPackage } from './package/store.ts';
import { requireVersion } from './package/await-package.ts';

export const resultsOperations: readonly Binding[] = [
  bindRead(contract.listResults, listResults),
  bindRead(highlightsOperation, getResultHighlights),
  bindRead(contract.getResultInfo, getResultInfo),
  bindRead(contract.getResultNeighbors, getResultNeighbors),
  bindRead(contract.getResultCurves, getResultCurves),
  bindRead(contract.getResultPlot, getResultPlot),
  bindRead(contract.getExperimentResults, getExperimentResults),
  bindRead(contract.getExperimentPlot, getExperimentPlot),
  bindRead(contract.getResultsOverview, getResultsOverview),
  bindRead(contract.getResultThumbnails, getResultThumbnails),
  bindRead(designsContract.listDesigns, listDesigns),
  bindRead(designsContract.compareExperiments, compareExperiments),
  bindRead(designsContract.getComparisonPlot, getComparisonPlot),
  bindRead(contract.listResultVersions, listResultVersions),
  bindRead(contract.diffResults, diffResults),
  bindRead(packageContract.getDataPackage, getDataPackage),
  bindRead(packageContract.getDataPackageStatus, getDataPackageStatus),
];

/** `GET /results`: lists the released results of the caller's organization, or of one experiment. */
async function listResults(
  input: Input<typeof contract.listResults>,
  context: ReadContext,
): Promise<RawJson> {
  const query = parseList(context, resultFields, input.query, ['experiment_id'], input.query.experiment_id);
  const experimentId = await narrowToExperiment(context, input.query.experiment_id);
  const scope = getScope(context.principal);
  return withPackageLinks(
    context,
    await listResultPage(scope, context.sql, query, { ...getResultForm(context.site), experimentId }),
  );
}

/** `GET /results/highlights`: the best result of several experiments, with the KDs of all their samples. */
async function getResultHighlights(
  input: Input<typeof highlightsOperation>,
  context: ReadContext,
): Promise<Output<typeof highlightsOperation>> {
  const named = input.query.experiments.split(',').map((name) => name.trim());
  if (named.length > EXPERIMENTS_MAX)
    throw createInvalidFieldsFailure([
      { path: 'experiments', message: `must name at most ${EXPERIMENTS_MAX} experiments` },
    ]);
  return { items: await selectHighlights(getScope(context.principal), context.sql, named) };
}

/** `GET /results/{result_id}`: one released result. */
async function getResultInfo(
  input: Input<typeof contract.getResultInfo>,
  context: ReadContext,
): Promise<RawJson> {
  const form = getResultForm(context.site);
  const json = await findResultJson(getScope(context.principal), context.sql, input.params.result_id, form);
  if (json === undefined) throw fail('result_not_found');
  return withPackageLinks(context, new RawJson(json));
}

/** `GET /results/{result_id}/neighbors`: what stands before and after a result in its experiment. */
async function getResultNeighbors(
  input: Input<typeof contract.getResultNeighbors>,
  context: ReadContext,
): Promise<Output<typeof contract.getResultNeighbors>> {
  const query = parseList(context, experimentResultFields, { ...input.query });
  const scope = getScope(context.principal);
  const neighbors = await findNeighbors(scope, context.sql, input.params.result_id, query);
  if (neighbors === undefined) throw fail('result_not_found');
  return neighbors;
}

/** `GET /results/{result_id}/plot.svg`: the curves of a result with their fits and residuals, as SVG. */
async function getResultPlot(
  input: Input<typeof contract.getResultPlot>,
  context: ReadContext,
): Promise<Answer> {
  const curves = await requireCurves(input.params.result_id, context);
  return new Answer(200, writeSvg(drawResult(curves)), { 'content-type': 'image/svg+xml; charset=utf-8' });
}

/** `GET /experiments/{experiment_id}/comparison/plot.svg`: two experiments against each other, as SVG. */
async function getComparisonPlot(
  input: Input<typeof designsContract.getComparisonPlot>,
  context: ReadContext,
): Promise<Answer> {
  const { comparison, measure } = await loadComparison(input, context);
  return new Answer(200, writeSvg(drawScatter(comparison, measure)), {
    'content-type': 'image/svg+xml; charset=utf-8',
  });
}

/** `GET /experiments/{experiment_id}/results`: lists the released results of one experiment. */
async function getExperimentResults(
  input: Input<typeof contract.getExperimentResults>,
  context: ReadContext,
): Promise<RawJson> {
  const query = parseList(context, experimentResultFields, input.query, [], input.params.experiment_id);
  const { id: experimentId } = await requireExperiment(context, input.params.experiment_id);
  const scope = getScope(context.principal);
  return withPackageLinks(
    context,
    await listResultPage(scope, context.sql, query, { ...getResultForm(context.site), experimentId }),
  );
}

/** `GET /experiments/{experiment_id}/results/overview`. */
async function getResultsOverview(input: Input<typeof contract.getResultsOverview>, context: ReadContext) {
  const experiment = await requireExperiment(context, input.params.experiment_id);
  return {
    experiment_code: experiment.code,
    experiment_type: experiment.experiment_type,
    results_status: experiment.results_status,
    ...(await summarizeResults(getScope(context.principal), context.sql, experiment.id)),
  };
}

/** `GET /experiments/{experiment_id}/results/thumbnails`. */
async function getResultThumbnails(
  input: Input<typeof contract.getResultThumbnails>,
  context: ReadContext,
): Promise<RawJson> {
  const { id } = await requireExperiment(context, input.params.experiment_id);
  return listThumbnails(getScope(context.principal), context.sql, id);
}

/** `GET /results/{result_id}/versions`. */
async function listResultVersions(input: Input<typeof contract.listResultVersions>, context: ReadContext) {
  const rows = await selectVersionsOfResult(getScope(context.principal), context.sql, input.params.result_id);
  const [newest] = rows;
  if (newest === undefined) throw fail('result_not_found');
  return {
    sequence_name: newest.sequence_name,
    versions: rows.flatMap(({ sequence_name: _name, released_at: releasedAt, ...version }) =>
      releasedAt === null ? [] : [{ ...version, released_at: releasedAt }],
    ),
  };
}

/** `GET /experiments/{experiment_id}/data-package`. */
async function getDataPackage(
  input: Input<typeof packageContract.getDataPackage>,
  context: ReadContext,
): Promise<Answer> {
  const { principal, sql } = context;
  const scope = getScope(principal);
  const experiment = await findExperiment(scope, sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const { releasedAt } = await selectResultIndex(scope, sql, experiment.id);
  if (releasedAt === null) throw fail('results_not_released');
  const path = `${DATA_PACKAGE_PATH}/${principal.organizationId}/${experiment.id}`;
  return new Answer(307, null, { location: createPackageLink(context, path, HOUR_MS) });
}

/** `GET /experiments/{experiment_id}/data-package/status`. */
async function getDataPackageStatus(
  input: Input<typeof packageContract.getDataPackageStatus>,
  { principal, site, sql }: ReadContext,
): Promise<Output<typeof packageContract.getDataPackageStatus>> {
  const scope = getScope(principal);
  const { version } = await requireVersion(sql, site, scope, input.params.experiment_id);
  const row = await findPackage(scope, sql, version);
  if (row === undefined)
    return {
      status: 'not_made',
      results_done: 0,
      results_total: version.results_total,
      size_bytes: null,
      sha256: null,
    };
  const { results_done, results_total, size_bytes, sha256 } = row;
  const status = sha256 !== null ? 'ready' : row.failed_at !== null ? 'failed' : 'being_made';
  return { status, results_done, results_total, size_bytes, sha256 };
}
