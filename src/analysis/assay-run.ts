/** The files of an experiment of an assay without a target, loaded and handed to a worker as one job. */
import type { AssayJob, AssayResult } from './assays.ts';

export interface AssayRun extends Omit<AssayJob, 'files'> {
  files: readonly { name: string; load: () => Promise<Uint8Array> }[];
}

export interface AssayRunner {
  runAssay(job: AssayJob): Promise<AssayResult>;
}

/** Rejects like `analyzeAssay` and the runner. */
export async function analyzeAssayRun(run: AssayRun, runner: AssayRunner): Promise<AssayResult> {
  const { files, ...common } = run;
  const loaded = [];
  for (const { name, load } of files) loaded.push({ name, bytes: await load() });
  return runner.runAssay({ ...common, files: loaded });
}
