/**
 * What the engine of an assay provides: how its files are read, its settings resolved and its runs analyzed.
 * This folder: the port that the engines of assays implement, and what they share. Not here: the engines
 * (`assays/<assay>/engine/`), formats, storage, the wire.
 */
import type { PlannedControl } from '#core/raw-mapping.ts';
import type { KeepCurves } from '../curves/packed-curves.ts';
import type { Mapping, RunMappingEntry } from '../curves/map-wells.ts';
import type { Format } from '../formats/format.ts';
import type { FileContents } from '../formats/inspect.ts';
import type { OnRead } from '../formats/parse-wells.ts';
import type { ExcludedReplicate } from './exclusions.ts';
import type { RawFile, InputFile } from '../formats/reading/input-file.ts';
import type { RunSets } from '../formats/run-sets.ts';

/** The measurement that was ordered, for comparison with what was measured. */
export interface OrderedMeasurement {
  /** Analyte concentrations in M, zero for a blank; null where the order names none. */
  concentrationsM: readonly number[] | null;
  method: string | null;
}

/** The raw files of one experiment. */
export interface AssayRun {
  files: RawFile[];
  /** Settings of the assay; rejected with `settings_invalid` when one is unknown or wrong. */
  settings?: Readonly<Record<string, unknown>> | undefined;
  /** Amino-acid sequences by sample name. */
  sequences?: Readonly<Record<string, string>> | undefined;
  ordered?: OrderedMeasurement | undefined;
  /** What people say of wells and samples by hand; it takes precedence over the files. */
  mapping?: readonly RunMappingEntry[] | undefined;
  /** Replicates that people left out; rejected with `settings_invalid` where no file has one. */
  excluded?: readonly ExcludedReplicate[] | undefined;
  /** Controls that the plan of the run has on the plates of the files. */
  plannedControls?: readonly PlannedControl[] | undefined;
}

/** What a rehearsal takes of a run beside its files. */
export interface Rehearsal {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly mapping: Mapping;
  readonly method: string | null;
  /** Names of the ordered sequences. */
  readonly names: readonly string[];
}

/** Jobs that workers run in parallel. */
export interface Round<Job> {
  readonly jobs: readonly Job[];
  /** Number of finished jobs of the run, for the progress; null where the job itself reports it. */
  readonly nDone: number | null;
}

/** Yields rounds of jobs, receives the result of each job, and returns the combined result. */
export type Split<Job, Part, Result> = Generator<Round<Job>, Result, readonly Part[]>;

/** What works on the thread of its caller, with a round without jobs where others may have their turn. */
export type Paused<Result> = Generator<Round<never>, Result, unknown>;

/** Maps a list with a pause behind each item, because runs are combined on a thread that answers requests. */
export function* mapWithPauses<Item, Mapped>(
  items: readonly Item[],
  map: (item: Item) => Mapped,
): Paused<Mapped[]> {
  const mapped: Mapped[] = [];
  for (const item of items) {
    mapped.push(map(item));
    yield { jobs: [], nDone: null };
  }
  return mapped;
}

/** Works to the end without pauses. */
export function finish<Result>(paused: Paused<Result>): Result {
  let step = paused.next();
  while (step.done !== true) step = paused.next();
  return step.value;
}

/** Jobs and parts are plain data that are sent to worker threads and back. */
export interface Assay<Job = unknown, Part = unknown, Result = unknown> {
  /** The formats made for this assay; it may also read others. */
  readonly reads: Exclude<Format['kind'], 'map'>;
  /** Merges settings into the defaults. Throws `settings_invalid`. */
  resolveSettings(settings: Readonly<Record<string, unknown>>): object;
  /** Inspects one raw file. Throws FormatError for a file that the assay cannot use. */
  inspect(file: InputFile): FileContents;
  /** Parses the files of a run as the analysis does. Throws FormatError. */
  read(files: readonly InputFile[]): RunSets;
  /**
   * Chooses and names the curves or reads of a run as the analysis does, without its fits. Throws AnalysisError where the
   * analysis would stop.
   */
  rehearse(sets: RunSets, run: Rehearsal): void;
  /** Splits a run into jobs and combines their results. Throws AnalysisError. */
  split(run: AssayRun): Split<Job, Part, Result>;
  /** Runs one job in a worker thread; `keep` takes its packed curves, which stay in memory without it. Throws FormatError or AnalysisError. */
  evaluate(job: Job, onRead?: OnRead, keep?: KeepCurves): Part;
}

export type Assays = Readonly<Record<string, Assay>>;

/** The result of analyzing a run of an assay. */
export type ResultOf<One extends Assay> =
  ReturnType<One['split']> extends Generator<unknown, infer Result, never> ? Result : never;

/** Analyzes a run in the calling thread. */
export function analyzeHere<Job, Part, Result>(assay: Assay<Job, Part, Result>, run: AssayRun): Result {
  const split = assay.split(run);
  let step = split.next([]);
  while (step.done !== true) step = split.next(step.value.jobs.map((job) => assay.evaluate(job)));
  return step.value;
}
