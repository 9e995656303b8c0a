/** An experiment of an assay without a target as one job of a worker, which reads its files one after another. */
import type { AssayJob, AssayResult } from './assays.ts';
import type { Progress } from './batches.ts';

export interface AssayRun extends AssayJob {
  onProgress?: Progress;
}

export interface AssayRunner {
  runAssay(job: AssayJob, onProgress?: Progress): Promise<AssayResult>;
}

/** Rejects like `analyzeAssay` and the runner. */
export async function analyzeAssayRun(run: AssayRun, runner: AssayRunner): Promise<AssayResult> {
  const { onProgress, ...job } = run;
  return runner.runAssay(job, onProgress);
}
