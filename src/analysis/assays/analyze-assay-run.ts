/** An experiment of an assay without a target, by the workers of a pool. */
import type { AssayJob, AssayResult } from './pack-result.ts';
import type { Progress } from '../pool/analyze-run.ts';
import { analyzeMelts, isDivisible, type MeltRunner } from './thermostability/assay.ts';

export interface AssayRun extends AssayJob {
  onProgress?: Progress;
}

export interface AssayRunner extends MeltRunner {
  runAssay(job: AssayJob, onProgress?: Progress): Promise<AssayResult>;
}

/**
 * Melting curves are fitted file by file. What expression and fluorescence compute is of whole plates against one another and takes
 * a second for a thousand sequences: one job. Rejects like `analyzeAssay` and the runner.
 */
export async function analyzeAssayRun(run: AssayRun, runner: AssayRunner): Promise<AssayResult> {
  const { onProgress, ...job } = run;
  if (job.experimentType === 'thermostability' && isDivisible(job))
    return analyzeMelts(job, runner, onProgress);
  return runner.runAssay(job, onProgress);
}
