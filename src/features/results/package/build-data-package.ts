/** Builds the archive of one experiment's results, file by file; only one result is in memory at a time. */
import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { ArchiveEntry, WrittenEntry } from '#core/archive.ts';
import type { Blobs } from '#core/blobs.ts';
import { type Site, getLabName } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Scope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { findExperiment, type ExperimentRow } from '../../experiments/store.ts';
import { selectResultIndex, streamResultRecords } from '../package-store.ts';
import { findCurves, type ResultCurves } from '../store.ts';
import { selectPlansOfExperiment } from '../../runs/store.ts';
import { selectSequencesOfExperiment } from '../../sequences/store.ts';
import { findTargetJson } from '../../targets/store.ts';
import { drawResult, requireShownAssay, isFound } from '#assays/shown.ts';
import type { FigureCollector } from '#assays/shown-assay.ts';
import { writeCurveRows, writeCurvesCsvHeader } from './curve-table.ts';
import { writeManifest, getOverviewPath, formatPlotPath, writeFasta, writeReadme } from './texts.ts';
import { writeMethods } from './methods.ts';
import { writeNotebook } from './notebook.ts';
import type { PackagedExperiment, PackagedResult } from './packaged.ts';
import { writeParquet } from './parquet.ts';
import { SharedFileCollector, writeWells, type SharedFiles } from './shared-files.ts';
import {
  ColumnCollector,
  createEvaluationsTable,
  createReplicatesTable,
  describeResultsColumns,
  createResultsTable,
  type Table,
} from './tables.ts';
import { WhatWasDone } from './what-was-done.ts';
import { streamPdf } from '#documents/pdf/draw.ts';
import { PICTURES_MAX, buildReport } from '../report/report.ts';
import type { Scene } from '#documents/scene.ts';
import { writeSvg } from '#documents/svg.ts';
import { loadExperimentFigures, type ExperimentFigures } from '../experiment-figures.ts';
import { removePackageLinks } from './package-link.ts';

/**
 * Counts the work on a package in results: each is read several times, for its tables and for its curves and figures,
 * so one counts as done when that share of all the readings is over.
 */

/** Readings of every record, and of every result's curves; a report may have fewer or more of the latter. */
const RECORD_READINGS = 6;
const CURVE_READINGS = 4;
/** Reading curves, and writing or drawing them, takes about so many times as long as reading a record. */
const CURVE_WEIGHT = 5;

class BuildProgress {
  readonly #results: number;
  readonly #onProgress: ((resultsDone: number) => void) | undefined;
  #work = 0;
  #done = 0;

  constructor(results: number, onProgress?: (resultsDone: number) => void) {
    this.#results = results;
    this.#onProgress = onProgress;
  }

  countRecord(): void {
    this.#count(1);
  }

  countCurves(): void {
    this.#count(CURVE_WEIGHT);
  }

  /** The last result is done when the archive is, not before. */
  #count(work: number): void {
    this.#work += work;
    const readings = RECORD_READINGS + CURVE_READINGS * CURVE_WEIGHT;
    const done = Math.min(this.#results - 1, Math.floor(this.#work / readings));
    if (done <= this.#done) return;
    this.#done = done;
    this.#onProgress?.(done);
  }
}

export interface DataPackage {
  /** Such as `DEMO-001-001.zip`. */
  readonly fileName: string;
  readonly releasedAt: Date;
  /** Can be read once. The manifest comes last and lists the files that were passed to `onWritten`. */
  readonly entries: AsyncIterable<ArchiveEntry>;
  readonly onWritten: (entry: WrittenEntry) => void;
}

/** What of the installation a package shows. */
export type PackageSite = Pick<Site, 'baseUrl' | 'environment' | 'letterhead'>;

interface Tools {
  readonly blobs: Pick<Blobs, 'locate'>;
  readonly site: PackageSite;
  readonly sql: Sql;
  /** Hears how many results are done, each time that number grows. */
  readonly onProgress?: (resultsDone: number) => void;
}

interface Source extends Tools {
  readonly scope: Scope;
  readonly organizationId: string;
  readonly experiment: PackagedExperiment;
  readonly ids: readonly string[];
  readonly progress: BuildProgress;
  /** Whether results are withheld from the reader, and with them the raw data, which tell of all. */
  readonly isPartial: boolean;
}

/**
 * Builds the package of one experiment, of the results that the scope may read: what was released, or what the lab
 * reviews. Fails with `results_not_released` (404) without any.
 */
export async function buildDataPackage(tools: Tools, scope: Scope, idOrCode: string): Promise<DataPackage> {
  const { site, sql } = tools;
  const experiment = await findExperiment(scope, sql, idOrCode);
  if (experiment === undefined) throw fail('experiment_not_found');
  const { ids, releasedAt } = await selectResultIndex(scope, sql, experiment.id);
  if (releasedAt === null) throw fail('results_not_released');
  const source = {
    ...tools,
    scope,
    ids,
    progress: new BuildProgress(ids.length, tools.onProgress),
    isPartial: scope.kind === 'organization' && experiment.results_status === 'partial',
    organizationId: experiment.organization_id,
    experiment: await loadSubject(site, sql, scope, experiment, releasedAt),
  };
  const written: WrittenEntry[] = [];
  return {
    fileName: `${experiment.code}.zip`,
    releasedAt,
    entries: listEntries(source, written),
    onWritten: (entry) => void written.push(entry),
  };
}

async function loadSubject(
  site: PackageSite,
  sql: Sql,
  scope: Scope,
  experiment: ExperimentRow,
  releasedAt: Date,
): Promise<PackagedExperiment> {
  const { target_id: targetId } = experiment;
  const target = targetId === null ? undefined : await findTargetJson(scope, sql, targetId, site.baseUrl);
  const sequences = await selectSequencesOfExperiment(scope, sql, experiment.id);
  return {
    id: experiment.id,
    code: experiment.code,
    name: experiment.name,
    experimentType: experiment.experiment_type,
    method: experiment.method,
    createdAt: experiment.created_at,
    releasedAt,
    isSandbox: site.environment === 'sandbox',
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a row of the catalog as JSON
    target: target === undefined ? null : (JSON.parse(target) as Record<string, unknown>),
    sequences: sequences.map(({ name, aa_string: aaString, is_control: isControl }) => ({
      name,
      aaString,
      isControl,
    })),
  };
}

async function* listEntries(source: Source, written: readonly WrittenEntry[]): AsyncGenerator<ArchiveEntry> {
  const { experiment } = source;
  const { code } = experiment;
  const columns = new ColumnCollector(experiment.experimentType);
  const done = new WhatWasDone(source.experiment.experimentType);
  const sharedFiles = new SharedFileCollector();
  let first: PackagedResult | undefined;
  for await (const result of readResults(source)) {
    columns.take(result);
    done.take(result);
    sharedFiles.take(result);
    first ??= result;
  }
  const shared = sharedFiles.build(source.isPartial);
  yield createTextEntry('README.md', writeReadme(experiment, shared));
  yield { path: 'report.pdf', compress: false, content: writeReport(source) };
  yield createTextEntry('results.csv', writeTable(source, createResultsTable(code, columns)));
  yield createTextEntry('replicates.csv', writeTable(source, createReplicatesTable(code, columns)));
  yield createTextEntry('evaluations.csv', writeTable(source, createEvaluationsTable(experiment)));
  yield {
    path: 'curves.csv.gz',
    compress: false,
    content: createCompressed(writeCurvesCsv(source)),
  };
  yield {
    path: 'curves.parquet',
    compress: false,
    content: writeParquet(experiment.experimentType, readCurves(source), { experiment_code: code }),
  };
  yield createTextEntry('fits.json', writeRecordsJson(source));
  yield createTextEntry('sequences.fasta', writeFasta(experiment.sequences));
  yield createTextEntry(
    'targets.json',
    `${JSON.stringify(experiment.target === null ? [] : [experiment.target], null, 2)}\n`,
  );
  yield createTextEntry('methods.md', writeMethods(experiment, first, done, shared));
  if (shared !== null && !source.isPartial) yield* writeRawFiles(source, shared);
  yield* writePlots(source);
  yield createTextEntry('notebook.ipynb', writeNotebook(experiment, columns));
  const manifest = {
    experimentCode: code,
    releasedAt: experiment.releasedAt,
    files: written,
    columns: describeResultsColumns(columns),
  };
  yield createTextEntry('manifest.json', writeManifest(manifest));
}

/** The part of the experiment in files that hold wells of others too; files of the experiment alone are no part of a package. */
async function* writeRawFiles(source: Source, { parts }: SharedFiles): AsyncGenerator<ArchiveEntry> {
  const { blobs, sql, scope, experiment } = source;
  for (const { path, sha256 } of parts)
    yield createTextEntry(path, createReadStream(await blobs.locate(sha256)));
  const sequences = await selectSequencesOfExperiment(scope, sql, experiment.id);
  const names = new Map(sequences.map(({ id, name }) => [id, name]));
  const plans = await selectPlansOfExperiment(scope, sql, experiment.id);
  yield createTextEntry('raw/wells.csv', writeWells(plans, experiment.id, names));
}

function createTextEntry(path: string, content: ArchiveEntry['content']): ArchiveEntry {
  return { path, content, compress: true };
}

async function* readResults(source: Source): AsyncGenerator<PackagedResult> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the wire's record, as the statement wrote it
  for await (const json of readRecords(source)) yield JSON.parse(json) as PackagedResult;
}

async function* readRecords({ site, sql, scope, ids, progress }: Source): AsyncGenerator<string> {
  for await (const json of streamResultRecords(scope, sql, { ids, apiUrl: `${site.baseUrl}/api/v1` })) {
    yield json;
    progress.countRecord();
  }
}

async function* writeTable(source: Source, table: Table): AsyncGenerator<string> {
  yield table.header;
  for await (const result of readResults(source)) yield table.writeRow(result);
}

async function* writeRecordsJson(source: Source): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const json of readRecords(source)) {
    yield separator + removePackageLinks(json);
    separator = ',\n';
  }
  yield '\n]\n';
}

/** Yields the curves of each result. Curves are long, so the event loop gets a turn between results. */
async function* readCurves(
  { sql, scope, ids, progress }: Source,
  chosenIds: readonly string[] = ids,
): AsyncGenerator<ResultCurves> {
  for (const id of chosenIds) {
    const curves = await findCurves(scope, sql, id);
    if (curves !== undefined) yield curves;
    progress.countCurves();
    await nextTurn();
  }
}

async function* writeCurvesCsv(source: Source): AsyncGenerator<string> {
  yield writeCurvesCsvHeader(source.experiment.experimentType);
  for await (const curves of readCurves(source)) yield writeCurveRows(curves);
}

/** Passes on a failure of the source, and ends it when nobody reads. */
function createCompressed(source: AsyncIterable<string>): Readable {
  return pipeline(Readable.from(source), createGzip(), () => undefined);
}

/** Drawn while the archive takes it; a figure is in memory only until it is on its page. */
async function* writeReport(source: Source): AsyncGenerator<Uint8Array> {
  const { experiment, site } = source;
  const results = await holdResults(readResults(source));
  const { ranking, rates, plates: maps, melts } = await loadFigures(source);
  const shared = requireShownAssay(experiment.experimentType).collectPlates?.();
  // Of a single sequence its own figure shows more than an overview.
  const isSingle = results.length === 1;
  const overviews = [...(isSingle ? [] : [...ranking, ...rates]), ...(shared === undefined ? maps : [])];
  const isOverlaid = melts.length > 0 && results.length > PICTURED_MAX;
  const drawn = shared !== undefined || isOverlaid ? NO_PICTURES : await choosePictures(source);
  const plates = shared === undefined ? [] : await collectPlates(source, shared);
  const { picturedIds, ...counted } = drawn;
  const { head, blocks } = buildReport({
    experiment,
    results,
    ...counted,
    shownCount: picturedIds.length,
    pictures: drawPictures(source, picturedIds),
    overlays: isSingle && picturedIds.length > 0 ? [] : melts,
    plates,
    overviews,
    issuer: getLabName(site.letterhead.seller),
    paper: site.letterhead.paper,
  });
  yield* streamPdf(head, blocks);
}

/** Above this number the report shows melting curves only as an overlay; the archive has a figure of each. */
const PICTURED_MAX = 24;

const NO_PICTURES = { picturedIds: [], picturesCount: 0, smallPictures: [] };

/** Of so few results every one has room for its own figure. */
const FEW_RESULTS = 4;

/** What the assay found gets a figure of its own; the others are small and many to a page. */
async function choosePictures(source: Source) {
  const { experimentType, code } = source.experiment;
  const isFew = source.ids.length <= FEW_RESULTS;
  const others = requireShownAssay(experimentType).collectOthers?.();
  const picturedIds: string[] = [];
  let picturesCount = 0;
  for (const id of source.ids) {
    for await (const curves of readCurves(source, [id])) {
      const { outcome, summary: row } = curves;
      if (curves.curves.length === 0) continue;
      if (!isFew && !isFound({ outcome, row }, experimentType)) {
        others?.take(curves);
        continue;
      }
      picturesCount += 1;
      if (picturesCount <= PICTURES_MAX) picturedIds.push(id);
    }
  }
  return { picturedIds, picturesCount, smallPictures: others?.buildPages(code) ?? [] };
}

async function* drawPictures(source: Source, ids: readonly string[]): AsyncGenerator<Scene> {
  for await (const curves of readCurves(source, ids)) yield drawResult(curves);
}

/** Every sequence has the maps of all its plates; this keeps each map once. */
async function collectPlates(source: Source, plates: FigureCollector): Promise<Scene[]> {
  for await (const curves of readCurves(source)) plates.take(curves);
  return plates.buildPages(source.experiment.code);
}

function loadFigures({ scope, sql, experiment }: Source): Promise<ExperimentFigures> {
  const { id, code, experimentType: type } = experiment;
  return loadExperimentFigures(scope, sql, { id, code, type });
}

async function* writePlots(source: Source): AsyncGenerator<ArchiveEntry> {
  for (const [kind, pages] of Object.entries(await loadFigures(source))) {
    for (const [index, scene] of pages.entries())
      yield createTextEntry(getOverviewPath(kind, pages.length === 1 ? null : index + 1), writeSvg(scene));
  }
  let ordinal = 0;
  for await (const curves of readCurves(source)) {
    ordinal += 1;
    yield createTextEntry(formatPlotPath(ordinal, curves.sequence_name), writeSvg(drawResult(curves)));
  }
}

type Analysis = PackagedResult['analysis'];

/**
 * Returns all results at once, of each only what a report reads. Most of a record is its analysis, which names every
 * plate and file of the experiment and is the same in nearly all results, so equal ones are one object.
 */
export async function holdResults(results: AsyncIterable<PackagedResult>): Promise<PackagedResult[]> {
  const analyses = new Map<string, Analysis>();
  const share = (analysis: Analysis): Analysis => {
    const text = JSON.stringify(analysis);
    const known = analyses.get(text);
    if (known === undefined) analyses.set(text, analysis);
    return known ?? analysis;
  };
  const heldResults: PackagedResult[] = [];
  for await (const result of results) heldResults.push({ ...pick(result), analysis: share(result.analysis) });
  return heldResults;
}

function pick(result: PackagedResult): PackagedResult {
  return {
    id: result.id,
    title: result.title,
    sequence_name: result.sequence_name,
    is_control: result.is_control,
    outcome: result.outcome,
    status: result.status,
    version: result.version,
    place: result.place,
    binding_score: result.binding_score,
    n_replicates_ordered: result.n_replicates_ordered,
    n_replicates: result.n_replicates,
    n_replicates_passed: result.n_replicates_passed,
    n_curves_planned: result.n_curves_planned,
    n_curves: result.n_curves,
    excluded_replicates: result.excluded_replicates,
    qc: result.qc,
    quantities: result.quantities,
    rows: result.rows,
    analysis: result.analysis,
    ...(result.assessment === undefined ? {} : { assessment: result.assessment }),
    ...(result.details === undefined ? {} : { details: result.details }),
  };
}
