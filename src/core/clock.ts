/** Time as an injected source. Only `systemClock` touches the machine's clock. */
export interface Clock {
  /** Wall-clock time, for records and expiries. */
  now(): Date;
  /** Monotonic milliseconds, for deadlines and durations. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};

const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export function after(instant: Date, milliseconds: number): Date {
  return new Date(instant.getTime() + milliseconds);
}
