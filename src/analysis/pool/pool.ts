/**
 * Worker threads for analyses, so that fitting never blocks the thread that serves requests. They do the jobs of a run of any size;
 * what comes back are numbers and packed curves. A job has a time limit; a worker that crashes or overruns takes its job with it
 * and is replaced.
 * This folder: worker threads for analyses and the batches they get. Not here: what an analysis computes.
 */
import { findErrorCode, getErrorMessage } from '#core/records.ts';
import { setImmediate as waitForTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Assay, AssayRun, Assays, ResultOf } from '../assays/assay.ts';
import type { Cut, CutRequest } from '../cuts/types.ts';
import type { FileContents, FileToInspect } from '../formats/inspect.ts';
import type { Preview, PreviewRequest } from '../preview/types.ts';
import { fromMessage, type WorkerAnswer, type WorkerProgress, type WorkerRequest } from './pool-messages.ts';

/** Progress callback: parts done, total. */
export type Progress = (done: number, total: number) => void;

export interface RunToAnalyze<Name extends string> extends AssayRun {
  experimentType: Name;
  onProgress?: Progress;
  /** The threads keep packed curves in files whose path begins with this; without it they stay in memory. */
  curvesAside?: string;
}

/** Runs jobs of assays; a pool of workers is one implementation. */
export interface Workers {
  /** Number of jobs that run at the same time. */
  readonly size: number;
  evaluate(assay: string, job: unknown, options?: JobOptions): Promise<unknown>;
}

export interface JobOptions {
  readonly onProgress?: Progress | undefined;
  readonly curvesAside?: string | undefined;
}

export interface AnalysisPoolOptions {
  /** Worker threads; started when first needed. Default 1. */
  size?: number;
  /** Time limit of a job, counted from when a worker takes it. Default 5 minutes. */
  timeoutMs?: number;
  /** Jobs that may wait. Default 1,000. */
  queueMax?: number;
  /** Heap of one worker in MB. Default 1,024. */
  heapMbMax?: number;
  /** Module that the workers run; it serves the engines of the assays. */
  workerUrl: URL;
}

export type PoolErrorCode = 'timeout' | 'crashed' | 'out_of_memory' | 'closed' | 'queue_full';

/** The error code of Node for a worker that reached its memory limit. */
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

/** A job without a result because of the pool, not of the data. */
export class PoolError extends Error {
  readonly code: PoolErrorCode;

  constructor(code: PoolErrorCode, message: string) {
    super(message);
    this.name = 'PoolError';
    this.code = code;
  }
}

interface Task {
  request: WorkerRequest;
  onProgress: Progress | undefined;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

interface Slot {
  worker: Worker;
  task: Task | null;
  timer: NodeJS.Timeout | null;
}

export class AnalysisPool implements Workers {
  readonly size: number;
  private readonly timeoutMs: number;
  private readonly queueMax: number;
  private readonly heapMbMax: number;
  private readonly workerUrl: URL;
  private readonly slots = new Set<Slot>();
  private readonly queue: Task[] = [];
  private closed = false;

  constructor(options: AnalysisPoolOptions) {
    this.size = options.size ?? 1;
    this.timeoutMs = options.timeoutMs ?? 300_000;
    this.queueMax = options.queueMax ?? 1_000;
    this.heapMbMax = options.heapMbMax ?? 1_024;
    this.workerUrl = options.workerUrl;
    if (!Number.isInteger(this.size) || this.size < 1)
      throw new RangeError('A pool needs at least one worker.');
  }

  /** Runs one job of an assay. Rejects with FormatError, AnalysisError, PoolError, or the error of a defect. */
  async evaluate(
    assay: string,
    job: unknown,
    { onProgress, curvesAside }: JobOptions = {},
  ): Promise<unknown> {
    return this.ask({ assay, job, aside: curvesAside ?? null }, onProgress);
  }

  /** Inspects one raw file. Rejects like `evaluate`. */
  async inspect({ experimentType, file }: FileToInspect): Promise<FileContents> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what serve.ts answers to a file
    return (await this.ask({ assay: experimentType, file })) as FileContents;
  }

  /** Previews the files of a run for the named assay. Rejects with PoolError, or the error of a defect. */
  async preview(experimentType: string, preview: PreviewRequest): Promise<Preview> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what serve.ts answers to a preview
    return (await this.ask({ assay: experimentType, preview })) as Preview;
  }

  /** Cuts the files of a run that serves several experiments. Rejects like `evaluate`. */
  async cut(experimentType: string, cut: CutRequest): Promise<Cut> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what serve.ts answers to a cut
    return (await this.ask({ assay: experimentType, cut })) as Cut;
  }

  private async ask(request: WorkerRequest, onProgress?: Progress): Promise<unknown> {
    if (this.closed) throw new PoolError('closed', 'The analysis pool is closed.');
    if (this.queue.length >= this.queueMax)
      throw new PoolError('queue_full', 'Too many analyses are waiting.');
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.queue.push({ request, onProgress, resolve, reject });
    this.dispatch();
    return promise;
  }

  /** Rejects waiting and running jobs, and stops the workers. */
  async close(): Promise<void> {
    this.closed = true;
    const error = new PoolError('closed', 'The analysis pool was closed.');
    for (const task of this.queue.splice(0)) task.reject(error);
    await Promise.all([...this.slots].map((slot) => this.retire(slot, error)));
  }

  private dispatch(): void {
    while (this.queue.length > 0) {
      const slot = [...this.slots].find((each) => each.task === null) ?? this.grow();
      if (slot === null) return;
      const task = this.queue.shift();
      if (task === undefined) return;
      slot.task = task;
      slot.timer = setTimeout(() => this.retireOverrun(slot), this.timeoutMs);
      slot.worker.ref();
      try {
        slot.worker.postMessage(task.request);
      } catch (error) {
        this.release(slot)?.reject(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  private grow(): Slot | null {
    if (this.slots.size >= this.size) return null;
    const worker = new Worker(this.workerUrl, { resourceLimits: { maxOldGenerationSizeMb: this.heapMbMax } });
    const slot: Slot = { worker, task: null, timer: null };
    worker.unref();
    worker.on('message', (answer: WorkerAnswer | WorkerProgress) => {
      if ('total' in answer) {
        slot.task?.onProgress?.(answer.done, answer.total);
        return;
      }
      const task = this.release(slot);
      if (answer.ok) task?.resolve(answer.result);
      else task?.reject(fromMessage(answer.error));
      this.dispatch();
    });
    worker.on('error', (error: unknown) => this.lose(slot, this.describeLoss(error)));
    worker.on('exit', (code) =>
      this.lose(slot, new PoolError('crashed', `The analysis worker ended with code ${code}.`)),
    );
    this.slots.add(slot);
    return slot;
  }

  private describeLoss(error: unknown): PoolError {
    if (findErrorCode(error) === OUT_OF_MEMORY) {
      const message = `The analysis needs more than the ${this.heapMbMax} MB of memory that it may take. Bring its data in smaller files.`;
      return new PoolError('out_of_memory', message);
    }
    const reason = getErrorMessage(error);
    return new PoolError('crashed', `The analysis worker crashed: ${reason}`);
  }

  /** Takes the task from a slot; an idle slot does not keep the process alive. */
  private release(slot: Slot): Task | null {
    const { task, timer } = slot;
    if (timer !== null) clearTimeout(timer);
    slot.task = null;
    slot.timer = null;
    slot.worker.unref();
    return task;
  }

  private lose(slot: Slot, error: PoolError): void {
    if (!this.slots.delete(slot)) return;
    this.release(slot)?.reject(error);
    if (!this.closed) this.dispatch();
  }

  private retireOverrun(slot: Slot): void {
    const error = new PoolError('timeout', `The analysis took longer than ${this.timeoutMs} ms.`);
    void this.retire(slot, error).then(() => this.dispatch());
  }

  private async retire(slot: Slot, error: PoolError): Promise<void> {
    this.slots.delete(slot);
    this.release(slot)?.reject(error);
    await slot.worker.terminate();
  }
}

/** A run is combined for so long before requests have their turn. */
const TURN_MS = 10;

/** Returns a pause that lets others have their turn, unless the present one has only just begun. */
function createPause(): () => Promise<void> {
  let fromMs = performance.now();
  return async () => {
    if (performance.now() - fromMs < TURN_MS) return;
    await waitForTurn();
    fromMs = performance.now();
  };
}

/** Analyzes a run with the named assay. Rejects with the first failure of the assay or the workers. */
export async function analyzeInWorkers<Registry extends Assays, Name extends keyof Registry & string>(
  assays: Registry,
  { experimentType, onProgress, curvesAside, ...run }: RunToAnalyze<Name>,
  workers: Workers,
): Promise<ResultOf<Registry[Name]>> {
  const assay: Assay = assays[experimentType];
  const split = assay.split(run);
  const pause = createPause();
  let step = split.next([]);
  while (step.done !== true) {
    const { jobs, nDone } = step.value;
    await pause();
    let done = nDone ?? 0;
    const total = done + jobs.length;
    const parts = await runSideBySide(jobs, workers.size, async (job) => {
      if (nDone === null) return workers.evaluate(experimentType, job, { onProgress, curvesAside });
      const part = await workers.evaluate(experimentType, job, { curvesAside });
      done += 1;
      onProgress?.(done, total);
      return part;
    });
    step = split.next(parts);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the assay of this name returns
  return step.value as ResultOf<Registry[Name]>;
}

/** Runs work on many items, a few at a time. */

/**
 * Returns the results of `work` in the order of the items. One item more than `size` is in progress, so that a worker
 * that finishes finds the next. Rejects with the first failure, after all work in progress has ended.
 */
async function runSideBySide<Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const underWay = new Set<Promise<void>>();
  const start = (index: number, item: Item): void => {
    const carryOut = async (): Promise<void> => {
      results[index] = await work(item);
      underWay.delete(one);
    };
    const one = carryOut();
    // The next await receives a failure; until then it must not count as unhandled.
    one.catch(() => undefined);
    underWay.add(one);
  };
  try {
    for (const [index, item] of items.entries()) {
      start(index, item);
      while (underWay.size > size) await Promise.race(underWay);
    }
    await Promise.all(underWay);
  } finally {
    await Promise.allSettled(underWay);
  }
  return results;
}
