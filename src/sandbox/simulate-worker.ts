import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { plateFiles, type SimulationRequest } from './models/plates.ts';

if (parentPort === null) throw new Error('this module runs as a worker thread');
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- simulate.ts is the only one that starts this thread
const request = workerData as SimulationRequest;
for (const plate of plateFiles(request)) {
  parentPort.postMessage({ plate });
  await once(parentPort, 'message');
}
parentPort.postMessage({ done: true });
