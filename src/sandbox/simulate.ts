/** Runs the instrument models on threads of their own, one plate at a time. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { locateEntry } from '#core/package-root.ts';
import type { SimulatedPlate } from './models/plates.ts';
import type { RunRequest } from '#assays/simulated-assay.ts';

export type ThreadAnswer = { readonly plate: SimulatedPlate } | { readonly done: true };
export type ThreadRequest = { readonly run: RunRequest } | { readonly next: true };

/** Loading its modules takes a thread longer than most runs do, so it waits this long for another run. */
const IDLE_MS = 60_000;
/** More threads than cores only load their modules once more each; with two, a short run does not wait for a long one. */
const MAX_THREADS = Math.max(2, availableParallelism());

/** A thread that simulated more plates has grown, and ends with its run. */
const PLATES_MAX = 20;
/** What it takes beyond a plate is garbage, which a small heap collects sooner. */
const HEAP = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 256 };

interface IdleThread {
  readonly worker: Worker;
  readonly timer: NodeJS.Timeout;
}

/** Threads without a run; they do not keep the process alive. */
const idle: IdleThread[] = [];
/** Runs that wait for a thread, the first one first; each gets a thread, or none and then makes one. */
const waiting: ((worker: Worker | undefined) => void)[] = [];
let busyThreads = 0;

/** Simulates one run; a run waits while as many as there are cores are under way. */
export async function simulateOnThread(
  request: RunRequest,
  onPlate: (plate: SimulatedPlate) => Promise<void>,
): Promise<void> {
  const worker = await takeThread();
  let plates = 0;
  try {
    await runOn(worker, request, (plate) => {
      plates += 1;
      return onPlate(plate);
    });
  } catch (error) {
    // The thread is in the middle of a run, or has ended.
    await worker.terminate();
    passOn(undefined);
    throw error;
  }
  if (plates <= PLATES_MAX) return passOn(worker);
  await worker.terminate();
  passOn(undefined);
}

async function runOn(
  worker: Worker,
  request: RunRequest,
  onPlate: (plate: SimulatedPlate) => Promise<void>,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const send = (message: ThreadRequest): void => worker.postMessage(message);
  worker.on('message', (answer: ThreadAnswer) => {
    if ('done' in answer) resolve();
    // The thread waits for this message, so that at most one plate is in memory twice.
    else onPlate(answer.plate).then(() => send({ next: true }), reject);
  });
  worker.on('error', reject);
  worker.on('exit', (code) => reject(new Error(`the simulated instrument stopped with code ${code}`)));
  try {
    send({ run: request });
    await promise;
  } finally {
    removeListeners(worker);
  }
}

/** The thread's own listeners to listeners stay: without them it hears nothing any more. */
function removeListeners(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
}

async function takeThread(): Promise<Worker> {
  if (busyThreads < MAX_THREADS) busyThreads += 1;
  else {
    const { promise, resolve } = Promise.withResolvers<Worker | undefined>();
    waiting.push(resolve);
    const result = await promise;
    if (result !== undefined) return result;
  }
  const idleWorker = idle.pop();
  if (idleWorker === undefined)
    return new Worker(locateEntry(new URL('./simulate-worker.ts', import.meta.url)), {
      resourceLimits: HEAP,
    });
  clearTimeout(idleWorker.timer);
  removeListeners(idleWorker.worker);
  idleWorker.worker.ref();
  return idleWorker.worker;
}

/** Gives the thread of a run that ended to the next run; none where the thread ended too. */
function passOn(worker: Worker | undefined): void {
  const takeOver = waiting.shift();
  if (takeOver !== undefined) return takeOver(worker);
  busyThreads -= 1;
  if (worker !== undefined) keepThread(worker);
}

/** One thread waits for the next run; a second one that is free at the same time ends. */
function keepThread(worker: Worker): void {
  if (idle.length > 0) {
    void worker.terminate();
    return;
  }
  const drop = (): void => {
    const index = idle.findIndex((kept) => kept.worker === worker);
    if (index >= 0) idle.splice(index, 1);
    clearTimeout(timer);
    void worker.terminate();
  };
  const timer = setTimeout(drop, IDLE_MS).unref();
  worker.on('error', drop);
  worker.on('exit', drop);
  worker.unref();
  idle.push({ worker, timer });
}
