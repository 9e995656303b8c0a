/** Fits straight lines by least squares, with errors that account for the autocorrelation of the residuals. */
import { computeCorrelationInflation, computeLagOne } from './autocorrelation.ts';
import { computeDot } from './matrix.ts';
import { computeMean } from './statistics.ts';

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

/** Fits a straight line through (x, y) by least squares; null below four points or with no spread in x. */
export function fitLine(x: ArrayLike<number>, y: ArrayLike<number>): LineFit | null {
  const n = x.length;
  if (n < 4) return null;
  const mx = computeMean(x);
  const my = computeMean(y);
  let sxx = 0;
  let sxy = 0;
  for (let i = 0; i < n; i += 1) {
    sxx += (x[i] - mx) ** 2;
    sxy += (x[i] - mx) * (y[i] - my);
  }
  if (sxx === 0) return null;
  const slope = sxy / sxx;
  const residual = new Float64Array(n);
  for (let i = 0; i < n; i += 1) residual[i] = y[i] - my - slope * (x[i] - mx);
  const autocorrelation = Math.min(0.95, Math.max(0, computeLagOne(residual)));
  const residualSd = Math.sqrt(computeDot(residual, residual) / (n - 2));
  const slopeSe = (residualSd / Math.sqrt(sxx)) * computeCorrelationInflation(autocorrelation);
  return { intercept: my - slope * mx, slope, residualSd, autocorrelation, slopeSe };
}
