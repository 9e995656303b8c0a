/** A rail that adds up how long what stands behind it keeps it waiting. */
import type { MachineRail } from '#features/payments/machine-rail.ts';

export interface TimedRail {
  readonly rail: MachineRail;
  /** Of all its questions together; those that were under way at once count one by one. */
  readonly getWaitedMs: () => number;
}

export function createTimedRail(inner: MachineRail): TimedRail {
  let waitedMs = 0;
  async function measureTime<T>(call: Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await call;
    } finally {
      waitedMs += performance.now() - start;
    }
  }
  const rail: MachineRail = {
    ...inner,
    verify: (attempt) => measureTime(inner.verify(attempt)),
    settle: (attempt) => measureTime(inner.settle(attempt)),
    reconcile: (attempt) => measureTime(inner.reconcile(attempt)),
  };
  return { rail, getWaitedMs: () => waitedMs };
}
