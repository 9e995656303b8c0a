/** Loads modules so that others are served meanwhile: an import holds the event loop until all that it lacks is loaded. */
import { setImmediate as turnLoop } from 'node:timers/promises';

export type Load = () => Promise<unknown>;

let lastTurn: Promise<unknown> = Promise.resolve();

/** Waits for a turn of the event loop of its own: of all that wait for one, each gets another. */
function takeTurn(): Promise<void> {
  const turn = lastTurn.then(() => turnLoop());
  lastTurn = turn;
  return turn;
}

/**
 * Loads one after the other, each in a turn of the event loop of its own, until the signal ends it. A part that cannot be
 * loaded is left to whoever needs it, who learns why.
 */
export async function loadInTurns(loads: readonly Load[], signal?: AbortSignal): Promise<void> {
  for (const load of loads) {
    await takeTurn();
    if (signal?.aborted === true) return;
    await load().catch(() => undefined);
  }
}
