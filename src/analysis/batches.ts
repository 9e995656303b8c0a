/**
 * A run of any size: its files go to the workers a batch at a time, and what comes back are numbers and packed curves. In
 * memory at once are as many batches as there are workers, and one that waits.
 */
import { combineAffinity } from './affinity.ts';
import type { BindingPart, ReplicateAffinity } from './affinity-types.ts';
import type { AnalysisJob, AnalysisPart, AnalysisResult } from './analyze.ts';
import { isSelfContained } from './formats/parse.ts';
import type { InputFile } from './formats/text.ts';
import { combineScreening } from './screening/screening.ts';
import type { ReplicateScreening } from './screening/types.ts';
import { resolveSettings } from './settings.ts';

export interface RunToAnalyze extends Omit<AnalysisJob, 'files'> {
  files: readonly { name: string; load: () => Promise<Uint8Array> }[];
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
  const { files, ...common } = run;
  const settings = resolveSettings(run.settings);
  const done: { first: number; part: AnalysisPart }[] = [];
  const underWay = new Set<Promise<void>>();
  const start = async (batch: InputFile[], first: number): Promise<void> => {
    const judge = async (): Promise<void> => {
      done.push({ first, part: await runner.runPart({ ...common, files: batch }, first) });
      underWay.delete(work);
    };
    const work = judge();
    // The next wait sees a failure; until then it is not an unhandled one.
    work.catch(() => undefined);
    underWay.add(work);
    while (underWay.size > runner.size) await Promise.race(underWay);
  };
  const together: InputFile[] = [];
  let firstTogether = 0;
  try {
    for (const [index, { name, load }] of files.entries()) {
      const file = { name, bytes: await load() };
      if (isSelfContained(file)) await start([file], index);
      else {
        if (together.length === 0) firstTogether = index;
        together.push(file);
      }
    }
    if (together.length > 0 || files.length === 0) await start(together, firstTogether);
    await Promise.all(underWay);
  } finally {
    await Promise.allSettled(underWay);
  }
  const parts = done.sort((a, b) => a.first - b.first).map(({ part }) => part);
  const inputs = parts.flatMap((part) => part.inputs);
  if (run.experimentType === 'affinity') return combineAffinity(affinityOf(parts), settings, inputs);
  return combineScreening(screeningOf(parts), settings, inputs);
}

function affinityOf(parts: readonly AnalysisPart[]): BindingPart<ReplicateAffinity>[] {
  return parts.flatMap((part) => (part.experimentType === 'affinity' ? part.binding : []));
}

function screeningOf(parts: readonly AnalysisPart[]): BindingPart<ReplicateScreening>[] {
  return parts.flatMap((part) => (part.experimentType === 'screening' ? part.binding : []));
}
