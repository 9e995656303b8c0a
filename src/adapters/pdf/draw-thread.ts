/** The thread that draws documents, one after another. */
import { parentPort } from 'node:worker_threads';
import { lowerThreadPriority } from '#core/thread-priority.ts';
import { drawPdf } from '#documents/pdf/draw.ts';
import type { Answer, Request } from './renderer.ts';

lowerThreadPriority();

parentPort?.on('message', ({ id, document, abandoned }: Request) => {
  const flag = new Int32Array(abandoned);
  void drawPdf(document, () => Atomics.load(flag, 0) !== 0).then(
    (bytes) => parentPort?.postMessage({ id, bytes } satisfies Answer),
    (error: unknown) => parentPort?.postMessage({ id, problem: String(error) } satisfies Answer),
  );
});
