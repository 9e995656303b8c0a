/** The points of a fit that share one amplitude, and what it leaves of a column. */
import { computeDots, subtractScaled } from '#analysis/numerics/matrix.ts';
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

/** Removes the part of each column that an amplitude of `shape` explains, over the points `from … to`, in place. */
export function removeShape(
  columns: readonly Float64Array[],
  shape: Float64Array,
  [from, to]: readonly [number, number],
): void {
  const own = shape.subarray(from, to);
  const parts = columns.map((column) => column.subarray(from, to));
  const [square, ...products] = computeDots(own, [own, ...parts]);
  for (const [k, part] of parts.entries()) subtractScaled(part, own, square > 0 ? products[k] / square : 0);
}
