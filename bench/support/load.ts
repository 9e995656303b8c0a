/** A closed loop: so many callers, each with one request in flight, for a bounded time. */

/** Seconds per call, over all callers together. */
export async function measureSecondsPerCall(
  callers: number,
  forMs: number,
  call: (caller: number) => Promise<void>,
): Promise<{ seconds: number; calls: number }> {
  let calls = 0;
  const start = performance.now();
  const until = start + forMs;
  const loop = async (caller: number): Promise<void> => {
    while (performance.now() < until) {
      await call(caller);
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => loop(caller)));
  return { seconds: (performance.now() - start) / 1_000 / calls, calls };
}

/** Milliseconds that one call takes. */
export async function measureMs(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await call();
  return performance.now() - start;
}
