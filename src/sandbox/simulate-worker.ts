import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { plateFiles, type SimulationRequest } from './models/plates.ts';

if (parentPort === null) throw new Error('this module runs as a worker thread');
for (const plate of plateFiles(workerData as SimulationRequest)) {
  parentPort.postMessage({ plate });
  await once(parentPort, 'message');
}
parentPort.postMessage({ done: true });
