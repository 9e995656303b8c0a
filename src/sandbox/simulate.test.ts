import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import type { RunRequest } from '#assays/simulated-assay.ts';
import { runFiles } from './run-files.ts';
import type { SimulatedPlate } from './models/plates.ts';
import { simulateOnThread } from './simulate.ts';

const createRequest = (experimentType: string, experimentCode: string): RunRequest => ({
  experimentCode,
  experimentType,
  method: 'bli',
  target: { id: 'a target', name: 'antigen' },
  sequences: [{ id: 'a', name: 'a', aaString: 'QVQLVESGGGLVQAGGSLRLSCAAS', isControl: false }],
  nReplicates: 1,
  options: { force: 'binder' },
});

const ONE = createRequest('screening', 'SIM-001');
const OTHER = createRequest('expression', 'SIM-002');

/** Counts threads that begin from here on. */
function countThreads(t: { after: (fn: () => void) => void }): () => number {
  let count = 0;
  const add = (): void => void (count += 1);
  process.on('worker', add);
  t.after(() => void process.off('worker', add));
  return () => count;
}

async function record(request: RunRequest): Promise<SimulatedPlate[]> {
  const plates: SimulatedPlate[] = [];
  await simulateOnThread(request, (plate) => Promise.resolve(void plates.push(plate)));
  return plates;
}

test('simulateOnThread: runs one after another → one thread, the same files as without a thread', async (t) => {
  const threads = countThreads(t);
  for (const request of [ONE, OTHER, ONE]) {
    const plates = await record(request);
    const expected = [...runFiles(request)];
    assert.ok(expected.length > 0);
    assert.deepEqual(
      plates.map(({ fileName, bytes }) => [fileName, Buffer.from(bytes).toString('base64')]),
      expected.map(({ fileName, bytes }) => [fileName, Buffer.from(bytes).toString('base64')]),
    );
  }
  assert.ok(threads() <= 1, `${threads()} threads began`);
});

test('simulateOnThread: runs at the same time → each run with its own files', async () => {
  const listNames = (plates: Iterable<SimulatedPlate>): string[] =>
    Array.from(plates, ({ fileName }) => fileName);
  const [one, other] = await Promise.all([record(ONE), record(OTHER)]);
  assert.deepEqual(listNames(one), listNames(runFiles(ONE)));
  assert.deepEqual(listNames(other), listNames(runFiles(OTHER)));
  assert.notDeepEqual(listNames(one), listNames(other));
});

test('simulateOnThread: many runs at the same time, one of which fails → threads for the cores only, and every other run ends', async (t) => {
  const threads = countThreads(t);
  const runs = Array.from({ length: 12 }, (_, index) =>
    record(index === 1 ? createRequest('alchemy', 'SIM-003') : index % 2 === 0 ? ONE : OTHER),
  );
  const ended = await Promise.allSettled(runs);
  assert.deepEqual(
    ended.map(({ status }) => status),
    ended.map((_, index) => (index === 1 ? 'rejected' : 'fulfilled')),
  );
  // The thread of the failed run is replaced.
  const most = Math.max(2, availableParallelism()) + 1;
  assert.ok(threads() <= most, `${threads()} threads began`);
});

test('simulateOnThread: a plate cannot be kept, or the assay is unknown → the run rejects, the next one succeeds', async () => {
  await assert.rejects(
    simulateOnThread(ONE, () => Promise.reject(new Error('the disk is full'))),
    /the disk is full/,
  );
  await assert.rejects(record(createRequest('alchemy', 'SIM-003')), /does not measure alchemy/);
  assert.equal((await record(ONE)).length, [...runFiles(ONE)].length);
});

test('simulated run: a sequence with replicates of its own → measured so often, the others as ordered', () => {
  const [first] = OTHER.sequences;
  assert.ok(first);
  const request = {
    ...OTHER,
    nReplicates: 3,
    sequences: [
      { ...first, nReplicates: 1 },
      { ...first, id: 'b', name: 'b' },
    ],
  };
  const text = Array.from(runFiles(request), ({ bytes }) => Buffer.from(bytes).toString()).join('\n');
  const countWells = (name: string): number =>
    text.split('\n').filter((line) => line.split(',').includes(name)).length;
  assert.ok(countWells('a') > 0);
  assert.equal(countWells('b'), 3 * countWells('a'));
});
