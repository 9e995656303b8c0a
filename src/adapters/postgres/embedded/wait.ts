/** Waiting for a condition with a limit, on the monotonic clock. */
import { setTimeout as delay } from 'node:timers/promises';

const POLL_INTERVAL_MS = 10;

/** Polls until the condition holds; false when the limit passed first. */
export async function waitUntil(condition: () => boolean, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() >= deadline) return false;
    await delay(POLL_INTERVAL_MS);
  }
  return true;
}
