/** The door of the binding analysis: uploaded files in, plain results out. Runs in the calling thread; see pool.ts for workers. */
import { analyzeAffinitySets } from '../affinity/affinity.ts';
import type { AffinityAnalysis } from '../affinity/types.ts';
import { AnalysisError } from '../../failures/errors.ts';
import { parseTraces } from '../../formats/parse.ts';
import { analyzeScreeningSets } from '../screening/screening.ts';
import type { ScreeningAnalysis } from '../screening/types.ts';
import type { BindingSettingsInput } from './settings.ts';
import { fingerprint, opened, type RawFile } from '../../formats/reading/stored-file.ts';

export { FormatError } from '../../failures/errors.ts';
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
