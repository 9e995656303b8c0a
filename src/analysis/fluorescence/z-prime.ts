/** Z′ of a plate (Zhang, Chung & Oldenburg 1999): how far positive and negative controls are apart. */
import { MAD_TO_SD, mean, median, medianAbsoluteDeviation, standardDeviation } from '../statistics.ts';

/** 1 − 3(sd_p + sd_n)/(µ_p − µ_n); null below two wells of either control, and for positives that are not above the negatives. */
export function zPrime(positives: readonly number[], negatives: readonly number[]): number | null {
  if (positives.length < 2 || negatives.length < 2) return null;
  return separation(
    mean(positives) - mean(negatives),
    standardDeviation(positives) + standardDeviation(negatives),
  );
}

/** The same from medians and scaled MADs; null below three wells of either control. */
export function zPrimeRobust(positives: readonly number[], negatives: readonly number[]): number | null {
  if (positives.length < 3 || negatives.length < 3) return null;
  return separation(
    median(positives) - median(negatives),
    MAD_TO_SD * (medianAbsoluteDeviation(positives) + medianAbsoluteDeviation(negatives)),
  );
}

function separation(distance: number, spread: number): number | null {
  return distance > 0 ? 1 - (3 * spread) / distance : null;
}
