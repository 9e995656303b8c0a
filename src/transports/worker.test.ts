import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#core/clock.ts';
import { labScope } from '#core/scope.ts';
import { enqueue } from '#domain/jobs/store.ts';
import { testDatabase } from '#testing/database.ts';
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
