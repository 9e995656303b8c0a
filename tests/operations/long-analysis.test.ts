/** Analyses that take long, or more than they may: the feed tells how far they are, and a limit stops one job alone. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ENGINES } from '#assays/engines.ts';
import { readCurves } from '#analysis/curves/packed-curves.ts';
import { findProblem } from '#analysis/failures/problem.ts';
import { AnalysisPool, analyzeInWorkers } from '#analysis/pool/pool.ts';
import { WeightedRoom } from '#core/weighted-room.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { getItems, testService, getText } from '#testing/service.ts';
import { runAnalysisJob } from '#workflows/analyze/analyze-experiment.ts';
import type { AnalysisPorts } from '#features/runs/raw-files/compute-results.ts';

const service = await testService();
const { ask, clock } = service;
const { database, work, worker } = service.service;
const { createRecorded } = await createBuilders(service);

/** A worker that takes memory until there is none. */
const GREEDY = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', () => { for (const kept = []; ; ) kept.push({ kept, text: String(kept.length) }); });
  `)}`,
);
const greedy = new AnalysisPool({ workerUrl: GREEDY, heapMbMax: 32 });
const scratch = mkdtempSync(join(tmpdir(), 'assayer-scratch-'));
after(async () => {
  await greedy.close();
  rmSync(scratch, { recursive: true, force: true });
});

const stopped = new Error('stopped by the test');
const createPorts = (ports: Partial<AnalysisPorts>): Parameters<typeof runAnalysisJob>[1] => ({
  database,
  // Any file: what it holds is never read.
  blobs: {
    locate: () => Promise.resolve(import.meta.filename),
    stage: () => Promise.reject(new Error('nothing is stored')),
    openScratch: () => Promise.resolve({ prefix: join(scratch, 'curves'), drop: () => Promise.resolve() }),
  },
  cut: () => Promise.reject(new Error('nothing is cut')),
  analyze: (run) => analyzeInWorkers(ENGINES, run, greedy),
  findProblem: findProblem,
  readCurves,
  takeRoom: () => Promise.resolve(() => undefined),
  ...ports,
});

/** An experiment whose raw data are complete, and the payload of the job that would analyze it. */
async function complete(): Promise<{ id: string; payload: Readonly<Record<string, unknown>> }> {
  const { id } = await createRecorded();
  expectStatus(
    await ask('POST', `/lab/experiments/${id}/complete`, {
      body: { reason: 'Less than ordered is enough.' },
    }),
    200,
  );
  const [job] = await database.read.query<{ payload: Readonly<Record<string, unknown>> }>(
    "select payload from jobs where kind = 'analyze_experiment' and payload->>'experiment_id' = $1",
    [id],
  );
  assert.ok(job !== undefined);
  return { id, payload: job.payload };
}

async function readFeed(id: string): Promise<string[]> {
  const { body } = expectStatus(await ask('GET', `/experiments/${id}/updates?limit=50`), 200);
  return getItems(body.items).map(
    ({ name, description = null }) => `${getText(name)}: ${description === null ? '' : getText(description)}`,
  );
}

test('long analysis: it reports progress → an update at most every 15 seconds', async () => {
  const { id, payload } = await complete();
  const analyze: AnalysisPorts['analyze'] = async ({ onProgress }) => {
    onProgress?.(1, 9);
    clock.advance(20_000);
    onProgress?.(2, 9);
    clock.advance(5_000);
    onProgress?.(3, 9);
    clock.advance(15_000);
    onProgress?.(7, 9);
    return Promise.reject(stopped);
  };
  await assert.rejects(runAnalysisJob(work, createPorts({ analyze }), payload), stopped);
  const progress = (await readFeed(id)).filter((line) => line.startsWith('Analysis in progress'));
  assert.deepEqual(progress.sort(), [
    'Analysis in progress: 2 of 9 files analyzed.',
    'Analysis in progress: 7 of 9 files analyzed.',
  ]);
});

test('long analysis: it exceeds its memory → the run keeps the sentence, and service and other jobs go on', async () => {
  const first = await complete();
  await runAnalysisJob(work, createPorts({}), first.payload);
  const listed = expectStatus(await ask('GET', `/lab/experiments/${first.id}/files`), 200).body;
  assert.match(getText(listed.run?.problem), /needs more than the 32 MB of memory/);
  const isTold = async () => (await readFeed(first.id)).some((line) => line.startsWith('Analysis stopped'));
  assert.equal(await isTold(), false);
  clock.advance(3_600_000);
  while ((await worker.runDue()) > 0);
  assert.equal(await isTold(), true);
  expectStatus(await ask('GET', '/info/health'), 200);
  const second = await complete();
  while ((await worker.runDue()) > 0);
  const other = expectStatus(await ask('GET', `/experiments/${second.id}`), 200).body;
  assert.equal(other.status, 'in_review');
});

test('analysis.stopped: the lab mends the stop within the hour → no client reads of it', async () => {
  const { id, payload } = await complete();
  await runAnalysisJob(work, createPorts({}), payload);
  const listed = expectStatus(await ask('GET', `/lab/experiments/${id}/files`), 200).body;
  assert.match(getText(listed.run?.problem), /memory/);
  const body = { reason: 'The memory was small.' };
  expectStatus(await ask('POST', `/lab/experiments/${id}/send-back`, { body }), 200);
  while ((await worker.runDue()) > 0);
  clock.advance(2 * 3_600_000);
  while ((await worker.runDue()) > 0);
  assert.deepEqual(
    (await readFeed(id)).filter((line) => line.startsWith('Analysis stopped')),
    [],
  );
  const { text } = expectStatus(await ask('GET', '/audit?limit=100'), 200);
  assert.ok(!text.includes('"stopped":true'));
});

test('long analysis: another takes all the room → it begins when that one ends, also with a failure', async () => {
  const room = new WeightedRoom({ capacity: 1, freeMax: 0 });
  const begun: (() => void)[] = [];
  const analyze: AnalysisPorts['analyze'] = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    begun.push(resolve);
    await promise;
    throw stopped;
  };
  const asked: number[] = [];
  const takeRoom: AnalysisPorts['takeRoom'] = (replicates) => {
    asked.push(replicates);
    return room.take(replicates);
  };
  const begin = async () => {
    const { payload } = await complete();
    return {
      ended: assert.rejects(runAnalysisJob(work, createPorts({ analyze, takeRoom }), payload), stopped),
    };
  };
  for (const { ended } of [await begin(), await begin()]) {
    while (asked.length < 2 || begun.length === 0) await setImmediate();
    assert.equal(begun.length, 1, 'it is alone');
    begun.pop()?.();
    await ended;
  }
});
