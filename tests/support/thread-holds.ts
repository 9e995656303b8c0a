/** How long the thread works without letting anybody else have a turn. */
const POLL_MS = 5;

export interface HoldWatch {
  /** CPU milliseconds of the longest piece of work since it was asked last. */
  takeLongestMs(): number;
  stop(): void;
}

/**
 * Measures the work between two turns in which a timer may run. It is CPU time: what other programs take from the thread
 * on a busy machine makes the turn longer, and not the figure.
 */
export function watchHolds(): HoldWatch {
  let [longestMs, before] = [0, process.threadCpuUsage()];
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longestMs = Math.max(longestMs, (user + system) / 1_000);
  }, POLL_MS).unref();
  return {
    takeLongestMs() {
      const found = longestMs;
      longestMs = 0;
      return found;
    },
    stop: () => clearInterval(timer),
  };
}
