/** How alike neighboring residuals of a fit are, within curves. */
import {
  computeAutocorrelationTime,
  computeCorrelationInflation,
} from '#analysis/numerics/autocorrelation.ts';

/**
 * Returns the square root of the number of correlated points that equal one independent point: from the Durbin–Watson
 * statistic as for first-order noise, or from the autocorrelation time where that is longer.
 */
export function computeCorrelationFactor(
  residual: Float64Array,
  offsets: Int32Array,
  { parameters, durbinWatson }: { parameters: number; durbinWatson: number },
): number {
  const firstOrder = computeCorrelationInflation(1 - durbinWatson / 2);
  return Math.max(firstOrder, Math.sqrt(computeAutocorrelationTime(residual, offsets, parameters)));
}

/** Returns the Durbin–Watson statistic within curves: 2 for white residuals, near 0 for drifting ones. */
export function computeDurbinWatson(residual: Float64Array, offsets: Int32Array): number {
  let steps = 0;
  let squares = 0;
  for (let g = 0; g + 1 < offsets.length; g += 1) {
    for (let i = offsets[g]; i < offsets[g + 1]; i += 1) {
      squares += residual[i] ** 2;
      if (i > offsets[g]) steps += (residual[i] - residual[i - 1]) ** 2;
    }
  }
  return squares > 0 ? steps / squares : 2;
}
