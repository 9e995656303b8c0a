/** The door of the binding analysis: uploaded files in, plain results out. Runs in the calling thread; see pool.ts for workers. */
import { analyzeAffinitySets, judgeSets } from '../affinity/affinity.ts';
import type { AffinityAnalysis, BindingPart, InputFileRecord, ReplicateAffinity } from '../affinity/types.ts';
import { AnalysisError } from '../../failures/errors.ts';
import { parseTraces } from '../../formats/parse.ts';
import { packCurves } from '../../curves/packed-curves.ts';
import { analyzeScreeningSets, screenSets } from '../screening/screening.ts';
import type { ReplicateScreening, ScreeningAnalysis } from '../screening/types.ts';
import { resolveSettings } from './settings.ts';
import type { BindingSettingsInput } from './settings.ts';
import { fingerprint, opened, type RawFile } from '../../formats/reading/stored-file.ts';

export { AnalysisError, FormatError } from '../../failures/errors.ts';
export { parseTraces } from '../../formats/parse.ts';

export interface AnalysisJob {
  experimentType: 'affinity' | 'screening';
  files: RawFile[];
  settings?: BindingSettingsInput | undefined;
}

export type AnalysisResult = AffinityAnalysis | ScreeningAnalysis;

/** Reads the files and analyses them. Throws FormatError or AnalysisError. */
export function analyze(job: AnalysisJob): AnalysisResult {
  if (job.experimentType === 'affinity') return analyzeAffinity(job.files, job.settings);
  if (job.experimentType === 'screening') return analyzeScreening(job.files, job.settings);
  const message = `There is no analysis for experiments of type ${String(job.experimentType)}.`;
  throw new AnalysisError('unsupported_experiment_type', message);
}

/** One batch of the files of a run: what its plates say, with curves packed and digests of what was read. */
export type AnalysisPart = { inputs: InputFileRecord[] } & (
  | { experimentType: 'affinity'; binding: BindingPart<ReplicateAffinity> }
  | { experimentType: 'screening'; binding: BindingPart<ReplicateScreening> }
);

/** Reads and judges one batch of a binding run; `firstPlate` is the number of files before it. Throws like `analyze`. */
export function analyzePart(job: AnalysisJob, firstPlate: number): AnalysisPart {
  const settings = resolveSettings(job.settings);
  const sets = parseTraces(job.files.map(opened));
  const inputs = job.files.map(fingerprint);
  const part: AnalysisPart =
    job.experimentType === 'affinity'
      ? { experimentType: 'affinity', inputs, binding: judgeSets(sets, settings, firstPlate) }
      : { experimentType: 'screening', inputs, binding: screenSets(sets, settings, firstPlate) };
  for (const replicate of part.binding.replicates) {
    replicate.packedCurves = packCurves(replicate.replicate, replicate.curves);
    replicate.curves = [];
  }
  return part;
}

export function analyzeAffinity(
  files: readonly RawFile[],
  settings?: BindingSettingsInput,
): AffinityAnalysis {
  return analyzeAffinitySets(parseTraces(files.map(opened)), settings, files.map(fingerprint));
}

export function analyzeScreening(
  files: readonly RawFile[],
  settings?: BindingSettingsInput,
): ScreeningAnalysis {
  return analyzeScreeningSets(parseTraces(files.map(opened)), settings, files.map(fingerprint));
}
