/** One worker thread of the pool: takes a job, answers with its result or with what went wrong. */
import { parentPort } from 'node:worker_threads';
import { analyze, analyzePart } from '../assays/binding/analyze.ts';
import { analyzeAssay } from '../assays/pack-result.ts';
import { inspectFile } from '../formats/inspect.ts';
import { judgeMeltFile, surveyMeltFiles } from '../assays/thermostability/melt-part.ts';
import { toMessage } from './pool-messages.ts';
import type { WorkerAnswer, WorkerProgress, WorkerRequest, WorkerResult } from './pool-messages.ts';

parentPort?.on('message', (request: WorkerRequest) => {
  let answer: WorkerAnswer;
  try {
    answer = { ok: true, result: resultOf(request) };
  } catch (error) {
    answer = { ok: false, error: toMessage(error) };
  }
  parentPort?.postMessage(answer);
});

function resultOf(request: WorkerRequest): WorkerResult {
  if ('assay' in request) return analyzeAssay(request.assay, tell);
  if ('melts' in request) return judgeMeltFile(request.melts);
  if ('survey' in request) return surveyMeltFiles(request.survey);
  if ('inspect' in request) return inspectFile(request.inspect);
  const { job, firstPlate } = request;
  return firstPlate === null ? analyze(job) : analyzePart(job, firstPlate);
}

function tell(done: number, total: number): void {
  const progress: WorkerProgress = { done, total };
  parentPort?.postMessage(progress);
}
