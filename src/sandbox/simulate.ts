/** Runs the instrument models on their own thread, one plate at a time. */
import { Worker } from 'node:worker_threads';
import type { SimulatedPlate } from './models/plates.ts';
import type { RunRequest } from './assays/simulated-assay.ts';

type Message = { readonly plate: SimulatedPlate } | { readonly done: true };

export function simulateOnThread(
  request: RunRequest,
  onPlate: (plate: SimulatedPlate) => Promise<void>,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const worker = new Worker(new URL('./simulate-worker.ts', import.meta.url), { workerData: request });
  worker.on('message', (message: Message) => {
    if ('done' in message) {
      resolve();
      return;
    }
    // The worker waits for this message, so that at most one plate is in memory twice.
    onPlate(message.plate).then(() => worker.postMessage('next'), reject);
  });
  worker.on('error', reject);
  worker.on('exit', (code) => reject(new Error(`the simulated instrument stopped with code ${code}`)));
  return promise.finally(() => void worker.terminate());
}
