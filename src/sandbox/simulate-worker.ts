import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { runFiles } from './assays/run-files.ts';
import type { RunRequest } from './assays/simulated-assay.ts';

if (parentPort === null) throw new Error('this module runs as a worker thread');
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- simulate.ts is the only one that starts this thread
const request = workerData as RunRequest;
for (const plate of runFiles(request)) {
  parentPort.postMessage({ plate });
  await once(parentPort, 'message');
}
parentPort.postMessage({ done: true });
