/** How long a request to the thread that serves them takes while something else goes on. */
import { setTimeout } from 'node:timers/promises';
import { Connection, requestBytes, requireAnswer, type Target } from './http-client.ts';

/** Between two requests of the caller that waits for nothing else. */
const PAUSE_MS = 3;

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
