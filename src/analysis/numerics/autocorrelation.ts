/** Measures the correlation of neighboring residuals and its effect on errors. */

/** Returns the lag-one autocorrelation, 0 where there is no scatter. */
export function computeLagOne(residual: ArrayLike<number>): number {
  let squares = 0;
  let lagged = 0;
  for (let i = 0; i < residual.length; i += 1) {
    squares += residual[i] ** 2;
    if (i > 0) lagged += residual[i] * residual[i - 1];
  }
  return squares > 0 ? lagged / squares : 0;
}

/**
 * Returns the factor by which first-order autocorrelation ρ widens a standard error that assumed independent points.
 */
export function computeCorrelationInflation(rho: number): number {
  const clipped = Math.min(0.98, Math.max(0, rho));
  return Math.sqrt((1 + clipped) / (1 - clipped));
}

/** As many independent points tell as much as `points` whose standard errors are to be widened by `inflation`. */
export function countIndependentPoints(points: number, inflation: number): number {
  return points / inflation ** 2;
}

const WINDOW_TIMES = 5;
const LAG_FRACTION_MAX = 1 / 3;
/** The fit is assumed to hide at most this fraction of the correlation; beyond it, the correction would be noise. */
const SEEN_FRACTION_MIN = 0.3;

/**
 * Returns the integrated autocorrelation time of residuals, at least 1: the factor by which the variance of their
 * mean exceeds that of independent ones. Sums over lags up to five times itself (Sokal 1997), within blocks only;
 * adds back the part that fitting `parameters` to the same points removes from every lag. `offsets` are the starts of
 * the blocks and the total length.
 */
export function computeAutocorrelationTime(
  residual: ArrayLike<number>,
  offsets: ArrayLike<number>,
  parameters: number,
): number {
  const n = offsets[offsets.length - 1];
  let total = 0;
  let shortest = n;
  for (let i = 0; i < n; i += 1) total += residual[i] ** 2;
  for (let g = 0; g + 1 < offsets.length; g += 1) shortest = Math.min(shortest, offsets[g + 1] - offsets[g]);
  if (total === 0) return 1;
  let time = 1;
  let lag = 0;
  while (lag < LAG_FRACTION_MAX * shortest && lag < WINDOW_TIMES * time) {
    lag += 1;
    let sum = 0;
    for (let g = 0; g + 1 < offsets.length; g += 1) {
      for (let i = offsets[g] + lag; i < offsets[g + 1]; i += 1) sum += residual[i] * residual[i - lag];
    }
    time += (2 * sum) / total;
  }
  return Math.max(1, time / Math.max(SEEN_FRACTION_MIN, 1 - (2 * lag * parameters) / n));
}
