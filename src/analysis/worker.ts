/** One worker thread of the pool: takes a job, answers with its result or with what went wrong. */
import { parentPort } from 'node:worker_threads';
import { analyze, analyzePart } from './analyze.ts';
import { toMessage } from './pool-messages.ts';
import type { WorkerAnswer, WorkerRequest } from './pool-messages.ts';

parentPort?.on('message', (request: WorkerRequest) => {
  let answer: WorkerAnswer;
  try {
    const { job, firstPlate } = request;
    answer = { ok: true, result: firstPlate === null ? analyze(job) : analyzePart(job, firstPlate) };
  } catch (error) {
    answer = { ok: false, error: toMessage(error) };
  }
  parentPort?.postMessage(answer);
});
