import assert from 'node:assert/strict';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const MODULE = new URL('./thread-priority.ts', import.meta.url).href;
const SOURCE = `
  import { getPriority } from 'node:os';
  import { parentPort } from 'node:worker_threads';
  import { lowerThreadPriority } from '${MODULE}';
  lowerThreadPriority();
  parentPort.postMessage(getPriority());
`;

test(
  'thread priority: a worker thread lowers its own → it gives way, the thread of requests keeps its priority',
  { skip: process.platform === 'linux' ? false : 'only Linux gives a thread a priority of its own' },
  async () => {
    const before = getPriority();
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(SOURCE)}`));
    const [priority] = await once(worker, 'message');
    await worker.terminate();
    assert.ok(Number(priority) > before, `${String(priority)} of the worker, ${before} of the process`);
    assert.equal(getPriority(), before);
  },
);
