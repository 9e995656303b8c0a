/** Whose fault it is that a connection was not open in time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { DatabaseUnavailableError } from '#core/sql.ts';
import { connectOnTime } from './connect-on-time.ts';

const LIMIT_MS = 50;

/** Keeps the event loop busy in this turn. */
function holdLoop(): void {
  const until = performance.now() + LIMIT_MS;
  while (performance.now() < until);
}

/** A pool whose attempts fail by the limit, or with another error, after something has happened. */
function createPool(attempts: readonly (() => string | null)[]) {
  const count = { attempts: 0 };
  const connect = async (): Promise<pg.PoolClient> => {
    const attempt = attempts[count.attempts];
    count.attempts += 1;
    await new Promise(setImmediate);
    const message = attempt();
    if (message !== null) throw new Error(message);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller only passes it on
    return {} as pg.PoolClient;
  };
  return { count, pool: { connect } as Pick<pg.Pool, 'connect'> };
}

const TIMEOUT = 'timeout exceeded when trying to connect';
const failLate = (): string => {
  holdLoop();
  return TIMEOUT;
};

test('database_unavailable: the limit passes while the event loop is held → another attempt, and no failure', async () => {
  const { pool, count } = createPool([failLate, () => null]);
  await connectOnTime(pool, LIMIT_MS);
  assert.equal(count.attempts, 2);
});

test('overloaded: the limit passes twice while the event loop is held → a busy service, not the database', async () => {
  const { pool, count } = createPool([failLate, failLate]);
  await assert.rejects(
    connectOnTime(pool, LIMIT_MS),
    (error) => error instanceof DatabaseUnavailableError && error.isBusy,
  );
  assert.equal(count.attempts, 2);
});

test('database_unavailable: the limit passes while the event loop is free → the failure of the first attempt', async () => {
  const { pool, count } = createPool([() => TIMEOUT, () => null]);
  // The limit is so long that a busy machine does not reach a part of it.
  await assert.rejects(connectOnTime(pool, 600_000), { message: TIMEOUT });
  assert.equal(count.attempts, 1);
});

test('database_unavailable: nobody listens while the event loop is held → the failure of the first attempt', async () => {
  const refused = (): string => {
    holdLoop();
    return 'connect ECONNREFUSED';
  };
  const { pool, count } = createPool([refused, () => null]);
  await assert.rejects(connectOnTime(pool, LIMIT_MS), /ECONNREFUSED/);
  assert.equal(count.attempts, 1);
});
