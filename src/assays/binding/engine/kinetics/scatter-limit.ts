/** How far above their center the scatter of negative controls can lift a response without binding. */
import {
  computeStandardDeviation,
  MAD_TO_SD,
  computeMedianAbsoluteDeviation,
  computeStudentQuantile,
} from '#analysis/numerics/statistics.ts';

/**
 * A robust standard deviation (1.4826 × MAD) is known as well as an ordinary one of this part of the values, and the
 * variance of a median is π/2 times that of a mean (Rousseeuw & Croux 1993).
 */
const ROBUST_EFFICIENCY = 0.37;
const MEDIAN_VARIANCE = Math.PI / 2;
/** However many controls there are, fewer standard deviations do not tell a response from them. */
const SDS_MIN = 3;

/**
 * Returns the upper prediction limit of one further value above the center of `values`. It is the smaller of two: that of the
 * ordinary standard deviation, which a control that binds widens, and that of the robust one, which a few such controls do not
 * widen, but which few values leave open. Three standard errors of the value itself, `ownSe`, are the least.
 */
export function computeScatterLimit(values: readonly number[], probability: number, ownSe: number): number {
  const n = values.length;
  const sd = computeStandardDeviation(values);
  const limits = [sd * countPredictionSds(n - 1, 1 / n, probability)];
  const robustFreedom = ROBUST_EFFICIENCY * (n - 1);
  if (robustFreedom >= 1) {
    const robustSd = MAD_TO_SD * computeMedianAbsoluteDeviation(values);
    limits.push(robustSd * countPredictionSds(robustFreedom, MEDIAN_VARIANCE / n, probability));
  }
  return Math.max(Math.min(...limits), SDS_MIN * ownSe);
}

function countPredictionSds(freedom: number, centerVariance: number, probability: number): number {
  return Math.max(SDS_MIN, computeStudentQuantile(probability, freedom) * Math.sqrt(1 + centerVariance));
}
