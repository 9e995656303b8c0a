import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test, type TestContext } from 'node:test';
import { Failure } from '#core/failures.ts';
import type { PdfDocument } from '#presentation/document.ts';
import { createPdfRenderer, type Request } from './renderer.ts';

/** The renderer passes documents on without a look at them. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as said above
const DOCUMENT = {} as PdfDocument;
const BYTES = new Uint8Array([37]);

/** A thread that draws when the test says so. */
class HeldThread extends EventEmitter {
  readonly asked: number[] = [];
  isEnded = false;

  postMessage({ id }: Request): void {
    this.asked.push(id);
  }

  finish(): void {
    this.emit('message', { id: this.asked.at(-1), bytes: BYTES });
  }

  ref(): void {}

  unref(): void {}

  async terminate(): Promise<number> {
    this.isEnded = true;
    return 0;
  }
}

function createHeldRenderer({ mock }: TestContext) {
  mock.timers.enable({ apis: ['setTimeout'] });
  const threads: HeldThread[] = [];
  const renderer = createPdfRenderer(() => {
    const thread = new HeldThread();
    threads.push(thread);
    return thread;
  });
  return { renderer, threads, pass: (ms: number) => mock.timers.tick(ms) };
}

const isOverloaded = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'overloaded' && Number(error.headers['retry-after']) > 0;

test('render: a document waits 29 s and is drawn for 29 s → it is answered', async (context) => {
  const { renderer, threads, pass } = createHeldRenderer(context);
  const both = [renderer.render(DOCUMENT), renderer.render(DOCUMENT)];
  assert.deepEqual(threads[0]?.asked, [1]);
  pass(29_000);
  threads[0]?.finish();
  pass(29_000);
  threads[0]?.finish();
  assert.deepEqual(await Promise.all(both), [BYTES, BYTES]);
  assert.equal(threads.length, 1);
});

test('render: a drawing takes longer than 30 s → only that document fails, and a new thread draws the next', async (context) => {
  const { renderer, threads, pass } = createHeldRenderer(context);
  const stuck = assert.rejects(renderer.render(DOCUMENT), /it took longer than 30000 ms/);
  pass(15_000);
  const next = renderer.render(DOCUMENT);
  pass(15_000);
  await stuck;
  assert.equal(threads[0]?.isEnded, true);
  threads[1]?.finish();
  assert.equal(await next, BYTES);
});

test('overloaded: a document waits longer than 30 s → 503 with Retry-After, and it is never drawn', async (context) => {
  const { renderer, threads, pass } = createHeldRenderer(context);
  const both = [renderer.render(DOCUMENT), renderer.render(DOCUMENT)];
  const late = assert.rejects(renderer.render(DOCUMENT), isOverloaded);
  pass(20_000);
  threads[0]?.finish();
  pass(10_000);
  await late;
  threads[0]?.finish();
  assert.deepEqual(await Promise.all(both), [BYTES, BYTES]);
  assert.deepEqual(threads[0]?.asked, [1, 2]);
});

test('overloaded: fifty documents wait → the next gets 503 with Retry-After', async (context) => {
  const { renderer } = createHeldRenderer(context);
  const waiting = Array.from({ length: 51 }, () => assert.rejects(renderer.render(DOCUMENT), /is stopping/));
  await assert.rejects(renderer.render(DOCUMENT), isOverloaded);
  await renderer.close();
  await Promise.all(waiting);
});
