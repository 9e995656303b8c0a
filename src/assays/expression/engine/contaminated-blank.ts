/** Finds the one contaminated blank of three or more, so that it does not move the background of a plate. */
import { computeMean, computeStandardDeviation, computeMedian } from '#analysis/numerics/statistics.ts';

const BLANKS_MIN = 3;
/** A blank is left out if it lies this many standard deviations from the others. */
const APART_SD = 6;

/**
 * Returns the index of the blank that stands apart from the others; null where none does. `leastSd` is the scatter
 * that blanks have at least: two blanks that happen to agree do not show how far a third may lie.
 */
export function findContaminatedBlank(values: readonly number[], leastSd: number): number | null {
  if (values.length < BLANKS_MIN) return null;
  const center = computeMedian(values);
  const far = values.reduce(
    (at, value, i) => (Math.abs(value - center) > Math.abs(values[at] - center) ? i : at),
    0,
  );
  const others = values.filter((_, i) => i !== far);
  const sd = Math.max(leastSd, computeStandardDeviation(others));
  return Math.abs(values[far] - computeMean(others)) > APART_SD * sd ? far : null;
}
