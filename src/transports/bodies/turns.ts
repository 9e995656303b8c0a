/**
 * Shares the event loop with other requests. Bodies that arrive faster than they can be read would block every other
 * request, so all of them together get a limited number of bytes per turn of the event loop, and the rest waits.
 */
export interface Turns {
  /** Resolves when this many bytes may be processed; undefined when that is now. */
  take(bytes: number): Promise<void> | undefined;
}

/**
 * Member names that all differ are the slowest: this many bytes of them take up to ten milliseconds, of text a fifth
 * of one.
 */
const BYTES_PER_TURN = 64 * 1024;

interface Waiting {
  readonly bytes: number;
  readonly run: () => void;
}

export function createTurns(bytesPerTurn: number = BYTES_PER_TURN): Turns {
  const waiting: Waiting[] = [];
  let left = bytesPerTurn;
  let isNextTurnAwaited = false;

  function awaitNextTurn(): void {
    if (isNextTurnAwaited) return;
    isNextTurnAwaited = true;
    setImmediate(begin);
  }

  function begin(): void {
    isNextTurnAwaited = false;
    left = bytesPerTurn;
    while (left > 0) {
      const next = waiting.shift();
      if (next === undefined) return;
      left -= next.bytes;
      next.run();
    }
    awaitNextTurn();
  }

  return {
    take(bytes) {
      awaitNextTurn();
      if (left > 0 && waiting.length === 0) {
        left -= bytes;
        return undefined;
      }
      return new Promise<void>((go) => void waiting.push({ bytes, run: go }));
    },
  };
}
