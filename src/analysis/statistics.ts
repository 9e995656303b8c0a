/** Small statistics shared by the assays. Arrays are read only; empty input gives NaN unless stated. */

export function mean(values: ArrayLike<number>, from = 0, to = values.length): number {
  let sum = 0;
  for (let i = from; i < to; i += 1) sum += values[i];
  return sum / (to - from);
}

/** Sample standard deviation (n − 1); NaN below two values. */
export function standardDeviation(values: ArrayLike<number>): number {
  const centre = mean(values);
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += (values[i] - centre) ** 2;
  return Math.sqrt(sum / (values.length - 1));
}

export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median absolute deviation from the median, not scaled. */
export function medianAbsoluteDeviation(values: ArrayLike<number>): number {
  const centre = median(values);
  return median(Float64Array.from(values, (value) => Math.abs(value - centre)));
}

/** MAD × this = standard deviation of a normal distribution. */
export const MAD_TO_SD = 1.4826;

/** Exact two-sided 97.5 % points of Student's t for 1–10 degrees of freedom. */
const T_975 = [
  12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
];

/** Two-sided 95 % quantile of Student's t; Cornish–Fisher expansion above ten degrees of freedom (error < 2e-4). */
export function t95(degreesOfFreedom: number): number {
  if (degreesOfFreedom < 1) return Number.NaN;
  if (degreesOfFreedom <= T_975.length) return T_975[Math.round(degreesOfFreedom) - 1];
  const z = 1.959964;
  const v = degreesOfFreedom;
  const g1 = (z ** 3 + z) / 4;
  const g2 = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const g3 = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + g1 / v + g2 / v ** 2 + g3 / v ** 3;
}

export interface LineFit {
  intercept: number;
  slope: number;
  /** SD of the residuals (n − 2). */
  residualSd: number;
  /** Lag-one autocorrelation of the residuals, clipped to 0…0.95. */
  autocorrelation: number;
  /** Standard error of the slope, widened for the autocorrelation. */
  slopeSe: number;
}

/** Straight line through (x, y) by least squares; null below four points or with no spread in x. */
export function fitLine(x: ArrayLike<number>, y: ArrayLike<number>): LineFit | null {
  const n = x.length;
  if (n < 4) return null;
  const mx = mean(x);
  const my = mean(y);
  let sxx = 0;
  let sxy = 0;
  for (let i = 0; i < n; i += 1) {
    sxx += (x[i] - mx) ** 2;
    sxy += (x[i] - mx) * (y[i] - my);
  }
  if (sxx === 0) return null;
  const slope = sxy / sxx;
  let squares = 0;
  let lagged = 0;
  let previous = 0;
  for (let i = 0; i < n; i += 1) {
    const residual = y[i] - my - slope * (x[i] - mx);
    squares += residual ** 2;
    lagged += residual * previous;
    previous = residual;
  }
  const autocorrelation = squares === 0 ? 0 : Math.min(0.95, Math.max(0, lagged / squares));
  const residualSd = Math.sqrt(squares / (n - 2));
  const slopeSe = (residualSd / Math.sqrt(sxx)) * correlationInflation(autocorrelation);
  return { intercept: my - slope * mx, slope, residualSd, autocorrelation, slopeSe };
}

/** Factor by which first-order autocorrelation ρ widens a standard error that assumed independent points. */
export function correlationInflation(rho: number): number {
  const clipped = Math.min(0.98, Math.max(0, rho));
  return Math.sqrt((1 + clipped) / (1 - clipped));
}
