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
  const queue = new DrawingQueue(start);
  return { render: (document) => queue.draw(document), close: () => queue.close() };
}

class DrawingQueue {
  readonly #start: () => Thread;
  readonly #waiting = new Map<number, Job>();
  #drawn: Job | undefined;
  #thread: Thread | undefined;
  #lastId = 0;

  constructor(start: () => Thread) {
    this.#start = start;
  }

  async draw(document: PdfDocument): Promise<Uint8Array> {
    if (this.#waiting.size >= WAITING_MAX) throw createOverload();
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const giveUp = (): void => {
      this.#waiting.delete(id);
      reject(createOverload());
    };
    this.#waiting.set(id, { id, document, resolve, reject, timer: setTimeout(giveUp, WAIT_MS_MAX) });
    this.#drawNext();
    return promise;
  }

  async close(): Promise<void> {
    const reason = 'the service is stopping';
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(createLoss(reason));
    }
    this.#waiting.clear();
    const last = this.#thread;
    if (last === undefined) return;
    this.#lose(last, reason);
    await last.terminate();
  }

  #drawNext(): void {
    const [next] = this.#waiting.values();
    if (this.#drawn !== undefined || next === undefined) return;
    const { id, document, timer } = next;
    this.#waiting.delete(id);
    clearTimeout(timer);
    this.#drawn = next;
    this.#thread ??= this.#watch(this.#start());
    this.#thread.ref();
    next.timer = setTimeout(() => this.#stopOverrun(), DRAWING_MS_MAX);
    this.#thread.postMessage({ id, document } satisfies Request);
  }

  #settleDrawn(): Job | undefined {
    const settled = this.#drawn;
    clearTimeout(settled?.timer);
    this.#drawn = undefined;
    this.#thread?.unref();
    return settled;
  }

  /** Rejects the document that was being drawn; a new thread takes the next. */
  #lose(lost: Thread, reason: string): void {
    if (this.#thread !== lost) return;
    this.#thread = undefined;
    this.#settleDrawn()?.reject(createLoss(reason));
    this.#drawNext();
  }

  #watch(started: Thread): Thread {
    started.on('message', (answer: Answer) => {
      if (this.#drawn?.id !== answer.id) return;
      const settled = this.#settleDrawn();
      if ('bytes' in answer) settled?.resolve(answer.bytes);
      else settled?.reject(createLoss(answer.problem));
      this.#drawNext();
    });
    started.on('error', (error: unknown) => this.#lose(started, String(error)));
    started.on('exit', (code: number) => this.#lose(started, `the thread ended with code ${code}`));
    return started;
  }

  #stopOverrun(): void {
    const stuck = this.#thread;
    if (stuck === undefined) return;
    this.#lose(stuck, `it took longer than ${DRAWING_MS_MAX} ms`);
    void stuck.terminate();
  }
}

function createLoss(reason: string): Error {
  return new Error(`the document was not drawn: ${reason}`);
}

function createOverload(): Error {
  return fail('overloaded', {}, { headers: { 'retry-after': String(RETRY_AFTER_S) } });
}
