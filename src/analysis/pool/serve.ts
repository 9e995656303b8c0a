/** The loop of a worker thread: takes a job and returns its result or its error. */
import { parentPort, threadId } from 'node:worker_threads';
import { lowerThreadPriority } from '#core/thread-priority.ts';
import type { Assays } from '../assays/assay.ts';
import { keepInFile } from '../curves/packed-curves.ts';
import { cutRun } from '../cuts/cut-run.ts';
import { openFile } from '../formats/reading/input-file.ts';
import { previewRun } from '../preview/preview.ts';
import { toMessage } from './pool-messages.ts';
import type { WorkerAnswer, WorkerProgress, WorkerRequest } from './pool-messages.ts';

/** Serves jobs of these assays until the thread ends. */
export function serve(assays: Assays): void {
  lowerThreadPriority();
  parentPort?.on('message', (request: WorkerRequest) => {
    let answer: WorkerAnswer;
    try {
      answer = { ok: true, result: carryOut(assays, request) };
    } catch (error) {
      answer = { ok: false, error: toMessage(error) };
    }
    parentPort?.postMessage(answer);
  });
}

function carryOut(assays: Assays, request: WorkerRequest): unknown {
  const assay = assays[request.assay];
  if ('file' in request) return assay.inspect(openFile(request.file));
  if ('preview' in request) return previewRun(assay, request.preview);
  if ('cut' in request) return cutRun(assay, request.cut);
  const { job, aside } = request;
  if (aside === null) return assay.evaluate(job, tell);
  return keepInFile(`${aside}-${threadId}`, (keep) => assay.evaluate(job, tell, keep));
}

function tell(done: number, total: number): void {
  const progress: WorkerProgress = { done, total };
  parentPort?.postMessage(progress);
}
