import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#core/clock.ts';
import { labScope } from '#core/scope.ts';
import { FinalJobError } from '#domain/jobs/rules.ts';
import { enqueue } from '#domain/jobs/store.ts';
import { testDatabase } from '#testing/database.ts';
import { VirtualClock } from '#testing/virtual-clock.ts';
import { createLogger } from './log.ts';
import { createWorker } from './worker.ts';

const { database } = await testDatabase();

test('worker: a chore hangs or fails → jobs go on, and the worker waits for the chore when it stops', async () => {
  const lines: string[] = [];
  const hanging = Promise.withResolvers<void>();
  const ran = Promise.withResolvers<string>();
  let last = 'not done';
  const worker = createWorker({
    database,
    clock: systemClock,
    log: createLogger('info', { write: (line: string) => void lines.push(line) }),
    handlers: { greet: async ({ name }) => ran.resolve(String(name)) },
    chores: [
      () => Promise.reject(new Error('a chore of this test')),
      () => hanging.promise,
      async () => void (last = 'done'),
    ],
  });
  worker.start();
  const at = systemClock.now();
  await database.runTransaction((tx) =>
    enqueue(labScope, tx, { kind: 'greet', payload: { name: 'world' }, dueAt: at }, at),
  );
  assert.equal(await ran.promise, 'world');
  assert.equal(last, 'not done');
  const stopped = worker.stop();
  hanging.resolve();
  await stopped;
  assert.equal(last, 'done');
  assert.ok(lines.some((line) => line.includes('a chore of this test')));
});

const log = createLogger('silent', { write: () => undefined });

test('worker: jobs of a kind with two places hang → no third of them begins, and other jobs run', async () => {
  const hanging = Promise.withResolvers<void>();
  const counts = { slow: 0, quick: 0 };
  const worker = createWorker({
    database,
    clock: systemClock,
    log,
    handlers: {
      slow: () => {
        counts.slow += 1;
        return hanging.promise;
      },
      quick: async () => void (counts.quick += 1),
    },
    policies: { slow: { delaysMs: [], inHandMax: 2 } },
  });
  const at = systemClock.now();
  await database.runTransaction(async (tx) => {
    for (const kind of [...Array<string>(20).fill('slow'), 'quick'])
      await enqueue(labScope, tx, { kind, payload: {}, dueAt: at }, at);
  });
  const ran = worker.runDue();
  while (counts.quick === 0) await new Promise(setImmediate);
  assert.deepEqual(counts, { slow: 2, quick: 1 });
  hanging.resolve();
  assert.equal(await ran, 3);
  while ((await worker.runDue()) > 0);
  assert.equal(counts.slow, 20);
});

test('worker: a job of a kind with its own schedule fails → it waits as the schedule says; a final failure ends at once', async () => {
  const clock = new VirtualClock(new Date('2026-03-02T09:00:00.000Z'));
  let attempts = 0;
  const worker = createWorker({
    database,
    clock,
    log,
    handlers: {
      patient: async ({ isFinal }) => {
        attempts += 1;
        throw isFinal === true ? new FinalJobError('never') : new Error('not now');
      },
    },
    policies: { patient: { delaysMs: [1_000, 60_000], inHandMax: 1 } },
  });
  const add = (payload: Readonly<Record<string, unknown>>) =>
    database.runTransaction((tx) =>
      enqueue(labScope, tx, { kind: 'patient', payload, dueAt: clock.now() }, clock.now()),
    );
  const countFailed = async (): Promise<number> =>
    (await database.read.query(`select id from jobs where kind = 'patient' and failed_at is not null`))
      .length;
  await add({});
  const seen = [];
  for (const passedMs of [0, 999, 1, 59_999, 1]) {
    clock.advance(passedMs);
    await worker.runDue();
    seen.push(attempts);
  }
  assert.deepEqual(seen, [1, 1, 2, 2, 3]);
  assert.equal(await countFailed(), 1);
  await add({ isFinal: true });
  await worker.runDue();
  assert.equal(await countFailed(), 2);
});
