/** Means, variances and their sums. Arrays are read only; empty input gives NaN unless stated. */

export function computeMean(values: ArrayLike<number>, from = 0, to = values.length): number {
  let sum = 0;
  for (let i = from; i < to; i += 1) sum += values[i];
  return sum / (to - from);
}

/** Sample standard deviation (n − 1); NaN below two values. */
export function computeStandardDeviation(values: ArrayLike<number>): number {
  const center = computeMean(values);
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += (values[i] - center) ** 2;
  return Math.sqrt(sum / (values.length - 1));
}

/**
 * Returns R²: the fraction of the squared deviations of all values from their common mean that a model with this sum
 * of squared residuals explains; 0 where the values do not differ. `sds`, one per value, weight the values; the
 * residuals must then be weighted too.
 */
export function computeRSquared(
  ssr: number,
  series: readonly ArrayLike<number>[],
  sds?: readonly ArrayLike<number>[],
): number {
  let weights = 0;
  let weighted = 0;
  for (let g = 0; g < series.length; g += 1) {
    const values = series[g];
    const sd = sds?.[g];
    for (let i = 0; i < values.length; i += 1) {
      const weight = sd === undefined ? 1 : sd[i] ** -2;
      weights += weight;
      weighted += weight * values[i];
    }
  }
  const center = weighted / weights;
  let total = 0;
  for (let g = 0; g < series.length; g += 1) {
    const values = series[g];
    const sd = sds?.[g];
    for (let i = 0; i < values.length; i += 1) {
      const deviation = values[i] - center;
      total += sd === undefined ? deviation * deviation : (deviation / sd[i]) ** 2;
    }
  }
  return total > 0 ? 1 - ssr / total : 0;
}

/** A variance with the degrees of freedom of its estimate, infinite where it is known. */
export interface Variance {
  variance: number;
  freedom: number;
}

/**
 * Returns the sum of independent variances with its effective degrees of freedom (Welch 1947; Satterthwaite 1946).
 */
export function sumVariances(parts: readonly Variance[]): Variance {
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  const inverse = parts.reduce((sum, part) => sum + part.variance ** 2 / part.freedom, 0);
  const least = Math.min(...parts.map(({ freedom }) => freedom));
  return {
    variance,
    freedom: inverse > 0 ? Math.max(least, variance ** 2 / inverse) : Number.POSITIVE_INFINITY,
  };
}
