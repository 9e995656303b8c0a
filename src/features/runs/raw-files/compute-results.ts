/**
 * The results of a run as they would be stored: its raw files read and analyzed outside any transaction, the results
 * written out slice by slice while they are stored, so that memory does not grow with their curves.
 */
import { setImmediate } from 'node:timers/promises';
import type { AssayRun } from '#analysis/assays/assay.ts';
import type { KeptCurves } from '#analysis/curves/packed-curves.ts';
import type { Progress, RunToAnalyze } from '#analysis/pool/pool.ts';
import type { Blobs } from '#core/blobs.ts';
import type { Work } from '#core/context.ts';
import { createOrganizationScope, type OrganizationScope } from '#core/scope.ts';
import type { Database, Sql } from '#core/sql.ts';
import { ASSAYS, isAssay, type AssayName } from '#assays/registry.ts';
import type { ExperimentRow } from '../../experiments/store.ts';
import { selectRawFilesOfAnalysis, type AnalyzedFile, type WithheldFile } from './raw-file-store.ts';
import { type RunRow, findMapping, type MappingRow } from './store.ts';
import {
  countPlannedCurves,
  describeSequenceOrder,
  listPlannedControls,
} from '../../results/against-order.ts';
import type { NewResult } from '../../results/store.ts';
import type { Exclusion } from '../../review/rules.ts';
import { selectPlansOfExperiment } from '../store.ts';
import { selectSequencesOfExperiment, type SequenceRow } from '../../sequences/store.ts';
import { findKeptTarget } from '../../targets/store.ts';
import { requireShownAssay } from '#assays/shown.ts';
import type { AnalysisSettings, ResultAssay, ResultSubject, WireResult } from '#assays/result-record.ts';
import { buildTargetReference } from '../../experiments/price-experiment.ts';
import type { RawFilePorts } from '../../installation/outward-context.ts';
import { refreshCut } from '../cut-files.ts';
import { withOrder } from './with-order.ts';
import { formatCount } from '#core/words.ts';
import type { RunMappingEntry } from '#analysis/curves/map-wells.ts';

export interface AnalysisPorts {
  readonly database: Database;
  readonly blobs: Pick<Blobs, 'locate' | 'stage' | 'openScratch'>;
  /** Cuts files that several experiments share. */
  readonly cut: RawFilePorts['cut'];
  /** Reads the files in batches, so the size of a run has no limit. */
  readonly analyze: (run: RunToAnalyze<AssayName>) => Promise<unknown>;
  /** Waits until so many ordered replicates may be analyzed beside those under way; the answer gives their room back. */
  readonly takeRoom: (replicates: number) => Promise<() => void>;
  /** Reads what the analysis kept aside. */
  readonly readCurves: (kept: KeptCurves) => Promise<Uint8Array>;
}

/** What an analysis found, before it is stored. */
export interface ComputedResults {
  /** Number of results: one per sequence. */
  readonly count: number;
  /** Writes the results out, a few at a time; each reading gives them anew. */
  readSlices(): AsyncGenerator<readonly NewResult[]>;
  /** Removes what the analysis kept on disk. */
  drop(): Promise<void>;
}

/** Results in memory at once; between two slices the thread serves requests. */
const SLICE_RESULTS = 20;
/** Curves in memory at once, beyond those of one result. */
const SLICE_BYTES = 4 * 1024 * 1024;

function requireResultAssay(experimentType: string): { name: AssayName; assay: ResultAssay } {
  if (isAssay(experimentType))
    return { name: experimentType, assay: requireShownAssay(experimentType).result };
  throw new Error(`there is no analysis for ${experimentType}`);
}

/** Chooses the settings of an analysis when staff give no others. */
export function chooseUsualSettings(
  experiment: Pick<ExperimentRow, 'experiment_type' | 'method'>,
): AnalysisSettings {
  const { experiment_type: type } = experiment;
  return isAssay(type) ? requireShownAssay(type).result.chooseSettings(experiment) : {};
}

interface AnalysisSubject {
  readonly experiment: ExperimentRow;
  readonly run: RunRow;
  readonly version: number;
  /** Replicates that the analysis leaves out. */
  readonly exclusions: readonly Exclusion[];
  readonly onProgress?: Progress;
}

/**
 * The caller drops the results in the end; until then they keep their room. Rejects with the failure of the files, the
 * settings or the pool.
 */
export async function computeResults(
  work: Work,
  ports: AnalysisPorts,
  subject: AnalysisSubject,
  settings: AnalysisSettings,
): Promise<ComputedResults> {
  const { experiment } = subject;
  const scope = createOrganizationScope(experiment.organization_id);
  const sequences = await selectSequencesOfExperiment(scope, ports.database.read, experiment.id);
  const leaveRoom = await ports.takeRoom(sequences.length * experiment.n_replicates);
  let drop = async (): Promise<void> => leaveRoom();
  try {
    const scratch = await ports.blobs.openScratch();
    drop = () => scratch.drop().finally(leaveRoom);
    const aside = { ...subject, sequences, curvesAside: scratch.prefix };
    return { ...(await analyzeFiles(work, ports, aside, settings)), drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

async function analyzeFiles(
  work: Work,
  ports: AnalysisPorts,
  subject: AnalysisSubject & {
    readonly sequences: Awaited<ReturnType<typeof selectSequencesOfExperiment>>;
    readonly curvesAside: string;
  },
  settings: AnalysisSettings,
): Promise<Omit<ComputedResults, 'drop'>> {
  const { experiment, run, version, exclusions, sequences } = subject;
  const scope = createOrganizationScope(experiment.organization_id);
  const sql = ports.database.read;
  await refreshCut(work, ports, { experiment, run });
  const target =
    experiment.target_id === null ? undefined : await findKeptTarget(scope, sql, experiment.target_id);
  const { name, assay } = requireResultAssay(experiment.experiment_type);
  const plans = await selectPlansOfExperiment(scope, sql, experiment.id);
  const planned = countPlannedCurves(plans);
  const files = await selectRawFilesOfAnalysis(scope, sql, run.id);
  const mappings = await loadMappings(scope, sql, files);
  const analysis = await ports.analyze({
    experimentType: name,
    ...(await describeRun(ports, { experiment, files, sequences })),
    mapping: mappings.flatMap(listEntries),
    settings: { ...assay.describeTarget(target), ...settings },
    excluded: exclusions.map(toExcludedReplicate),
    plannedControls: listPlannedControls(plans, experiment.id),
    onProgress: subject.onProgress ?? (() => {}),
    curvesAside: subject.curvesAside,
  });
  const mappingNotices = [...mappings.map(describeMapping), ...describeSharedMapping(files)];
  const leftOut = assay.listLeftOut?.(analysis) ?? [];
  const notices = [...assay.listNotices(analysis), ...mappingNotices];
  const shared = describeSharedFiles(files);
  const measured = { values: assay.listControlValues(analysis), run, targetName: target?.name ?? null };
  const controlValues = listControlValues(work, measured);
  const reference = target === undefined ? null : buildTargetReference(work.site, target);
  const build = async (sequence: (typeof sequences)[number], index: number): Promise<NewResult> => {
    const own = exclusions.filter((each) => each.sequence === sequence.name);
    const { packed_curves: packedCurves, ...presented } = withOrder(
      { ...describeSequenceOrder(experiment, planned, sequence.id), experimentType: name },
      { own, leftOut: leftOut.filter((each) => each.sample === sequence.name) },
      withExclusions(
        own,
        withSharedFiles(
          shared,
          assay.present(analysis, describeSubject(sequence, reference, experiment.method)),
        ),
      ),
    );
    return {
      id: work.ids.createUuid(),
      experiment_id: experiment.id,
      experiment_code: experiment.code,
      experiment_type: experiment.experiment_type,
      sequence_id: sequence.id,
      title: formatTitle(name, sequence.name, reference?.name),
      version,
      target_id: experiment.target_id,
      metadata: { notices },
      control_values: index === 0 ? controlValues : [],
      ...presented,
      packed_curves: Buffer.concat(await Promise.all(packedCurves.map(ports.readCurves))),
    };
  };
  return { count: sequences.length, readSlices: () => buildSlices(sequences, build) };
}

/** Builds a result of each sequence, with a bound on what is in memory at once. */
async function* buildSlices<Sequence>(
  sequences: readonly Sequence[],
  build: (sequence: Sequence, index: number) => Promise<NewResult>,
): AsyncGenerator<readonly NewResult[]> {
  let results: NewResult[] = [];
  let bytes = 0;
  for (const [index, sequence] of sequences.entries()) {
    const result = await build(sequence, index);
    results.push(result);
    bytes += result.packed_curves.length;
    if (results.length < SLICE_RESULTS && bytes < SLICE_BYTES) continue;
    yield results;
    results = [];
    bytes = 0;
    await setImmediate();
  }
  if (results.length > 0) yield results;
}

function describeSubject(
  sequence: Pick<SequenceRow, 'id' | 'name' | 'aa_string' | 'is_control'>,
  target: ResultSubject['target'],
  method: string | null,
): ResultSubject {
  return {
    sequence_id: sequence.id,
    sequence_name: sequence.name,
    aa_string: sequence.aa_string,
    is_control: sequence.is_control,
    target,
    method,
  };
}

function listControlValues(
  { ids, clock }: Work,
  {
    values,
    run,
    targetName,
  }: {
    readonly values: ReturnType<ResultAssay['listControlValues']>;
    readonly run: RunRow;
    readonly targetName: string | null;
  },
) {
  return values.map((each) => ({
    ...each,
    id: ids.createUuid(),
    runId: run.id,
    targetName,
    // As the lab names it: files of one instrument may name it in several ways, or not at all.
    instrument: run.instrument,
    measuredAt: run.completed_at === null ? clock.now() : new Date(run.completed_at),
  }));
}

function toExcludedReplicate({
  sequence: sample,
  plate,
  replicate,
  well,
  concentration_m: concentrationM = null,
}: Exclusion) {
  return { sample, plate, replicate, well, concentrationM };
}

/** The record of a sequence says which of its replicates do not count, and why. */
function withExclusions(own: readonly Exclusion[], result: WireResult): WireResult {
  if (own.length === 0) return result;
  const excluded = own.map(({ replicate, plate, well, concentration_m: dose = null, reason }) => ({
    replicate,
    plate,
    well,
    concentration_m: dose,
    reason,
  }));
  return { ...result, record: { ...result.record, excluded_replicates: excluded } };
}

async function describeRun(
  ports: AnalysisPorts,
  of: {
    experiment: ExperimentRow;
    files: readonly AnalyzedFile[];
    sequences: readonly { name: string; aa_string: string }[];
  },
): Promise<AssayRun> {
  const { antigen_concentrations_nm: orderedNm, method } = of.experiment;
  const files = await Promise.all(
    of.files.map(async ({ name, sha256, run }) => ({
      name,
      sha256,
      path: await ports.blobs.locate(sha256),
      ...(run === null ? {} : { run }),
    })),
  );
  return {
    files,
    sequences: Object.fromEntries(of.sequences.map(({ name, aa_string: aa }) => [name, aa])),
    ordered: { concentrationsM: orderedNm?.map((nanomolar) => nanomolar * 1e-9) ?? null, method },
  };
}

function formatTitle(assay: AssayName, sequenceName: string, targetName: string | undefined): string {
  const { title, targetPreposition = 'against' } = ASSAYS[assay];
  const ofSequence = `${title} of ${sequenceName}`;
  return targetName === undefined ? ofSequence : `${ofSequence} ${targetPreposition} ${targetName}`;
}

/** What staff stated by hand of the raw files that are analyzed together. */
interface RunMapping extends MappingRow {
  /** The number of a run that repeats; null for the first. */
  readonly ofRun: number | null;
}

/** Returns the mapping of each run whose files are analyzed; runs without one, or with an empty one, have none. */
async function loadMappings(
  scope: OrganizationScope,
  sql: Sql,
  files: readonly AnalyzedFile[],
): Promise<RunMapping[]> {
  const runs = new Map(files.map((file) => [file.run_id, file.run]));
  const mappings: RunMapping[] = [];
  for (const [id, ofRun] of runs) {
    const mapping = await findMapping(scope, sql, id);
    if (mapping !== undefined && mapping.entries.length > 0) mappings.push({ ...mapping, ofRun });
  }
  return mappings;
}

/** A result says that people overruled the files, because nobody could see it in them. */
function describeMapping({ version, entries, ofRun }: RunMapping): string {
  const lines = formatCount(entries.length, 'line');
  const of = ofRun === null ? '' : ` of run ${ofRun}`;
  return `The lab stated by hand what wells or samples of the raw files${of} are: version ${version}, ${lines}.`;
}

/** The entries as the analysis takes them, each with its run. */
function listEntries({ entries, ofRun }: RunMapping): RunMappingEntry[] {
  return entries.map((entry) => ({ ...entry, ...(ofRun === null ? {} : { run: ofRun }) }));
}

/** What a result says of files that the lab does not hand out, because they hold wells of several experiments. */
interface SharedFiles {
  /** What the experiment got of them; part of its data package. */
  readonly cut_files: readonly { readonly name: string; readonly sha256: string }[];
  readonly withheld_files: readonly WithheldFile[];
}

/** Returns null where every file is of the experiment alone. */
function describeSharedFiles(files: readonly AnalyzedFile[]): SharedFiles | null {
  const cut = files.filter(({ cut_from: cutFrom }) => cutFrom !== null);
  if (cut.length === 0) return null;
  const withheld = new Map(
    cut.flatMap(({ cut_from: cutFrom }) => (cutFrom?.sources ?? []).map((file) => [file.sha256, file])),
  );
  return {
    cut_files: cut.map(({ name, sha256 }) => ({ name, sha256 })),
    withheld_files: [...withheld.values()].toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1)),
  };
}

function withSharedFiles(shared: SharedFiles | null, result: WireResult): WireResult {
  const { analysis } = result.record;
  if (shared === null || typeof analysis !== 'object' || analysis === null) return result;
  return { ...result, record: { ...result.record, analysis: { ...analysis, ...shared } } };
}

/** A result says that people overruled the files; it counts the curves of its own files alone. */
function describeSharedMapping(files: readonly AnalyzedFile[]): string[] {
  const counts = new Map(
    files.flatMap(({ run_id: id, cut_from: cutFrom }) =>
      cutFrom === null ? [] : [[id, cutFrom.n_mapped] as const],
    ),
  );
  const mapped = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (mapped === 0) return [];
  const curves = mapped === 1 ? '1 curve or reading' : `${mapped} curves or readings`;
  return [`The lab stated by hand what ${curves} of the raw files are.`];
}
