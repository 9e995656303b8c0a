/** A wait of a background loop that something else can end early. */
export interface InterruptiblePause {
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Ends the present pause; without one it does nothing. */
  readonly wake: () => void;
}

export function createInterruptiblePause(): InterruptiblePause {
  let finishWait: () => void = () => {};
  return {
    pause: (milliseconds) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        finishWait = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    wake: () => finishWait(),
  };
}
