import type { Clock } from '#core/clock.ts';

/** A clock that moves only when told to: tests own time completely. */
export class VirtualClock implements Clock {
  #nowMs: number;

  constructor(start: Date) {
    this.#nowMs = start.getTime();
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  readMonotonicMs(): number {
    return this.#nowMs;
  }

  advance(milliseconds: number): void {
    this.#nowMs += milliseconds;
  }
}
