/** The thread that draws documents, one after another. */
import { parentPort } from 'node:worker_threads';
import { drawPdf } from '#presentation/pdf/draw.ts';
import type { Answer, Request } from './renderer.ts';

parentPort?.on('message', ({ id, document }: Request) => {
  void drawPdf(document).then(
    (bytes) => parentPort?.postMessage({ id, bytes } satisfies Answer),
    (error: unknown) => parentPort?.postMessage({ id, problem: String(error) } satisfies Answer),
  );
});
