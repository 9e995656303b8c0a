/** A column whose coefficient has a normal prior around zero: the drift of a curve, and how a fit is whitened by it. */
import { computeDot } from '../../../numerics/matrix.ts';
import { projectOut } from '../../../numerics/projection.ts';
import type { FitCurve, ShapeBuffers } from './model.ts';

/** A column whose coefficient has a normal prior around zero. */
export interface HeldColumn {
  /** The part of the column that the free columns do not explain, at unit length. */
  direction: Float64Array;
  /** Length of that part. */
  length: number;
  /** Standard deviation of the prior along `direction`, in the unit of the signal. */
  sd: number;
  /** Variance that the prior allows along `direction`, over that of the noise. */
  varianceRatio: number;
}

/** Returns the drift of a curve as a held column beside the free ones; null where nothing is known of it. */
export function buildHeldDrift(
  { timeS, drift }: FitCurve,
  basis: readonly Float64Array[],
): HeldColumn | null {
  if (drift === undefined) return null;
  const direction = Float64Array.from(timeS);
  projectOut(basis, direction);
  const length = Math.sqrt(computeDot(direction, direction));
  if (!(length > 0)) return null;
  for (let i = 0; i < direction.length; i += 1) direction[i] /= length;
  return {
    direction,
    length,
    sd: drift.sdPerS * length,
    varianceRatio: (drift.overNoise * length ** 2) / timeS.length,
  };
}

/** The fraction of a held column that whitening removes: 1 − 1/√(1 + ratio of variances). */
export function computeWhiteningShrinkage({ varianceRatio }: HeldColumn): number {
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

/** Like `reduceAlong` of a shape and its derivatives, in one pass, because this runs in every evaluation. */
export function reduceShapesAlong(
  direction: Float64Array,
  fraction: number,
  { shape, byLnKon, byLnKoff }: ShapeBuffers,
  offset: number,
): void {
  let [s, a, d] = [0, 0, 0];
  for (let i = 0; i < direction.length; i += 1) {
    const along = direction[i];
    s += along * shape[offset + i];
    a += along * byLnKon[offset + i];
    d += along * byLnKoff[offset + i];
  }
  s *= fraction;
  a *= fraction;
  d *= fraction;
  for (let i = 0; i < direction.length; i += 1) {
    const along = direction[i];
    shape[offset + i] -= s * along;
    byLnKon[offset + i] -= a * along;
    byLnKoff[offset + i] -= d * along;
  }
}

/** The fraction of the least-squares coefficient of a held column that remains under its prior. */
export function computePosteriorFraction({ varianceRatio }: HeldColumn): number {
  return varianceRatio / (1 + varianceRatio);
}
