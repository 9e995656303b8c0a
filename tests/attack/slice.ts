/** Judges slices of a family in worker threads, so that every core works. */
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { FAMILIES, getFamily } from './families/registry.ts';
import { examineRun, type Verdict } from './judge/verdict.ts';

interface Slice {
  readonly family: string;
  readonly seeds: readonly number[];
}

interface Answer {
  readonly family: string;
  readonly verdicts: readonly Verdict[];
}

const SLICE_RUNS = 10;

function examineSlice({ family, seeds }: Slice): Answer {
  const found = getFamily(family);
  return { family, verdicts: seeds.flatMap((seed) => examineRun(found, seed)) };
}

export interface Task {
  readonly families: readonly string[];
  readonly runs: number;
  readonly firstSeed: number;
  readonly workers?: number;
  /** Called after each slice with the share that is done. */
  readonly report?: (family: string, done: number) => void;
}

function listSlices({ families, runs, firstSeed }: Task): Slice[] {
  const seeds = Array.from({ length: runs }, (_, index) => firstSeed + index);
  return families.flatMap((family) =>
    Array.from({ length: Math.ceil(runs / SLICE_RUNS) }, (_, index) => ({
      family,
      seeds: seeds.slice(index * SLICE_RUNS, (index + 1) * SLICE_RUNS),
    })),
  );
}

/** Judges every run and returns the verdicts by family, in the order of the seeds. */
export async function examineFamilies(task: Task): Promise<Map<string, Verdict[]>> {
  const slices = listSlices(task);
  const verdicts = new Map<string, Verdict[]>(task.families.map((family) => [family, []]));
  const total = slices.length;
  let done = 0;
  const accept = ({ family, verdicts: found }: Answer) => {
    verdicts.get(family)?.push(...found);
    done += 1;
    task.report?.(family, done / total);
  };
  const workers = Math.min(task.workers ?? availableParallelism(), total);
  if (workers <= 1) for (const slice of slices) accept(examineSlice(slice));
  else await Promise.all(Array.from({ length: workers }, () => driveWorker(slices, accept)));
  for (const found of verdicts.values()) found.sort((a, b) => a.seed - b.seed);
  return verdicts;
}

/** Feeds one thread until no slice is left. */
function driveWorker(slices: Slice[], accept: (answer: Answer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url));
    const feed = () => {
      const slice = slices.shift();
      if (slice === undefined) void worker.terminate().then(() => resolve());
      else worker.postMessage(slice);
    };
    worker.on('message', (answer: Answer) => {
      accept(answer);
      feed();
    });
    worker.on('error', reject);
    feed();
  });
}

export function listFamilyNames(): string[] {
  return FAMILIES.map(({ name }) => name);
}

if (!isMainThread) parentPort?.on('message', (slice: Slice) => parentPort?.postMessage(examineSlice(slice)));
