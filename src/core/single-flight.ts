/** Joins concurrent callers of this process that ask for the same thing: one does the work, all get its result. */
export interface SingleFlight {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createSingleFlight(): SingleFlight {
  const inFlight = new Map<string, Promise<unknown>>();
  return {
    run: async <T>(key: string, work: () => Promise<T>): Promise<T> => {
      const pending = inFlight.get(key);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a key always stands for work of one kind
      if (pending !== undefined) return pending as Promise<T>;
      const running = work().finally(() => inFlight.delete(key));
      inFlight.set(key, running);
      return running;
    },
  };
}
