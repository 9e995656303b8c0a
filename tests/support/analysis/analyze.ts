/** Uploaded files of a binding run in, plain results out, in one call and in the calling thread: for tests and freezes. */
import { analyzeAffinitySets } from '#assays/affinity/engine/affinity.ts';
import type { AffinityAnalysis } from '#assays/affinity/engine/types.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { parseTraces } from '#analysis/formats/parse.ts';
import { analyzeScreeningSets } from '#assays/screening/engine/screening.ts';
import type { ScreeningAnalysis } from '#assays/screening/engine/types.ts';
import type { BindingSettingsInput } from '#assays/binding/engine/settings.ts';
import { fingerprint, openFile, type RawFile } from '#analysis/formats/reading/input-file.ts';

export { parseTraces } from '#analysis/formats/parse.ts';

export interface AnalysisJob {
  experimentType: 'affinity' | 'screening';
  files: RawFile[];
  settings?: BindingSettingsInput | undefined;
}

export type AnalysisResult = AffinityAnalysis | ScreeningAnalysis;

/** Reads the files and analyzes them. Throws FormatError or AnalysisError. */
export function analyze(job: AnalysisJob): AnalysisResult {
  if (job.experimentType === 'affinity') return analyzeAffinity(job.files, job.settings);
  if (job.experimentType === 'screening') return analyzeScreening(job.files, job.settings);
  const message = `There is no analysis for experiments of type ${String(job.experimentType)}.`;
  throw new AnalysisError('unsupported_experiment_type', message);
}

export function analyzeAffinity(
  files: readonly RawFile[],
  settings?: BindingSettingsInput,
): AffinityAnalysis {
  return analyzeAffinitySets(parseTraces(files.map(openFile)), settings, files.map(fingerprint));
}

export function analyzeScreening(
  files: readonly RawFile[],
  settings?: BindingSettingsInput,
): ScreeningAnalysis {
  return analyzeScreeningSets(parseTraces(files.map(openFile)), settings, files.map(fingerprint));
}
