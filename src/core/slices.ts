/**
 * Long work in slices. Rules that read a whole library mark where they may be interrupted, so that other requests are
 * served in between. The rules stay pure; the caller decides whether to interrupt them.
 */
import { setImmediate } from 'node:timers/promises';

/** Work that pauses at each `yield`. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Letters read per slice: a few milliseconds of the rules for sequences. */
const SLICE_LETTERS = 500_000;

/** Runs the steps and lets other requests run between two of them. */
export async function runInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await setImmediate();
  }
}

export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Counts the letters that were read; the result is true when a slice is full. */
export function createSliceCounter(): (letters: number) => boolean {
  let counted = 0;
  return (letters) => {
    counted += letters;
    if (counted < SLICE_LETTERS) return false;
    counted = 0;
    return true;
  };
}
