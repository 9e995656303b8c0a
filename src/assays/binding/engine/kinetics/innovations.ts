/**
 * Compares fits by the innovations of first-order noise: what each residual adds to its prediction from the one before
 * it. Innovations show a misfit within seconds, and a small one over the whole curve, beside slow noise.
 */
import { computeDot } from '#analysis/numerics/matrix.ts';
import { takeCopy } from './column-room.ts';
import { computeDurbinWatson } from './residual-correlation.ts';

/** Returns the lag-one correlation of residuals within curves, at least 0. */
export function computeLagOneWithin(residual: Float64Array, offsets: Int32Array): number {
  return Math.max(0, 1 - computeDurbinWatson(residual, offsets) / 2);
}

/** Returns what each point adds to the prediction from the one before it, for first-order noise. */
export function takeInnovations(column: Float64Array, offsets: ArrayLike<number>, rho: number): Float64Array {
  const out = takeCopy(column);
  for (let g = 0; g + 1 < offsets.length; g += 1) {
    const end = offsets[g + 1];
    for (let i = offsets[g] + 1; i < end; i += 1) out[i] -= rho * column[i - 1];
  }
  return out;
}

/**
 * Returns by how much the residuals of the larger model, with `parameters` more, lower the Bayesian information
 * criterion.
 */
export function computeInnovationGain(
  smaller: Float64Array,
  larger: Float64Array,
  offsets: Int32Array,
  parameters: number,
): number {
  const rho = computeLagOneWithin(larger, offsets);
  const [before, after] = [smaller, larger].map((residual) => {
    const left = takeInnovations(residual, offsets, rho);
    return computeDot(left, left);
  });
  return smaller.length * Math.log(before / after) - parameters * Math.log(smaller.length);
}
