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
  const found = new Float64Array(values);
  const middle = found.length >> 1;
  if (found.length === 0) return Number.NaN;
  partition(found, middle);
  if (found.length % 2 === 1) return found[middle];
  let below = found[0];
  for (let i = 1; i < middle; i += 1) below = Math.max(below, found[i]);
  return (below + found[middle]) / 2;
}

/** Below this many values sorting is as fast. */
const SORTED_MAX = 16;

/**
 * Orders `values` in place as far as needed for `values[k]` to be what it is when sorted, with none larger before it (Hoare's
 * quickselect). What is left of a part is sorted when it is short or does not shrink, so that no order of values is slow.
 */
function partition(values: Float64Array, k: number): void {
  let from = 0;
  let to = values.length - 1;
  let patience = 2 * Math.ceil(Math.log2(values.length + 1));
  while (to - from >= SORTED_MAX && patience > 0) {
    patience -= 1;
    const pivot = middleOf(values[from], values[(from + to) >> 1], values[to]);
    let i = from;
    let j = to;
    while (i <= j) {
      while (values[i] < pivot) i += 1;
      while (values[j] > pivot) j -= 1;
      if (i > j) break;
      const swapped = values[i];
      values[i] = values[j];
      values[j] = swapped;
      i += 1;
      j -= 1;
    }
    if (k <= j) to = j;
    else if (k >= i) from = i;
    else return;
  }
  values.subarray(from, to + 1).sort();
}

function middleOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

/** Median absolute deviation from the median, not scaled. */
export function medianAbsoluteDeviation(values: ArrayLike<number>): number {
  const centre = median(values);
  const deviations = new Float64Array(values.length);
  for (let i = 0; i < values.length; i += 1) deviations[i] = Math.abs(values[i] - centre);
  return median(deviations);
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
  if (degreesOfFreedom <= T_975.length) {
    // Between whole numbers, straight in the reciprocal.
    const below = Math.floor(degreesOfFreedom);
    const above = Math.min(below + 1, T_975.length);
    const part = below === above ? 0 : (1 / below - 1 / degreesOfFreedom) / (1 / below - 1 / above);
    return T_975[below - 1] + part * (T_975[above - 1] - T_975[below - 1]);
  }
  const z = 1.959964;
  const v = degreesOfFreedom;
  const g1 = (z ** 3 + z) / 4;
  const g2 = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const g3 = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + g1 / v + g2 / v ** 2 + g3 / v ** 3;
}

/** A variance and the degrees of freedom it was estimated with; infinite where it is known. */
export interface Variance {
  variance: number;
  freedom: number;
}

/** Sum of independent variances with its effective degrees of freedom (Welch 1947; Satterthwaite 1946). */
export function sumOfVariances(parts: readonly Variance[]): Variance {
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  const inverse = parts.reduce((sum, part) => sum + part.variance ** 2 / part.freedom, 0);
  const least = Math.min(...parts.map(({ freedom }) => freedom));
  return {
    variance,
    freedom: inverse > 0 ? Math.max(least, variance ** 2 / inverse) : Number.POSITIVE_INFINITY,
  };
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

const WINDOW_TIMES = 5;
const LAG_FRACTION_MAX = 1 / 3;
/** The fit hides at most this part of what is correlated; below, the correction would be noise. */
const SEEN_FRACTION_MIN = 0.3;

/**
 * Integrated autocorrelation time of residuals, at least 1: by how much the variance of their mean exceeds that of independent
 * ones. Sums over lags up to five times itself (Sokal 1997), lags within blocks only; the part that `parameters` fitted to the
 * same points take out of every lag is put back. `offsets` are the starts of the blocks and the total length.
 */
export function autocorrelationTime(
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
