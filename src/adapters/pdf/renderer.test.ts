import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test, type TestContext } from 'node:test';
import { Failure } from '#core/failures.ts';
import type { PdfDocument } from '#documents/document.ts';
import { createPdfRenderer, type Request } from './renderer.ts';

/** The renderer passes documents on without a look at them. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as said above
const DOCUMENT = {} as PdfDocument;
const WAITER = { organizationId: 'one' };
const BYTES = new Uint8Array([37]);

const ignore = (): void => undefined;

/** A thread that draws when the test says so. */
class HeldThread extends EventEmitter {
  readonly requests: number[] = [];
  readonly ref = ignore;
  readonly unref = ignore;
  isEnded = false;

  abandoned = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  postMessage({ id, abandoned }: Request): void {
    this.requests.push(id);
    this.abandoned = new Int32Array(abandoned);
  }

  finish(): void {
    this.emit('message', { id: this.requests.at(-1), bytes: BYTES });
  }

  giveUp(): void {
    this.emit('message', { id: this.requests.at(-1), problem: 'nobody waits' });
  }

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

const isAbandonment = (error: unknown): boolean =>
  error instanceof Failure &&
  error.settlesItself &&
  error.detail === 'The client left before its document was drawn.';

test('render: a document waits 29 s and is drawn for 29 s → it is answered', async (context) => {
  const { renderer, threads, pass } = createHeldRenderer(context);
  const both = [renderer.render(DOCUMENT, WAITER), renderer.render(DOCUMENT, WAITER)];
  assert.deepEqual(threads[0]?.requests, [1]);
  pass(29_000);
  threads[0]?.finish();
  pass(29_000);
  threads[0]?.finish();
  assert.deepEqual(await Promise.all(both), [BYTES, BYTES]);
  assert.equal(threads.length, 1);
});

test('render: a drawing takes longer than 30 s → only that document fails, and a new thread draws the next', async (context) => {
  const { renderer, threads, pass } = createHeldRenderer(context);
  const stuck = assert.rejects(renderer.render(DOCUMENT, WAITER), /it took longer than 30000 ms/);
  pass(15_000);
  const next = renderer.render(DOCUMENT, WAITER);
  pass(15_000);
  await stuck;
  assert.equal(threads[0]?.isEnded, true);
  threads[1]?.finish();
  assert.equal(await next, BYTES);
});

test('overloaded: a document waits longer than 30 s → 503 with Retry-After, and it is never drawn', async (context) => {
  const { renderer, threads, pass } = createHeldRenderer(context);
  const both = [renderer.render(DOCUMENT, WAITER), renderer.render(DOCUMENT, WAITER)];
  const late = assert.rejects(renderer.render(DOCUMENT, WAITER), isOverloaded);
  pass(20_000);
  threads[0]?.finish();
  pass(10_000);
  await late;
  threads[0]?.finish();
  assert.deepEqual(await Promise.all(both), [BYTES, BYTES]);
  assert.deepEqual(threads[0]?.requests, [1, 2]);
});

test('overloaded: fifty documents wait → the next gets 503 with Retry-After', async (context) => {
  const { renderer } = createHeldRenderer(context);
  const waiting = Array.from({ length: 51 }, () =>
    assert.rejects(renderer.render(DOCUMENT, WAITER), /is stopping/),
  );
  await assert.rejects(renderer.render(DOCUMENT, WAITER), isOverloaded);
  await renderer.close();
  await Promise.all(waiting);
});

test('render: one organization asks for 50 documents, then another for one → the other is drawn second', async (context) => {
  const { renderer, threads } = createHeldRenderer(context);
  const many = Array.from({ length: 50 }, () => renderer.render(DOCUMENT, WAITER));
  const other = renderer.render(DOCUMENT, { organizationId: 'two' });
  threads[0]?.finish();
  assert.deepEqual(threads[0]?.requests, [1, 51]);
  threads[0]?.finish();
  assert.equal(await other, BYTES);
  for (const _ of many) threads[0]?.finish();
  assert.deepEqual(new Set(await Promise.all(many)), new Set([BYTES]));
});

test('overloaded: one organization fills the queue, then another asks → the last document of the first gets 503, and the shares become even', async (context) => {
  const { renderer, threads } = createHeldRenderer(context);
  const mine = Array.from({ length: 51 }, () => renderer.render(DOCUMENT, WAITER));
  const outcomes = Promise.allSettled(mine);
  const theirs = Array.from({ length: 25 }, () => renderer.render(DOCUMENT, { organizationId: 'two' }));
  await assert.rejects(renderer.render(DOCUMENT, { organizationId: 'two' }), isOverloaded);
  await assert.rejects(renderer.render(DOCUMENT, WAITER), isOverloaded);
  for (let drawn = 0; drawn < 51; drawn++) threads[0]?.finish();
  await Promise.all(theirs);
  const settled = await outcomes;
  assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 26);
  for (const [index, outcome] of settled.entries())
    if (outcome.status === 'rejected') assert.ok(index >= 26 && isOverloaded(outcome.reason));
});

test('render: the client goes while its document waits → it is never drawn, and its place is free', async (context) => {
  const { renderer, threads } = createHeldRenderer(context);
  const [first, client] = [renderer.render(DOCUMENT, WAITER), new AbortController()];
  const gone = assert.rejects(renderer.render(DOCUMENT, { ...WAITER, signal: client.signal }), isAbandonment);
  const last = renderer.render(DOCUMENT, WAITER);
  client.abort();
  await gone;
  threads[0]?.finish();
  threads[0]?.finish();
  assert.deepEqual(await Promise.all([first, last]), [BYTES, BYTES]);
  assert.deepEqual(threads[0]?.requests, [1, 3]);
  await assert.rejects(renderer.render(DOCUMENT, { ...WAITER, signal: AbortSignal.abort() }), isAbandonment);
  assert.deepEqual(threads[0]?.requests, [1, 3]);
});

test('render: the client goes while its document is drawn → the thread is told, and the next one is drawn', async (context) => {
  const { renderer, threads } = createHeldRenderer(context);
  const client = new AbortController();
  const gone = assert.rejects(renderer.render(DOCUMENT, { ...WAITER, signal: client.signal }), isAbandonment);
  const next = renderer.render(DOCUMENT, WAITER);
  const abandoned = threads[0]?.abandoned;
  assert.equal(abandoned?.[0], 0);
  client.abort();
  assert.equal(abandoned?.[0], 1);
  threads[0]?.giveUp();
  await gone;
  threads[0]?.finish();
  assert.equal(await next, BYTES);
});
