/** How long a request to the thread that serves them takes while something else goes on. */
import { setTimeout } from 'node:timers/promises';
import { Connection, encodeRequest, requireAnswer, type Target } from './http-client.ts';

/** Between two requests of the caller that waits for nothing else. */
const PAUSE_MS = 3;

/** Between two requests that are sent whether or not the ones before are answered. */
const STEADY_MS = 10;

/**
 * Milliseconds that each request took, with one sent every ten whether or not those before are answered: a stall counts
 * for every request that had to wait for its end, not for one.
 */
export async function measureSteadyWaits(target: Target, work: () => Promise<unknown>): Promise<number[]> {
  const idle: Connection[] = [];
  const request = encodeRequest('GET', '/api/v1/info/health', target);
  const found: number[] = [];
  const pending = new Set<Promise<void>>();
  const state = { going: true };
  const done = work().finally(() => {
    state.going = false;
  });
  const ask = async (): Promise<void> => {
    const connection = idle.pop() ?? (await Connection.open(target.port));
    const start = performance.now();
    requireAnswer(await connection.send(request), 200);
    found.push(performance.now() - start);
    idle.push(connection);
  };
  while (state.going) {
    const one = ask();
    pending.add(one);
    void one.then(
      () => pending.delete(one),
      () => undefined,
    );
    await setTimeout(STEADY_MS);
  }
  await done;
  await Promise.all(pending);
  for (const connection of idle) connection.close();
  return found;
}

/** Milliseconds that each of the requests took that were sent while `work` went on. */
export async function measureWaits(target: Target, work: () => Promise<unknown>): Promise<number[]> {
  const connection = await Connection.open(target.port);
  const request = encodeRequest('GET', '/api/v1/info/health', target);
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
