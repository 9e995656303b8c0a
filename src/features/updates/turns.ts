/** Lets so many pieces of work run at once; the others wait for their turn. */
export function createTurns(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The turn goes to the next in the queue without being given back.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
