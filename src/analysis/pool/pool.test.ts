import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError, FormatError } from '../failures/errors.ts';
import { mapWithPauses, type Assay } from '../assays/assay.ts';
import { ENGINES } from '#assays/engines.ts';
import type { BindingJob } from '#assays/binding/engine/assay.ts';
import { AnalysisPool, analyzeInWorkers, PoolError } from './pool.ts';
import { findProblem } from '../failures/problem.ts';
import type { AnalysisPoolOptions } from './pool.ts';
import { createPlateControls, createSeries, synthesize, toFile } from '#testing/analysis/synthetic.ts';

const FILE = synthesize({
  noiseSd: 0.004,
  traces: [
    ...createPlateControls(),
    ...createSeries({ role: 'sample', sample: 'design', kinetics: { kon: 1e5, koff: 2e-3 } }),
  ],
});
const JOB: BindingJob = {
  files: [FILE],
  settings: undefined,
  ordered: { method: null, names: [] },
  mapping: [],
  firstPlate: 0,
};
const WITH_SETTINGS: BindingJob = { ...JOB, settings: {} };

/**
 * A worker that crashes on affinity, exhausts memory on affinity with settings, says that it begins and hangs on screening
 * with settings, and otherwise returns a result.
 */
const FAULTY = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ assay, job }) => {
      if (assay === 'affinity' && job.settings) for (const kept = []; ; ) kept.push({ kept, text: String(kept.length) });
      if (assay === 'affinity') throw new Error('boom');
      if (job.settings) { parentPort.postMessage({ done: 0, total: 1 }); for (;;); }
      parentPort.postMessage({ ok: true, result: 'answer' });
    });
  `)}`,
);

const WORKER = new URL('../../assays/worker.ts', import.meta.url);

async function withPool(
  options: AnalysisPoolOptions,
  use: (pool: AnalysisPool) => Promise<void>,
): Promise<void> {
  const pool = new AnalysisPool(options);
  try {
    await use(pool);
  } finally {
    await pool.close();
  }
}

function createCodeCheck(expected: string): (error: unknown) => boolean {
  return (error) => error instanceof PoolError && error.code === expected;
}

test('analysis pool: a job in a worker → the result of the calling thread', async () => {
  await withPool({ size: 2, workerUrl: WORKER }, async (pool) => {
    const results = await Promise.all([
      pool.evaluate('affinity', JOB),
      pool.evaluate('affinity', JOB),
      pool.evaluate('screening', JOB),
    ]);
    assert.deepEqual(results[0], structuredClone(ENGINES.affinity.evaluate(JOB)));
    assert.deepEqual(results[1], results[0]);
    assert.deepEqual(results[2], structuredClone(ENGINES.screening.evaluate(JOB)));
  });
});

test('analysis pool: a failure in a worker → keeps its class and fields', async () => {
  await withPool({ workerUrl: WORKER }, async (pool) => {
    const damaged = toFile('a.csv', '# assayer-traces: 1\nnonsense\n');
    await assert.rejects(pool.evaluate('affinity', { ...JOB, files: [damaged] }), (error) => {
      return error instanceof FormatError && error.file === 'a.csv' && error.line === 2;
    });
    await assert.rejects(pool.evaluate('affinity', { ...JOB, settings: { baselineS: -1 } }), (error) => {
      return error instanceof AnalysisError && error.code === 'settings_invalid';
    });
    assert.deepEqual(await pool.evaluate('affinity', JOB), structuredClone(ENGINES.affinity.evaluate(JOB)));
  });
});

test('crashed: a worker dies → only its job fails, and the worker is replaced', async () => {
  await withPool({ workerUrl: FAULTY }, async (pool) => {
    const lost = pool.evaluate('affinity', JOB);
    const next = pool.evaluate('screening', JOB);
    await assert.rejects(lost, createCodeCheck('crashed'));
    assert.equal(await next, 'answer');
  });
});

test('out_of_memory: a job beyond the memory of its worker → fails with a sentence, and the next one runs', async () => {
  await withPool({ workerUrl: FAULTY, heapMbMax: 32 }, async (pool) => {
    const lost = pool.evaluate('affinity', WITH_SETTINGS);
    const next = pool.evaluate('screening', JOB);
    await assert.rejects(lost, (error) => {
      assert.ok(error instanceof PoolError && error.code === 'out_of_memory');
      assert.equal(findProblem(error), error.message);
      return /needs more than the 32 MB of memory/.test(error.message);
    });
    assert.equal(await next, 'answer');
  });
});

test('timeout: a job overruns → stopped, and the next one runs', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await withPool({ workerUrl: FAULTY, timeoutMs: 1_000 }, async (pool) => {
    const begun = Promise.withResolvers<void>();
    const hanging = pool.evaluate('screening', WITH_SETTINGS, { onProgress: () => begun.resolve() });
    const next = pool.evaluate('screening', JOB);
    await begun.promise;
    t.mock.timers.tick(1_000);
    await assert.rejects(hanging, createCodeCheck('timeout'));
    assert.equal(await next, 'answer');
  });
});

test('closed, queue_full: a full or closed pool → refuses jobs', async () => {
  await withPool({ workerUrl: FAULTY, queueMax: 1 }, async (pool) => {
    const running = pool.evaluate('screening', WITH_SETTINGS);
    const waiting = pool.evaluate('affinity', JOB);
    await assert.rejects(pool.evaluate('affinity', JOB), createCodeCheck('queue_full'));
    const both = Promise.all([
      assert.rejects(running, createCodeCheck('closed')),
      assert.rejects(waiting, createCodeCheck('closed')),
    ]);
    await pool.close();
    await both;
    await assert.rejects(pool.evaluate('affinity', JOB), createCodeCheck('closed'));
  });
});

test('analysis: many samples are combined on the thread of requests → others have their turn between them', async () => {
  const SAMPLES = 20;
  const samples = Array.from({ length: SAMPLES }, (_, index) => index);
  const work = (index: number): number => {
    const endMs = performance.now() + 6;
    while (performance.now() < endMs);
    return index;
  };
  const slow: Assay = {
    ...ENGINES.fluorescence,
    *split() {
      return yield* mapWithPauses(samples, work);
    },
    evaluate: () => assert.fail('no job is sent'),
  };
  let turns = 0;
  let isDone = false;
  const countTurns = (): void => {
    turns += 1;
    if (!isDone) setImmediate(countTurns);
  };
  countTurns();
  const workers = { size: 1, evaluate: () => assert.fail('no job is sent') };
  const run = { experimentType: 'slow' as const, files: [] };
  const indexes: unknown = await analyzeInWorkers({ slow }, run, workers);
  isDone = true;
  assert.deepEqual(indexes, samples);
  assert.ok(turns >= SAMPLES / 2, `${turns} turns`);
});
