import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { test } from 'node:test';

const LAST = 19;
const MODULE = new URL('./thread-priority.ts', import.meta.url).href;
const THREAD = `
  import { getPriority } from 'node:os';
  import { parentPort } from 'node:worker_threads';
  import { lowerThreadPriority } from '${MODULE}';
  lowerThreadPriority();
  parentPort.postMessage(getPriority());
`;
const REFUSAL = `
  import os from 'node:os';
  import { syncBuiltinESMExports } from 'node:module';
  os.setPriority = () => { throw new Error('uv_os_setpriority returned EPERM'); };
  syncBuiltinESMExports();
`;
const formatProcess = (thread: string) => `
  import { getPriority, setPriority } from 'node:os';
  import { Worker } from 'node:worker_threads';
  setPriority(getPriority() + Number(process.argv[1]));
  const worker = new Worker(new URL(${JSON.stringify(`data:text/javascript,${encodeURIComponent(thread)}`)}));
  worker.on('message', (ofThread) => console.log(JSON.stringify({ ofThread, ofRequests: getPriority() })));
`;

interface Priorities {
  readonly ofThread: number;
  readonly ofRequests: number;
}

/** Nice values of a worker thread and of the thread that started it, in a process this much behind the test. */
function measurePriorities(behind: number, thread = THREAD): Priorities {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', formatProcess(thread), String(behind)],
    { encoding: 'utf8' },
  );
  assert.equal(stderr, '');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the process above writes
  return JSON.parse(stdout) as Priorities;
}

const options = {
  skip: process.platform === 'linux' ? false : 'only Linux gives a thread a priority of its own',
};

test(
  'thread priority: a thread that computes → 5 behind the thread of requests, which keeps its own',
  options,
  () => {
    const { ofThread, ofRequests } = measurePriorities(0);
    assert.equal(ofRequests, getPriority());
    assert.equal(ofThread, Math.min(LAST, ofRequests + 5));
  },
);

test('thread priority: a process that is almost the last → its thread is the last', options, () => {
  assert.equal(measurePriorities(LAST - 1 - getPriority()).ofThread, LAST);
});

test(
  'thread priority: a system that refuses the call → the thread computes at the priority of the process',
  options,
  () => {
    const { ofThread, ofRequests } = measurePriorities(0, REFUSAL + THREAD);
    assert.equal(ofThread, ofRequests);
  },
);
