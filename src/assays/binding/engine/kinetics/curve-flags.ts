/** Flags on the curves of a replicate that need no fit. */
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import type { BindingSettings } from '../settings.ts';
import { computeLevelSe } from './level-error.ts';
import type { ProcessedCurve } from './process.ts';

/**
 * Fraction by which a response must fall at a higher concentration to be flagged, beyond what sensors differ by in their
 * loading, and the same in standard errors.
 */
const DOSE_DROP = 0.15;
const DOSE_DROP_SE = 3.5;
/** A signal this close to the stated saturation counts as saturated. */
const NEAR_TOP = 0.999;

/** Returns the flags that need no fit. Curves ascend in concentration. */
export function flagCurves(curves: readonly ProcessedCurve[], settings: BindingSettings): Flag[] {
  const flags: Flag[] = [];
  const { saturationSignal } = settings.limits;
  const top = Math.max(...curves.map((curve) => curve.rawTop));
  if (saturationSignal !== null && top >= NEAR_TOP * saturationSignal) {
    flags.push(
      createFlag('SATURATED', 'warning', 'The detector is saturated.', {
        value: top,
        limit: saturationSignal,
      }),
    );
  }
  const drops = curves.some((curve, i) => {
    const below = curves[i - 1];
    if (i === 0) return false;
    const drop = below.response - curve.response;
    const se = Math.hypot(computeLevelSe(curve), computeLevelSe(below));
    return drop > Math.max(DOSE_DROP * below.response, DOSE_DROP_SE * se);
  });
  if (drops)
    flags.push(createFlag('NON_MONOTONIC_DOSE', 'warning', 'A higher concentration gave a lower response.'));
  return flags;
}

/**
 * Flags non-specific binding by the fraction of a sensor's signal at the highest concentration that its reference
 * sensor also shows. Below the threshold it is flagged only if that fraction of the reference signal exceeds the
 * threshold, because it could then hide binding.
 */
export function flagNonSpecific(
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
  const message =
    'The reference sensor shows a large part of the signal: non-specific binding or bulk effect.';
  return createFlag('NSB', 'warning', message, { value, limit });
}
