/** The thread that runs the instrument models, one run after another. */
import { once } from 'node:events';
import { parentPort, type MessagePort } from 'node:worker_threads';
import { lowerThreadPriority } from '#core/thread-priority.ts';
import { runFiles } from './run-files.ts';
import type { RunRequest } from '#assays/simulated-assay.ts';
import type { ThreadAnswer, ThreadRequest } from './simulate.ts';

if (parentPort === null) throw new Error('this module runs as a worker thread');
lowerThreadPriority();
await serve(parentPort);

async function serve(port: MessagePort): Promise<never> {
  for (;;) await sendPlates(port, await takeRun(port));
}

async function takeRun(port: MessagePort): Promise<RunRequest> {
  for (;;) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- simulate.ts is the only one that starts this thread
    const [message] = (await once(port, 'message')) as [ThreadRequest];
    if ('run' in message) return message.run;
  }
}

async function sendPlates(port: MessagePort, request: RunRequest): Promise<void> {
  const answer = (message: ThreadAnswer): void => port.postMessage(message);
  for (const plate of runFiles(request)) {
    answer({ plate });
    await once(port, 'message');
  }
  answer({ done: true });
}
