/**
 * Draws documents on a separate thread, so that a long one does not block the thread that serves requests. The thread
 * gets one at a time: the time of a document begins when its drawing begins, and one that fails takes no other with it.
 * This folder: the thread that draws documents. Not here: what a document says or looks like (`presentation/`).
 */
import type { EventEmitter } from 'node:events';
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

interface Job extends Request {
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: Error) => void;
  /** Ends the wait first, and then the drawing. */
  timer: NodeJS.Timeout;
}

export interface PdfRenderer {
  readonly render: RenderPdf;
  close(): Promise<void>;
}

const WAITING_MAX = 50;
const WAIT_MS_MAX = 30_000;
const DRAWING_MS_MAX = 30_000;
const HEAP_MB_MAX = 512;
/** Seconds after which a client that found the queue full may ask again. */
const RETRY_AFTER_S = 10;

type Thread = EventEmitter & Pick<Worker, 'postMessage' | 'ref' | 'unref' | 'terminate'>;

const startThread = (): Thread =>
  new Worker(new URL('./worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  });

/** The thread starts at the first document, and again after it has failed. */
export function createPdfRenderer(start: () => Thread = startThread): PdfRenderer {
  const waiting = new Map<number, Job>();
  let drawn: Job | undefined;
  let thread: Thread | undefined;
  let lastId = 0;

  function drawNext(): void {
    const [next] = waiting.values();
    if (drawn !== undefined || next === undefined) return;
    waiting.delete(next.id);
    clearTimeout(next.timer);
    drawn = next;
    thread ??= watch(start());
    thread.ref();
    next.timer = setTimeout(stopOverrun, DRAWING_MS_MAX);
    const { id, document } = next;
    thread.postMessage({ id, document } satisfies Request);
  }

  function settleDrawn(): Job | undefined {
    const settled = drawn;
    clearTimeout(settled?.timer);
    drawn = undefined;
    thread?.unref();
    return settled;
  }

  /** Rejects the document that was being drawn; a new thread takes the next. */
  function lose(lost: Thread, reason: string): void {
    if (thread !== lost) return;
    thread = undefined;
    settleDrawn()?.reject(createLoss(reason));
    drawNext();
  }

  function watch(started: Thread): Thread {
    started.on('message', (answer: Answer) => {
      if (drawn?.id !== answer.id) return;
      const settled = settleDrawn();
      if ('bytes' in answer) settled?.resolve(answer.bytes);
      else settled?.reject(createLoss(answer.problem));
      drawNext();
    });
    started.on('error', (error: unknown) => lose(started, String(error)));
    started.on('exit', (code: number) => lose(started, `the thread ended with code ${code}`));
    return started;
  }

  function stopOverrun(): void {
    const stuck = thread;
    if (stuck === undefined) return;
    lose(stuck, `it took longer than ${DRAWING_MS_MAX} ms`);
    void stuck.terminate();
  }

  return {
    async render(document) {
      if (waiting.size >= WAITING_MAX) throw createOverload();
      const id = ++lastId;
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
      const giveUp = (): void => {
        waiting.delete(id);
        reject(createOverload());
      };
      waiting.set(id, { id, document, resolve, reject, timer: setTimeout(giveUp, WAIT_MS_MAX) });
      drawNext();
      return promise;
    },
    async close() {
      for (const { reject, timer } of waiting.values()) {
        clearTimeout(timer);
        reject(createLoss('the service is stopping'));
      }
      waiting.clear();
      const last = thread;
      if (last === undefined) return;
      lose(last, 'the service is stopping');
      await last.terminate();
    },
  };
}

function createLoss(reason: string): Error {
  return new Error(`the document was not drawn: ${reason}`);
}

function createOverload(): Error {
  return fail('overloaded', {}, { headers: { 'retry-after': String(RETRY_AFTER_S) } });
}
