/** What is said of the curves of a replicate without a fit. */
import { flag } from '../../../quality/flags.ts';
import type { Flag } from '../../../quality/flags.ts';
import type { BindingSettings } from '../settings.ts';
import type { ProcessedCurve } from './process.ts';

/** Response falling by more than this fraction (and three standard errors) at a higher concentration. */
const DOSE_DROP = 0.1;
/** A signal this close to the stated saturation has reached it. */
const NEAR_TOP = 0.999;

/** What can be said of the curves without a fit. Curves ascend in concentration. */
export function curveFlags(curves: readonly ProcessedCurve[], settings: BindingSettings): Flag[] {
  const flags: Flag[] = [];
  const { saturationSignal } = settings.limits;
  const top = Math.max(...curves.map((curve) => curve.rawTop));
  if (saturationSignal !== null && top >= NEAR_TOP * saturationSignal) {
    flags.push(
      flag('SATURATED', 'warning', 'The detector is saturated.', { value: top, limit: saturationSignal }),
    );
  }
  const drops = curves.some((curve, i) => {
    const below = curves[i - 1];
    if (i === 0) return false;
    const drop = below.response - curve.response;
    return drop > Math.max(DOSE_DROP * below.response, 3 * Math.hypot(curve.responseSe, below.responseSe));
  });
  if (drops)
    flags.push(flag('NON_MONOTONIC_DOSE', 'warning', 'A higher concentration gave a lower response.'));
  return flags;
}

/**
 * How much of a sensor's signal at the highest concentration the reference sensor shows as well. Below the threshold it counts
 * where the same part of what the reference shows is more than the threshold: that much may be hidden.
 */
export function nonSpecificFlag(
  reference: readonly { response: number; sampleResponse: number }[],
  { response, threshold }: { response: number; threshold: number },
  settings: BindingSettings,
): Flag | null {
  const last = reference[reference.length - 1];
  const limit = settings.limits.nsbFractionMax;
  if (last === undefined || last.response <= limit * last.sampleResponse) return null;
  const matters = response > threshold ? last.sampleResponse > 0 : limit * last.response > threshold;
  if (!matters) return null;
  const value = last.sampleResponse > 0 ? last.response / last.sampleResponse : Number.NaN;
  const message = 'The reference sensor shows much of the signal: non-specific binding or bulk effect.';
  return flag('NSB', 'warning', message, { value, limit });
}
