/** How long a request to the thread that serves them takes while something else goes on. */
import { setTimeout } from 'node:timers/promises';
import { Connection, requestBytes, requireAnswer, type Target } from './http-client.ts';

/** Between two requests of the caller that waits for nothing else. */
const PAUSE_MS = 3;

/** Between two requests that are sent whether or not the ones before are answered. */
const STEADY_MS = 10;

/**
 * Milliseconds from when each request was due until its answer, with one due every ten: a stall counts for every request
 * that had to wait for its end, not for one.
 */
export async function steadyWaits(target: Target, work: () => Promise<unknown>): Promise<number[]> {
  const connection = await Connection.open(target.port);
  const request = requestBytes('GET', '/api/v1/info/health', target);
  const found: number[] = [];
  const state = { going: true };
  const done = work().finally(() => {
    state.going = false;
  });
  const begin = performance.now();
  for (let due = begin; state.going; due += STEADY_MS) {
    const early = due - performance.now();
    if (early > 0) await setTimeout(early);
    // A timer of the bench that is late is not the service's fault.
    const start = early > 0 ? performance.now() : due;
    requireAnswer(await connection.send(request), 200);
    found.push(performance.now() - start);
  }
  await done;
  connection.close();
  return found;
}

/** Milliseconds that each of the requests took that were sent while `work` went on. */
export async function waits(target: Target, work: () => Promise<unknown>): Promise<number[]> {
  const connection = await Connection.open(target.port);
  const request = requestBytes('GET', '/api/v1/info/health', target);
  const found: number[] = [];
  const state = { going: true };
  const done = work().finally(() => {
    state.going = false;
  });
  while (state.going) {
    const start = performance.now();
    requireAnswer(await connection.send(request), 200);
    found.push(performance.now() - start);
    await setTimeout(PAUSE_MS);
  }
  await done;
  connection.close();
  return found;
}
