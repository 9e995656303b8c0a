/** What the folder of an assay gives to the registry: how its files are read, its settings resolved and its runs analyzed. */
import type { FileContents } from '../formats/inspect.ts';
import type { OnRead } from '../formats/parse-wells.ts';
import type { RawFile } from '../formats/reading/stored-file.ts';
import type { InputFile } from '../formats/reading/text.ts';

/** What was measured should be what was ordered. */
export interface OrderedMeasurement {
  /** Analyte concentrations in M, zero for a blank; null where the order names none. */
  concentrationsM: readonly number[] | null;
  method: string | null;
}

/** The raw files of one experiment. */
export interface AssayRun {
  files: RawFile[];
  /** Of the assay; refused with `settings_invalid` when one is unknown or wrong. */
  settings?: Readonly<Record<string, unknown>> | undefined;
  /** Amino acids by the name of the sample. */
  sequences?: Readonly<Record<string, string>> | undefined;
  ordered?: OrderedMeasurement | undefined;
}

/** Jobs that workers do side by side. */
export interface Round<Job> {
  readonly jobs: readonly Job[];
  /** Jobs of the run that are done already, for the progress; null where the job itself tells it. */
  readonly nDone: number | null;
}

/** Gives rounds of jobs, is given the part that each job found, and returns what all of them make. */
export type Split<Job, Part, Result> = Generator<Round<Job>, Result, readonly Part[]>;

/** Jobs and parts are plain data, which cross to the worker threads and back. */
export interface Assay<Job = unknown, Part = unknown, Result = unknown> {
  /** Settings over their defaults. Throws `settings_invalid`. */
  resolveSettings(given: Readonly<Record<string, unknown>>): object;
  /** What one raw file holds. Throws FormatError for a file that the assay cannot use. */
  inspect(file: InputFile): FileContents;
  /** Splits a run into jobs and combines their parts. Throws AnalysisError. */
  split(run: AssayRun): Split<Job, Part, Result>;
  /** Does one job, in a worker thread. Throws FormatError or AnalysisError. */
  evaluate(job: Job, onRead?: OnRead): Part;
}

export type Assays = Readonly<Record<string, Assay>>;

/** What the analysis of a run of an assay gives. */
export type ResultOf<One> = One extends Assay<never, never, infer Result> ? Result : never;

/** A run that is one job, since its plates share their controls and standard curves. */
export function* splitWhole<Result>(run: AssayRun): Split<AssayRun, Result, Result> {
  const [result] = yield { jobs: [run], nDone: null };
  return result;
}

/** Analyzes a run in the calling thread. */
export function analyzeHere<Job, Part, Result>(assay: Assay<Job, Part, Result>, run: AssayRun): Result {
  const split = assay.split(run);
  let step = split.next([]);
  while (step.done !== true) step = split.next(step.value.jobs.map((job) => assay.evaluate(job)));
  return step.value;
}
