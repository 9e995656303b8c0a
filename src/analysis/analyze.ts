/** The door of the binding analysis: uploaded files in, plain results out. Runs in the calling thread; see pool.ts for workers. */
import { createHash } from 'node:crypto';
import { analyzeAffinitySets } from './affinity.ts';
import type { AffinityAnalysis, InputFileRecord } from './affinity-types.ts';
import { AnalysisError } from './errors.ts';
import { parseTraces } from './formats/parse.ts';
import type { InputFile } from './formats/text.ts';
import { analyzeScreeningSets } from './screening/screening.ts';
import type { ScreeningAnalysis } from './screening/types.ts';
import type { BindingSettingsInput } from './settings.ts';

export { AnalysisError, FormatError } from './errors.ts';
export { parseTraces } from './formats/parse.ts';
export type { InputFile } from './formats/text.ts';

export interface AnalysisJob {
  experimentType: 'affinity' | 'screening';
  files: InputFile[];
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
  files: readonly InputFile[],
  settings?: BindingSettingsInput,
): AffinityAnalysis {
  return analyzeAffinitySets(parseTraces(files), settings, files.map(recordOf));
}

export function analyzeScreening(
  files: readonly InputFile[],
  settings?: BindingSettingsInput,
): ScreeningAnalysis {
  return analyzeScreeningSets(parseTraces(files), settings, files.map(recordOf));
}

function recordOf(file: InputFile): InputFileRecord {
  return {
    name: file.name,
    bytes: file.bytes.length,
    sha256: createHash('sha256').update(file.bytes).digest('hex'),
  };
}
