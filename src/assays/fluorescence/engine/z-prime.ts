/** Z′ of a plate (Zhang, Chung & Oldenburg 1999): the separation of positive and negative controls. */
import { computeMean, computeStandardDeviation } from '#analysis/numerics/moments.ts';
import { MAD_TO_SD, computeMedian, computeMedianAbsoluteDeviation } from '#analysis/numerics/robust.ts';

/**
 * Returns 1 − 3(sd_p + sd_n)/(µ_p − µ_n); null below two wells of either control, and when the positives are not
 * above the negatives.
 */
export function computeZPrime(positives: readonly number[], negatives: readonly number[]): number | null {
  if (positives.length < 2 || negatives.length < 2) return null;
  return computeSeparation(
    computeMean(positives) - computeMean(negatives),
    computeStandardDeviation(positives) + computeStandardDeviation(negatives),
  );
}

/** Returns Z′ from medians and scaled MADs; null below three wells of either control. */
export function computeRobustZPrime(
  positives: readonly number[],
  negatives: readonly number[],
): number | null {
  if (positives.length < 3 || negatives.length < 3) return null;
  return computeSeparation(
    computeMedian(positives) - computeMedian(negatives),
    MAD_TO_SD * (computeMedianAbsoluteDeviation(positives) + computeMedianAbsoluteDeviation(negatives)),
  );
}

function computeSeparation(distance: number, spread: number): number | null {
  return distance > 0 ? 1 - (3 * spread) / distance : null;
}
