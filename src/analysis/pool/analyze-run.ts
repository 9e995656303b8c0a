/** Analyzes a run of any size: workers do its jobs and return numbers and packed curves. */
import type { Assay, AssayRun, Assays, ResultOf } from '../assays/assay.ts';
import { sideBySide } from './side-by-side.ts';

/** Progress callback: parts done, total. */
export type Progress = (done: number, total: number) => void;

export interface RunToAnalyze<Name extends string> extends AssayRun {
  experimentType: Name;
  onProgress?: Progress;
}

/** Runs jobs of assays; a pool of workers is one implementation. */
export interface Workers {
  /** Number of jobs that run at the same time. */
  readonly size: number;
  evaluate(assay: string, job: unknown, onProgress?: Progress): Promise<unknown>;
}

/** Analyzes a run with the named assay. Rejects with the first failure of the assay or the workers. */
export async function analyzeRun<Registry extends Assays, Name extends keyof Registry & string>(
  assays: Registry,
  { experimentType, onProgress, ...run }: RunToAnalyze<Name>,
  workers: Workers,
): Promise<ResultOf<Registry[Name]>> {
  const assay: Assay = assays[experimentType];
  const split = assay.split(run);
  let step = split.next([]);
  while (step.done !== true) {
    const { jobs, nDone } = step.value;
    let done = nDone ?? 0;
    const total = done + jobs.length;
    const parts = await sideBySide(jobs, workers.size, async (job) => {
      if (nDone === null) return workers.evaluate(experimentType, job, onProgress);
      const part = await workers.evaluate(experimentType, job);
      done += 1;
      onProgress?.(done, total);
      return part;
    });
    step = split.next(parts);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the assay of this name returns
  return step.value as ResultOf<Registry[Name]>;
}
