import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMs, systemClock } from '#core/clock.ts';
import { labScope } from '#core/scope.ts';
import { DatabaseUnavailableError } from '#core/sql.ts';
import { resumeJob, enqueue, extendLeases, releaseLeases } from '#features/jobs/store.ts';
import { FinalJobError, JOB_LEASE_MS, JOBS_IN_HAND_MAX } from '#features/jobs/rules.ts';
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

test('worker: as many jobs as there are common places hang in places of their own → other jobs run, and one that fails is tried again after the usual delay', async () => {
  const clock = new VirtualClock(new Date('2026-03-02T09:00:00.000Z'));
  const hanging = Promise.withResolvers<void>();
  const counts = { waits: 0, other: 0 };
  const worker = createWorker({
    database,
    clock,
    log,
    handlers: {
      waits: async () => {
        counts.waits += 1;
        await hanging.promise;
        if (counts.waits === JOBS_IN_HAND_MAX) throw new Error('not now');
      },
      other: async () => void (counts.other += 1),
    },
    policies: { waits: { inHandMax: JOBS_IN_HAND_MAX } },
  });
  const at = clock.now();
  await database.runTransaction(async (tx) => {
    for (const kind of [...Array<string>(JOBS_IN_HAND_MAX).fill('waits'), 'other'])
      await enqueue(labScope, tx, { kind, payload: {}, dueAt: at }, at);
  });
  const ran = worker.runDue();
  while (counts.other === 0) await new Promise(setImmediate);
  assert.equal(counts.waits, JOBS_IN_HAND_MAX);
  hanging.resolve();
  await ran;
  clock.advance(1_000);
  await worker.runDue();
  assert.equal(counts.waits, 2 * JOBS_IN_HAND_MAX, 'all of them failed once, and ran again a second later');
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

async function addJob(clock: VirtualClock, kind: string): Promise<void> {
  const job = { kind, payload: {}, dueAt: clock.now() };
  await database.runTransaction((tx) => enqueue(labScope, tx, job, clock.now()));
}

/** Does what a worker does with the leases of long jobs. */
async function renewLeases(clock: VirtualClock): Promise<void> {
  const held = await database.read.query<{ id: number }>(
    'select id from jobs where lease_until > $1 and done_at is null',
    [clock.now()],
  );
  const ids = held.map(({ id }) => id);
  await extendLeases(database.read, ids, addMs(clock.now(), JOB_LEASE_MS));
}

test('jobs.deaths: a process dies twice long after it claimed a job → put aside as failed, told once, and tried anew when staff ask', async () => {
  const clock = new VirtualClock(new Date('2026-03-02T09:00:00.000Z'));
  const counts = { deadly: 0, innocent: 0, told: 0 };
  const never = new Promise<void>(() => undefined);
  const startLife = () =>
    createWorker({
      database,
      clock,
      log,
      handlers: {
        deadly: () => {
          counts.deadly += 1;
          return never;
        },
        innocent: async () => {
          counts.innocent += 1;
          if (counts.innocent <= 2) await never;
        },
      },
      givenUp: { deadly: async () => void (counts.told += 1) },
    });
  for (const kind of ['deadly', 'innocent', 'innocent']) await addJob(clock, kind);
  const selectJobs = () =>
    database.read.query<{ id: string; kind: string; deaths: number; done: boolean; failed: boolean }>(
      `select id::text, kind, deaths, done_at is not null as done, failed_at is not null as failed from jobs
       where kind in ('deadly', 'innocent') order by id`,
    );
  // A life ends in the middle: nobody waits for its jobs, and no lease is given back.
  const live = async (until: () => boolean): Promise<void> => {
    void startLife().runDue();
    while (!until()) await new Promise(setImmediate);
    await renewLeases(clock);
    clock.advance(JOB_LEASE_MS);
  };
  await live(() => counts.deadly === 1 && counts.innocent === 2);
  // What was in hand is done one at a time now, so that the second death accuses one job.
  await live(() => counts.deadly === 2);
  assert.deepEqual(
    (await selectJobs()).map(({ kind, deaths }) => [kind, deaths]),
    [
      ['deadly', 1],
      ['innocent', 0],
      ['innocent', 0],
    ],
  );
  const last = startLife();
  for (let round = 0; round < 3; round += 1) await last.runDue();
  const jobs = await selectJobs();
  assert.deepEqual(
    jobs.map(({ done, failed }) => [done, failed]),
    [
      [false, true],
      [true, false],
      [true, false],
    ],
  );
  assert.deepEqual(counts, { deadly: 2, innocent: 4, told: 1 });
  const [deadly] = jobs;
  assert.ok(deadly);
  await database.runTransaction((tx) => resumeJob(tx, deadly.id, clock.now()));
  void last.runDue();
  while (counts.deadly < 3) await new Promise(setImmediate);
});

test('jobs.deaths: a process is killed while it stops on purpose, or its database fails → no death is counted', async () => {
  const clock = new VirtualClock(new Date('2026-03-02T09:00:00.000Z'));
  const begun = Promise.withResolvers<void>();
  const slow = createWorker({
    database,
    clock,
    log,
    handlers: {
      slow_stop: () => {
        begun.resolve();
        return new Promise(() => undefined);
      },
    },
  });
  await addJob(clock, 'slow_stop');
  slow.start();
  await begun.promise;
  void slow.stop();
  const readJob = async (kind: string) => {
    const [job] = await database.read.query<{ deaths: number; attempts: number }>(
      'select deaths, attempts from jobs where kind = $1',
      [kind],
    );
    return job;
  };
  while ((await readJob('slow_stop'))?.attempts !== 0) await new Promise(setImmediate);
  await releaseLeases(database.read);
  assert.deepEqual(await readJob('slow_stop'), { deaths: 0, attempts: 0 });

  const counts = { attempts: 0 };
  const refused = createWorker({
    database,
    clock,
    log,
    handlers: {
      refused: async () => {
        counts.attempts += 1;
        if (counts.attempts === 1) throw new DatabaseUnavailableError('no database for a while');
      },
    },
  });
  await addJob(clock, 'refused');
  refused.start();
  const countDone = async (): Promise<number> =>
    (await database.read.query(`select id from jobs where kind = 'refused' and done_at is not null`)).length;
  // A worker that stops before it has recorded the end gives the attempt back.
  while ((await countDone()) === 0) await new Promise(setImmediate);
  await refused.stop();
  assert.deepEqual(await readJob('refused'), { deaths: 0, attempts: 1 });
});

test('jobs.deaths: processes die soon after they claimed a job → no death is counted, and the job is put aside after its attempts', async () => {
  const clock = new VirtualClock(new Date('2026-03-02T09:00:00.000Z'));
  const counts = { lives: 0 };
  const startLife = () =>
    createWorker({
      database,
      clock,
      log,
      handlers: {
        sudden: () => {
          counts.lives += 1;
          return new Promise(() => undefined);
        },
      },
    });
  await addJob(clock, 'sudden');
  for (let life = 1; life <= 8; life += 1) {
    void startLife().runDue();
    while (counts.lives < life) await new Promise(setImmediate);
    await releaseLeases(database.read);
  }
  const readJob = () =>
    database.read.query(`select deaths, failed_at is not null as failed from jobs where kind = 'sudden'`);
  assert.deepEqual(await readJob(), [{ deaths: 0, failed: false }]);
  await startLife().runDue();
  assert.equal(counts.lives, 8);
  assert.deepEqual(await readJob(), [{ deaths: 0, failed: true }]);
});
