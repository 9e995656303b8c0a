/**
 * Draws documents on a separate thread, so that a long one does not block the thread that serves requests. The thread
 * gets one at a time: the time of a document begins when its drawing begins, and one that fails takes no other with it.
 * Organizations take turns, so that one that asks for many documents does not keep the others waiting.
 * This folder: the thread that draws documents. Not here: what a document says or looks like (`documents/`).
 */
import type { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import { locateEntry } from '#core/package-root.ts';
import { fail } from '#core/failures.ts';
import type { DocumentWaiter, PdfDocument, RenderPdf } from '#documents/document.ts';
import { FairQueue } from './fair-queue.ts';

export interface Request {
  readonly id: number;
  readonly document: PdfDocument;
  /** One 32-bit number, which the thread reads while it draws: not 0 once nobody waits for the document. */
  readonly abandoned: SharedArrayBuffer;
}

export type Answer = { readonly id: number } & (
  { readonly bytes: Uint8Array } | { readonly problem: string }
);

interface Job extends Request {
  readonly owner: string;
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
  new Worker(locateEntry(new URL('./draw-thread.ts', import.meta.url)), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  });

/** The thread starts at the first document, and again after it has failed. */
export function createPdfRenderer(start: () => Thread = startThread): PdfRenderer {
  const queue = new DrawingQueue(start);
  return { render: (document, waiter) => queue.draw(document, waiter), close: () => queue.close() };
}

class DrawingQueue {
  readonly #start: () => Thread;
  readonly #waiting = new FairQueue<Job>();
  #drawn: Job | undefined;
  #thread: Thread | undefined;
  #lastId = 0;

  constructor(start: () => Thread) {
    this.#start = start;
  }

  async draw(document: PdfDocument, { organizationId: owner, signal }: DocumentWaiter): Promise<Uint8Array> {
    if (signal?.aborted === true) throw createAbandonment();
    if (this.#waiting.size >= WAITING_MAX) this.#makeRoom(owner);
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const abandon = (): void => this.#abandon(job);
    const job: Job = {
      id: ++this.#lastId,
      owner,
      document,
      abandoned: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
      resolve,
      reject,
      timer: setTimeout(() => this.#refuse(job, createOverload()), WAIT_MS_MAX),
    };
    signal?.addEventListener('abort', abandon, { once: true });
    this.#waiting.add(job);
    this.#drawNext();
    return promise.finally(() => signal?.removeEventListener('abort', abandon));
  }

  async close(): Promise<void> {
    const reason = 'the service is stopping';
    for (const { reject, timer } of this.#waiting.clear()) {
      clearTimeout(timer);
      reject(createLoss(reason));
    }
    const last = this.#thread;
    if (last === undefined) return;
    this.#lose(last, reason);
    await last.terminate();
  }

  /** Of a full queue, the owner with the most documents gives up its last one for an owner with fewer. */
  #makeRoom(owner: string): void {
    const excess = this.#waiting.findExcess(owner);
    if (excess === undefined) throw createOverload();
    this.#refuse(excess, createOverload());
  }

  /** Refuses a document that waits for its turn; answers false where it does not. */
  #refuse(job: Job, reason: Error): boolean {
    if (!this.#waiting.remove(job)) return false;
    clearTimeout(job.timer);
    job.reject(reason);
    return true;
  }

  /** The client is gone: a document that waits is not drawn, and a drawing ends before its next block. */
  #abandon(job: Job): void {
    if (!this.#refuse(job, createAbandonment())) Atomics.store(new Int32Array(job.abandoned), 0, 1);
  }

  #drawNext(): void {
    const next = this.#drawn === undefined ? this.#waiting.take() : undefined;
    if (next === undefined) return;
    const { id, document, abandoned, timer } = next;
    clearTimeout(timer);
    this.#drawn = next;
    this.#thread ??= this.#watch(this.#start());
    this.#thread.ref();
    next.timer = setTimeout(() => this.#stopOverrun(), DRAWING_MS_MAX);
    this.#thread.postMessage({ id, document, abandoned } satisfies Request);
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
      if (settled === undefined) return;
      if ('bytes' in answer) settled.resolve(answer.bytes);
      else settled.reject(isAbandoned(settled) ? createAbandonment() : createLoss(answer.problem));
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

function isAbandoned({ abandoned }: Job): boolean {
  return Atomics.load(new Int32Array(abandoned), 0) !== 0;
}

/** Nobody reads this answer; the log tells it from a busy service. */
function createAbandonment(): Error {
  return fail(
    'overloaded',
    {},
    { settlesItself: true, detail: 'The client left before its document was drawn.' },
  );
}

function createOverload(): Error {
  return fail('overloaded', {}, { headers: { 'retry-after': String(RETRY_AFTER_S) } });
}
