/**
 * Columns whose coefficients have a normal prior around zero: the drift of a curve and the errors of its levels, and how
 * a fit is whitened by them. Columns are taken one after another: each is whitened by those before it, so that together
 * they whiten by the sum of their covariances.
 */
import { computeDot, computeDots, subtractScaled, projectOut } from '#analysis/numerics/matrix.ts';
import { takeCopy, takeScaled } from './column-room.ts';
import type { FitCurve } from './model.ts';
import { drawLevels } from './uncertain-levels.ts';

/** A column whose coefficient has a normal prior around zero. */
export interface HeldColumn {
  name: 'drift' | 'level';
  /** The column for one standard deviation of its coefficient, in the unit of the signal. */
  column: Float64Array;
  /** That standard deviation, in the unit of the coefficient. */
  sd: number;
  /** The part of the column that the free columns do not explain, whitened by the columns before it, at unit length. */
  direction: Float64Array;
  /** Product of its direction with that of the column before it; 0 for the first. */
  alongPrevious: number;
  /** Variance that the prior allows along `direction`, over that of the noise. */
  varianceRatio: number;
}

/** The held columns of a curve, in the order of whitening. */
export interface Held {
  columns: readonly HeldColumn[];
  /** Standard deviation of the noise of one point that the priors are compared with; 0 where there are none. */
  noiseSd: number;
  /** The drift for one standard deviation of its prior, without the span of the free columns; null where nothing is known. */
  drift: Float64Array | null;
}

export const NOT_HELD: Held = { columns: [], noiseSd: 0, drift: null };

/** Which of the priors of a curve a fit uses. */
export interface HeldTerms {
  hasDrift: boolean;
  /** Fraction of their standard errors to which levels are held. */
  levels: number;
}

/** Returns what a fit holds beside the free columns of a curve. */
export function buildHeld(
  curve: FitCurve,
  basis: readonly Float64Array[],
  { hasDrift, levels }: HeldTerms,
): Held {
  const n = curve.timeS.length;
  const { drift, meanSe = 0 } = curve;
  const columns: HeldColumn[] = [];
  let noiseSd = meanSe * Math.sqrt(n);
  const hold = (name: HeldColumn['name'], column: Float64Array, sd: number): void => {
    const direction = takeCopy(column);
    projectOut(basis, direction);
    reduceByHeld(columns, direction);
    const length = Math.sqrt(computeDot(direction, direction));
    const varianceRatio = (length / noiseSd) ** 2;
    if (!(varianceRatio > RATIO_MIN && Number.isFinite(varianceRatio))) return;
    for (let i = 0; i < n; i += 1) direction[i] /= length;
    const previous = columns.at(-1)?.direction;
    const alongPrevious = previous === undefined ? 0 : computeDot(previous, direction);
    columns.push({ name, column, sd, direction, alongPrevious, varianceRatio });
  };
  const known = hasDrift && drift !== undefined ? drift : null;
  const ofDrift = known === null ? null : takeScaled(curve.timeS, known.sdPerS);
  if (known !== null && ofDrift !== null && known.overNoise > 0) {
    noiseSd = known.sdPerS * Math.sqrt(n / known.overNoise);
    hold('drift', ofDrift, known.sdPerS);
  }
  if (levels > 0 && noiseSd > 0)
    for (const { se, column } of drawLevels(curve))
      hold('level', levels === 1 ? column : takeScaled(column, levels), levels * se);
  if (ofDrift !== null) projectOut(basis, ofDrift);
  return { columns, noiseSd, drift: ofDrift };
}

/** A prior that allows less than this fraction of the noise of one point changes nothing. */
const RATIO_MIN = 1e-6;

/** The fraction of a held column that whitening removes: 1 − 1/√(1 + ratio of variances). */
export function computeWhiteningShrinkage({ varianceRatio }: Pick<HeldColumn, 'varianceRatio'>): number {
  return 1 - 1 / Math.sqrt(1 + varianceRatio);
}

/** Removes a fraction of the part of `values[offset …]` along a direction of unit length, in place. */
export function reduceAlong(
  direction: Float64Array,
  fraction: number,
  values: Float64Array,
  offset = 0,
): void {
  let along = 0;
  for (let i = 0; i < direction.length; i += 1) along += direction[i] * values[offset + i];
  const removed = fraction * along;
  for (let i = 0; i < direction.length; i += 1) values[offset + i] -= removed * direction[i];
}

/** Whitens `values[offset …]` in place. */
export function reduceByHeld(columns: readonly HeldColumn[], values: Float64Array, offset = 0): void {
  for (const held of columns) reduceAlong(held.direction, computeWhiteningShrinkage(held), values, offset);
}

/** Whitens whitened `values[offset …]` again, by the transpose, in place. */
export function reduceByHeldAgain(columns: readonly HeldColumn[], values: Float64Array, offset = 0): void {
  for (const held of columns.toReversed())
    reduceAlong(held.direction, computeWhiteningShrinkage(held), values, offset);
}

/** Undoes the whitening of `values`, in place. */
export function restoreByHeld(columns: readonly HeldColumn[], values: Float64Array): void {
  for (const { direction, varianceRatio } of columns.toReversed())
    reduceAlong(direction, 1 - Math.sqrt(1 + varianceRatio), values);
}

/** Like `reduceByHeld` of each column over the points of the curve, several at a time. */
export function reduceAllByHeld(held: readonly HeldColumn[], columns: readonly Float64Array[]): void {
  for (const each of held) {
    const fraction = computeWhiteningShrinkage(each);
    const along = computeDots(each.direction, columns);
    for (const [k, column] of columns.entries()) subtractScaled(column, each.direction, fraction * along[k]);
  }
}

/** The fraction of the least-squares coefficient of a held column that remains under its prior. */
export function computePosteriorFraction({ varianceRatio }: HeldColumn): number {
  return varianceRatio / (1 + varianceRatio);
}

/** Returns the coefficients under their priors, from the residual that is whitened twice. */
export function solveHeld({ columns, noiseSd }: Held, twice: Float64Array): number[] {
  return columns.map(({ column, sd }) => (sd * computeDot(column, twice)) / noiseSd ** 2);
}
