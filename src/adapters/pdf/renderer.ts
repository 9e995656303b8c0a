/**
 * Draws documents on a separate thread, so that a long one does not block the thread that serves requests.
 * This folder: the thread that draws documents. Not here: what a document says or looks like (`presentation/`).
 */
import { Worker } from 'node:worker_threads';
import { fail } from '#core/failures.ts';
import type { PdfDocument, RenderPdf } from '#presentation/document.ts';

export interface Request {
  readonly id: number;
  readonly document: PdfDocument;
}

export type Answer = { readonly id: number } & (
  { readonly bytes: Uint8Array } | { readonly problem: string }
);

interface Waiting {
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

export interface PdfRenderer {
  readonly render: RenderPdf;
  close(): Promise<void>;
}

const WAITING_MAX = 50;
const TIMEOUT_MS = 30_000;
const HEAP_MB_MAX = 512;

/** The thread starts at the first document, and again after it has failed. */
export function createPdfRenderer(): PdfRenderer {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let lastId = 0;

  function settle(id: number): Waiting | undefined {
    const found = waiting.get(id);
    if (found !== undefined) clearTimeout(found.timer);
    waiting.delete(id);
    if (waiting.size === 0) worker?.unref();
    return found;
  }

  /** Rejects every document that waits for a thread that has ended. */
  function lose(lost: Worker, reason: string): void {
    if (worker !== lost) return;
    worker = undefined;
    // A copy, because settling removes entries.
    for (const id of Array.from(waiting.keys()))
      settle(id)?.reject(new Error(`the document was not drawn: ${reason}`));
  }

  function start(): Worker {
    const started = new Worker(new URL('./worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
    started.on('message', (answer: Answer) => {
      const found = settle(answer.id);
      if ('bytes' in answer) found?.resolve(answer.bytes);
      else found?.reject(new Error(`the document was not drawn: ${answer.problem}`));
    });
    started.on('error', (error: unknown) => lose(started, String(error)));
    started.on('exit', (code) => lose(started, `the thread ended with code ${code}`));
    return started;
  }

  function terminateOverrun(): void {
    const stuck = worker;
    if (stuck === undefined) return;
    lose(stuck, `it took longer than ${TIMEOUT_MS} ms`);
    void stuck.terminate();
  }

  return {
    async render(document) {
      if (waiting.size >= WAITING_MAX) throw fail('overloaded');
      worker ??= start();
      worker.ref();
      const id = ++lastId;
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
      waiting.set(id, { resolve, reject, timer: setTimeout(terminateOverrun, TIMEOUT_MS) });
      worker.postMessage({ id, document } satisfies Request);
      return promise;
    },
    async close() {
      const last = worker;
      if (last === undefined) return;
      lose(last, 'the service is stopping');
      await last.terminate();
    },
  };
}
