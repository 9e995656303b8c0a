/**
 * A run of any size: workers read its files a batch at a time, and what comes back are numbers and packed curves.
 */
import { combineAffinity } from '../assays/affinity/affinity.ts';
import type { BindingPart, ReplicateAffinity } from '../assays/affinity/types.ts';
import { flagAgainstOrder, type OrderedMeasurement } from '../assays/binding/against-order.ts';
import type { AnalysisJob, AnalysisPart, AnalysisResult } from '../assays/binding/analyze.ts';
import { isSelfContained } from '../formats/parse.ts';
import { combineScreening } from '../assays/screening/screening.ts';
import type { ReplicateScreening } from '../assays/screening/types.ts';
import { resolveSettings } from '../assays/binding/settings.ts';
import { sideBySide } from './side-by-side.ts';
import { opened, type RawFile } from '../formats/reading/stored-file.ts';

/** Hears how many parts of how many are done. */
export type Progress = (done: number, total: number) => void;

export interface RunToAnalyze extends AnalysisJob {
  ordered?: OrderedMeasurement;
  onProgress?: Progress;
}

/** Judges one batch; a pool of workers does. */
export interface PartRunner {
  /** Batches it works on at the same time. */
  readonly size: number;
  runPart(job: AnalysisJob, firstPlate: number): Promise<AnalysisPart>;
}

/**
 * Analyses a binding run. A file that is a plate by itself is a batch; files that belong together (a Gator folder, the sensors
 * of an Octet tray) are one. Rejects like `analyze` and the runner, with the first failure.
 */
export async function analyzeRun(run: RunToAnalyze, runner: PartRunner): Promise<AnalysisResult> {
  const { files, onProgress, ordered, ...common } = run;
  const settings = resolveSettings(run.settings);
  const batches = batchesOf(files);
  let done = 0;
  const parts = await sideBySide(batches, runner.size, async ({ batch, first }) => {
    const part = await runner.runPart({ ...common, files: batch }, first);
    done += 1;
    onProgress?.(done, batches.length);
    return part;
  });
  const inputs = parts.flatMap((part) => part.inputs);
  const analysis =
    run.experimentType === 'affinity'
      ? combineAffinity(affinityOf(parts), settings, inputs)
      : combineScreening(screeningOf(parts), settings, inputs);
  if (ordered !== undefined) flagAgainstOrder(analysis, ordered);
  return analysis;
}

function affinityOf(parts: readonly AnalysisPart[]): BindingPart<ReplicateAffinity>[] {
  return parts.flatMap((part) => (part.experimentType === 'affinity' ? part.binding : []));
}

function screeningOf(parts: readonly AnalysisPart[]): BindingPart<ReplicateScreening>[] {
  return parts.flatMap((part) => (part.experimentType === 'screening' ? part.binding : []));
}

interface Batch {
  readonly batch: RawFile[];
  /** Files before its first one. */
  readonly first: number;
}

function batchesOf(files: readonly RawFile[]): Batch[] {
  const batches: Batch[] = [];
  let together: { batch: RawFile[]; first: number } | null = null;
  for (const [first, file] of files.entries()) {
    if (isSelfContained(opened(file))) batches.push({ batch: [file], first });
    else {
      together ??= { batch: [], first };
      together.batch.push(file);
    }
  }
  if (together !== null) batches.push(together);
  return batches.length === 0 ? [{ batch: [], first: 0 }] : batches;
}
