/** The points of a fit that share one amplitude, and what it leaves of a column. */
import type { FitProblem } from './problem.ts';

/** Returns the ranges of points that share one amplitude. */
export function listBlocks({
  curves,
  offsets,
  terms,
}: Pick<FitProblem, 'curves' | 'offsets' | 'terms'>): [number, number][] {
  if (terms.rmax === 'global') return [[0, offsets[curves.length]]];
  return curves.map((_, g) => [offsets[g], offsets[g + 1]]);
}

/** Removes the part of a column that an amplitude of `shape` explains, over the points `from … to`, in place. */
export function removeShape(column: Float64Array, shape: Float64Array, from: number, to: number): void {
  let ss = 0;
  let sc = 0;
  for (let i = from; i < to; i += 1) {
    ss += shape[i] * shape[i];
    sc += shape[i] * column[i];
  }
  const along = ss > 0 ? sc / ss : 0;
  for (let i = from; i < to; i += 1) column[i] -= along * shape[i];
}
