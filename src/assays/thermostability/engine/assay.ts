/**
 * The entry of thermostability in the registry. Workers read and fit the files of a run one by one. The model and the
 * method belong to the experiment, which no single file determines: each file is analyzed with the choice that its
 * own wells suggest, and the few files whose choice differs from that of the experiment are analyzed again.
 * This folder: melting curves to Tm, onset and aggregation. Not here: other assays, the wire.
 */
import {
  keepInMemory,
  type KeepCurves,
  type KeptCurves,
  joinNumbered,
  packUnnumbered,
  type AssayCurve,
} from '#analysis/curves/packed-curves.ts';
import { mapMeltSets, selectMapping, type RunMappingEntry } from '#analysis/curves/map-wells.ts';
import { inspectWells } from '#analysis/formats/inspect.ts';
import {
  isMeltText,
  parseMelts,
  parseWellFiles,
  type OnRead,
  parseMeltsWith,
  surveyMelts,
  type FoundMap,
  type MeltSurvey,
} from '#analysis/formats/parse-wells.ts';
import {
  fingerprint,
  openFile,
  type RawFile,
  findRepeatingRun,
  namePlatesByRun,
  splitByRun,
} from '#analysis/formats/reading/input-file.ts';
import { createRunSets } from '#analysis/formats/run-sets.ts';
import type { Assay, AssayRun, Split } from '#analysis/assays/assay.ts';
import { findPictured, type PackedResult } from '#analysis/assays/pack-result.ts';
import { analyzeMeltingSets, assertMelts, combineMelting } from './melting.ts';
import {
  joinEvidence,
  chooseMethod,
  chooseShape,
  type MeltingChoice,
  evaluateMelts,
  type MeltingPart,
  type PartOptions,
} from './part.ts';
import { resolveMeltingSettings } from './settings.ts';
import type { ThermostabilityAnalysis, ReplicateMelting } from './types.ts';
import type { InputFileRecord } from '#analysis/assays/analysis-records.ts';

type Result = PackedResult<ThermostabilityAnalysis>;

/** A whole run, one file of it, or files whose first bytes do not show their content. */
export type ThermostabilityJob = { whole: AssayRun } | { melts: MeltJob } | { survey: SurveyJob };

/** The result of the job of the same name. */
export type ThermostabilityPart = { whole: Result } | { melts: MeltPart } | { survey: SurveyedMelts };

export const thermostability: Assay<ThermostabilityJob, ThermostabilityPart, Result> = {
  reads: 'melts',
  resolveSettings: resolveMeltingSettings,
  inspect: (file) => inspectWells(file, 'melts'),
  read: (files) => createRunSets(parseWellFiles(files)),
  rehearse: ({ melts }, { settings, mapping }) => assertMelts(mapMeltSets(melts, mapping), settings),
  *split(run) {
    if (isDivisible(run)) return yield* splitIntoFiles(run);
    const [part] = yield { jobs: [{ whole: run }], nDone: null };
    return find('whole' in part ? part.whole : undefined);
  },
  evaluate(job, onRead, keep) {
    if ('whole' in job) return { whole: analyzeWhole(job.whole, onRead, keep) };
    if ('melts' in job) return { melts: evaluateMeltFile(job.melts, keep) };
    return { survey: surveyMeltFiles(job.survey) };
  },
};

function find<Found>(found: Found | undefined): Found {
  if (found === undefined)
    throw new TypeError('a job of thermostability found what another kind of job finds');
  return found;
}

function analyzeWhole(
  { files, settings, mapping = [], excluded, plannedControls }: AssayRun,
  onRead?: OnRead,
  keep: KeepCurves = keepInMemory,
): Result {
  const inputs = files.map(fingerprint);
  const sets = splitByRun(files).flatMap((ofRun) => {
    const run = findRepeatingRun(ofRun[0]);
    const melts = parseMelts(ofRun.map(openFile), onRead);
    return namePlatesByRun(mapMeltSets(melts, selectMapping(mapping, run)), run);
  });
  const found = analyzeMeltingSets(sets, settings, inputs, { excluded, plannedControls });
  for (const { replicates } of [...found.sequences, ...found.controls])
    for (const replicate of replicates) packCurve(replicate, keep);
  return packMelts(found);
}

/**
 * Whether the files can be analyzed one by one, which is not so if their baselines are fitted together. Throws
 * `settings_invalid`.
 */
function isDivisible({ files, settings = {} }: AssayRun): boolean {
  return files.length > 1 && resolveMeltingSettings(settings).baseline !== 'shared';
}

type Steps<Found> = Split<ThermostabilityJob, ThermostabilityPart, Found>;

/** Returns the same result as the whole run as one job. */
function* splitIntoFiles({
  files,
  settings: given = {},
  mapping = [],
  excluded,
  plannedControls,
}: AssayRun): Steps<Result> {
  const settings = resolveMeltingSettings(given);
  const survey: Surveyed[] = [];
  for (const ofRun of splitByRun(files)) survey.push(...(yield* surveyFiles(ofRun, countSets(survey))));
  const jobs = survey.flatMap(({ file, sets, map, firstPlate }): MeltJob[] =>
    sets === 0 ? [] : [{ file, settings: given, map, mapping, firstPlate, choice: {}, excluded }],
  );
  let parts = yield* evaluateJobs(jobs, 0);
  const settle = function* (
    choice: Partial<MeltingChoice>,
    isOther: (own: MeltingChoice) => boolean,
  ): Steps<void> {
    const others = [...parts.keys()].filter((index) => isOther(parts[index].choice));
    const again = yield* evaluateJobs(
      others.map((index) => ({ ...jobs[index], choice })),
      jobs.length - others.length,
    );
    parts = parts.map((part, index) => again[others.indexOf(index)] ?? part);
  };
  const shape = chooseShape(joinEvidence(parts), settings);
  yield* settle({ shape }, (own) => own.shape !== shape);
  const method = chooseMethod(joinEvidence(parts), shape, settings);
  yield* settle({ shape, method }, (own) => own.method !== method);
  const inputOf = new Map(parts.map(({ input }, index) => [jobs[index].file, input]));
  const inputs = survey.flatMap(({ file, input }) => inputOf.get(file) ?? input ?? []);
  return packMelts(yield* combineMelting(parts, settings, { inputs, excluded, plannedControls }));
}

function* evaluateJobs(jobs: readonly MeltJob[], nDone: number): Steps<MeltPart[]> {
  const parts = yield { jobs: jobs.map((melts) => ({ melts })), nDone };
  return parts.map((part) => find('melts' in part ? part.melts : undefined));
}

function countSets(survey: readonly Surveyed[]): number {
  return survey.reduce((sum, { sets }) => sum + sets, 0);
}

interface Surveyed extends Pick<MeltJob, 'file' | 'map' | 'firstPlate'> {
  sets: number;
  /** The record of a file that was opened for the survey. */
  input: MeltPart['input'] | null;
}

/**
 * Returns the number of sets in each file of a run and its common plate map. The first bytes of most files show that they hold
 * one set.
 */
function* surveyFiles(files: readonly RawFile[], setsBefore: number): Steps<Surveyed[]> {
  const unknown = files.filter((file) => !isMeltText(openFile(file)));
  const others = files.length - unknown.length;
  let found: SurveyedMelts = { sets: [], map: null, inputs: [] };
  if (unknown.length > 0) {
    const [part] = yield { jobs: [{ survey: { files: unknown, others } }], nDone: null };
    found = find('survey' in part ? part.survey : undefined);
  }
  let firstPlate = setsBefore;
  return files.map((file): Surveyed => {
    const at = unknown.indexOf(file);
    const sets = found.sets[at] ?? 1;
    const numberedFile = { file, sets, map: found.map, firstPlate, input: found.inputs[at] ?? null };
    firstPlate += sets;
    return numberedFile;
  });
}

/** Combines replicates whose curves are packed. */
function packMelts(found: ThermostabilityAnalysis): Result {
  const samples = new Map<string, readonly KeptCurves[]>();
  for (const [sample, same] of Map.groupBy(findPictured(found), (each) => each.sample)) {
    const curves = same.flatMap(({ replicates }) =>
      replicates.flatMap(({ replicate, packedCurve }) =>
        packedCurve === null ? [] : [{ kind: 'melt', replicate, packed: packedCurve }],
      ),
    );
    if (curves.length > 0) samples.set(sample, joinNumbered(curves));
  }
  for (const { replicates } of [...found.sequences, ...found.controls])
    for (const replicate of replicates) replicate.packedCurve = null;
  return { found, packed: { plates: new Map(), samples } };
}

/** Reads and analyzes one file of a thermostability run in a worker; returns numbers and packed curves. */

export interface MeltJob extends PartOptions {
  file: RawFile;
  settings: Readonly<Record<string, unknown>> | undefined;
  /** The plate map that names the wells, from whichever file of the run. */
  map: FoundMap | null;
  mapping: readonly RunMappingEntry[];
}

export interface MeltPart extends MeltingPart {
  input: InputFileRecord;
}

/** Throws FormatError or AnalysisError. */
export function evaluateMeltFile(
  { file, settings, map, mapping, ...options }: MeltJob,
  keep: KeepCurves = keepInMemory,
): MeltPart {
  const run = findRepeatingRun(file);
  const mapped = mapMeltSets(parseMeltsWith(openFile(file), map), selectMapping(mapping, run));
  const sets = namePlatesByRun(mapped, run);
  const part = evaluateMelts(sets, resolveMeltingSettings(settings), options);
  for (const replicate of part.replicates) packCurve(replicate, keep);
  return { ...part, input: fingerprint(file) };
}

export function packCurve(replicate: ReplicateMelting, keep: KeepCurves): void {
  const curve = buildMeltCurve(replicate);
  replicate.packedCurve = curve === null ? null : keep(packUnnumbered(curve));
  replicate.curve = null;
}

export interface SurveyJob {
  files: RawFile[];
  /** Number of sets in the files that need no survey. */
  others: number;
}

export interface SurveyedMelts extends MeltSurvey {
  /** Records in the order of the files. */
  inputs: InputFileRecord[];
}

/** Throws FormatError. */
export function surveyMeltFiles({ files, others }: SurveyJob): SurveyedMelts {
  return { ...surveyMelts(files.map(openFile), others), inputs: files.map(fingerprint) };
}

/** The points of a melting curve with its markers, in the form of the API. */
function buildMeltCurve(replicate: ReplicateMelting): AssayCurve | null {
  const { curve } = replicate;
  if (curve === null) return null;
  const { scattering } = curve;
  return {
    kind: 'melt',
    replicate: replicate.replicate,
    plate: replicate.plate,
    well: replicate.well,
    channel: curve.channel,
    temperature_c: curve.temperatureC,
    signal: curve.signal,
    fit: curve.fit,
    residual: curve.residual,
    derivative_per_c: curve.derivative,
    scattering_temperature_c: scattering?.temperatureC ?? null,
    scattering: scattering?.signal ?? null,
    tm_c: replicate.tmAll.map(({ tmC }) => Math.round(tmC * 1e4) / 1e4),
    tonset_c: replicate.tonset?.value ?? null,
    tagg_c: replicate.tagg?.value ?? null,
  };
}
