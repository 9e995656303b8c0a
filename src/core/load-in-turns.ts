/** Loads modules so that others are served meanwhile: an import holds the event loop until all that it lacks is loaded. */
import { setImmediate as turnLoop } from 'node:timers/promises';

export type Load = () => Promise<unknown>;

/**
 * Loads one after the other, each in a turn of the event loop of its own, until the signal ends it. A part that cannot be
 * loaded is left to whoever needs it, who learns why.
 */
export async function loadInTurns(loads: readonly Load[], signal?: AbortSignal): Promise<void> {
  for (const load of loads) {
    await turnLoop();
    if (signal?.aborted === true) return;
    await load().catch(() => undefined);
  }
}
