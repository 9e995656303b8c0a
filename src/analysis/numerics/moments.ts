/** Means, variances and their sums. Arrays are read only; empty input gives NaN unless stated. */

export function computeMean(values: ArrayLike<number>, from = 0, to = values.length): number {
  let sum = 0;
  for (let i = from; i < to; i += 1) sum += values[i];
  return sum / (to - from);
}

/** Sample standard deviation (n − 1); NaN below two values. */
export function computeStandardDeviation(values: ArrayLike<number>): number {
  const centre = computeMean(values);
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += (values[i] - centre) ** 2;
  return Math.sqrt(sum / (values.length - 1));
}

/** A variance and the degrees of freedom it was estimated with; infinite where it is known. */
export interface Variance {
  variance: number;
  freedom: number;
}

/** Sum of independent variances with its effective degrees of freedom (Welch 1947; Satterthwaite 1946). */
export function sumVariances(parts: readonly Variance[]): Variance {
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  const inverse = parts.reduce((sum, part) => sum + part.variance ** 2 / part.freedom, 0);
  const least = Math.min(...parts.map(({ freedom }) => freedom));
  return {
    variance,
    freedom: inverse > 0 ? Math.max(least, variance ** 2 / inverse) : Number.POSITIVE_INFINITY,
  };
}
