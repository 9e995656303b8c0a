/**
 * Limits of connecting that hold the database to account, not this process: where its own event loop was busy, an answer
 * may have waited to be read until the limit had passed.
 */
import { findErrorCode } from '#core/records.ts';
import { setImmediate as turnLoop } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseUnavailableError } from '#core/sql.ts';
import { isTimeout, isUnavailable } from './errors.ts';

const PROBE_LIMIT_MS = 1_000;
/** The part of a limit in which the event loop was busy, from which on it was late. */
const LATE_PART = 0.2;

/** Returns a function that says whether the event loop has been too busy since to keep a limit. */
function watchLoop(limitMs: number): () => boolean {
  const before = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(before).active >= LATE_PART * limitMs;
}

/**
 * Connects, a second time where the limit passed while the event loop was late. A second such failure is that of a busy
 * service. Throws what the pool throws otherwise.
 */
export async function connectOnTime(pool: Pick<pg.Pool, 'connect'>, limitMs: number): Promise<pg.PoolClient> {
  for (let attempt = 1; ; attempt += 1) {
    const isLate = watchLoop(limitMs);
    try {
      return await pool.connect();
    } catch (error) {
      if (!isTimeout(error) || !isLate()) throw error;
      if (attempt > 1)
        throw new DatabaseUnavailableError('The service is busy; try again shortly.', {
          cause: error,
          isBusy: true,
        });
      await turnLoop();
    }
  }
}

/** Whether a new connection gets an answer within its limit. A late event loop proves nothing. */
export async function probe(config: pg.PoolConfig): Promise<boolean> {
  const isLate = watchLoop(PROBE_LIMIT_MS);
  const client = new pg.Client({
    ...config,
    connectionTimeoutMillis: PROBE_LIMIT_MS,
    query_timeout: PROBE_LIMIT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch (error) {
    if (isTimeout(error) && isLate()) return true;
    // A full server is not dead, because it answered.
    return !isUnavailable(error) || findErrorCode(error) === '53300';
  } finally {
    client.connection.stream.destroy();
  }
}
