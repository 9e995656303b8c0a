/** Whether a model misses the curves by more than their noise. */
import { computeMedian } from '#analysis/numerics/robust.ts';
import { createFlag } from '#analysis/quality/flags.ts';
import type { Flag } from '#analysis/quality/flags.ts';
import type { BindingLimits } from '../settings.ts';
import type { KineticFit } from './fit.ts';
import type { ProcessedCurve } from './process.ts';

/** Residuals up to this many times the noise of a point hide no deviation as large as the noise itself. */
const RMS_TO_NOISE_MAX = 1.2;

/**
 * Returns the flag of a fit that misses its curves, or null. On a low signal noise alone lowers R² and raises the
 * residuals in % of Rmax; residuals that are no larger than the noise and not correlated are noise.
 */
export function flagPoorFit(
  curves: readonly ProcessedCurve[],
  fit: Pick<KineticFit, 'r2' | 'rms' | 'rmsPctRmax' | 'durbinWatson'>,
  limits: BindingLimits,
): Flag | null {
  const noise = computeMedian(curves.map((curve) => Math.min(curve.noise, curve.pointSe)));
  const isNoise = fit.rms <= RMS_TO_NOISE_MAX * noise && !(fit.durbinWatson < limits.durbinWatsonMin);
  if (isNoise) return null;
  if (fit.r2 < limits.r2Min) {
    const message = 'The 1:1 model does not describe the curves (R²).';
    return createFlag('POOR_FIT', 'warning', message, { value: fit.r2, limit: limits.r2Min });
  }
  if (!(fit.rmsPctRmax > limits.rmsPctRmaxMax)) return null;
  const message = 'The 1:1 model does not describe the curves (residual RMS in % of Rmax).';
  return createFlag('POOR_FIT', 'warning', message, { value: fit.rmsPctRmax, limit: limits.rmsPctRmaxMax });
}
