/** Time as an injected source. Only `systemClock` touches the machine's clock. */
export interface Clock {
  /** Wall-clock time, for records and expiries. */
  now(): Date;
  /** Monotonic milliseconds, for deadlines and durations. */
  readMonotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  readMonotonicMs: () => performance.now(),
};

const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export function addMs(instant: Date, milliseconds: number): Date {
  return new Date(instant.getTime() + milliseconds);
}
