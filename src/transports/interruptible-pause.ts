/** A pause of a background loop that other code can end early. A loop makes one pause at a time. */
export interface InterruptiblePause {
  readonly pause: (pauseMs: number) => Promise<void>;
  /** Ends the current pause; without one it does nothing. */
  readonly wake: () => void;
}

export function createInterruptiblePause(): InterruptiblePause {
  let endPause: () => void = () => {};
  return {
    pause: (pauseMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        endPause = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    wake: () => endPause(),
  };
}
