/** How far the level of one curve may be from that of another without binding. */
import type { ProcessedCurve } from './process.ts';

/**
 * Returns the standard error of a response when curves are compared: the noise of its mean; the optical step of a sensor
 * that changes its well, which is about as large as the noise; and the drift over `lengthS`, by default until the end of
 * association, as far as the plate or the baseline of the curve shows one.
 */
export function computeLevelSe(
  { fit, responseSe, noise, driftPerS }: ProcessedCurve,
  lengthS = fit.associationS,
): number {
  const driftSd = Math.hypot(fit.drift?.sdPerS ?? 0, driftPerS);
  return Math.hypot(responseSe, noise, driftSd * lengthS);
}
