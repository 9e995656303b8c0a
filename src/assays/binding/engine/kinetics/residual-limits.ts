/** What the residuals of a fit leave to explain. */
import type { KineticFit } from './fit.ts';

const EXACT_RMS_PCT = 1e-3;
const DURBIN_WATSON_MIN = 1;

/** A fit that is exact to rounding leaves nothing to explain, and its residuals are correlated without meaning. */
export function isExact({ rmsPctRmax }: Pick<KineticFit, 'rmsPctRmax'>): boolean {
  return !(rmsPctRmax >= EXACT_RMS_PCT);
}

/** Whether neighboring residuals are so much alike that the fit deviates from the curves over long stretches. */
export function isCorrelated({ durbinWatson }: Pick<KineticFit, 'durbinWatson'>): boolean {
  return durbinWatson < DURBIN_WATSON_MIN;
}
