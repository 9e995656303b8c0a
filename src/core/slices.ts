/**
 * Long work in slices: rules that look at a whole library say where they may be interrupted, and other requests are served
 * in between. The rules stay pure; who runs them decides whether they are interrupted.
 */
import { setImmediate } from 'node:timers/promises';

/** Work that stands still at each `yield`. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Letters that a slice looks at: a few milliseconds of the rules of sequences. */
const SLICE_LETTERS = 500_000;

/** Lets others have their turn between two steps. */
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

/** Counts the letters that were looked at, and says when a slice is full. */
export function createSliceCounter(): (letters: number) => boolean {
  let counted = 0;
  return (letters) => {
    counted += letters;
    if (counted < SLICE_LETTERS) return false;
    counted = 0;
    return true;
  };
}
