/** Whether a drift of the sensor itself explains a response, or hides one. */
import { createFlag } from '#analysis/quality/flags.ts';
import type { Flag } from '#analysis/quality/flags.ts';
import { measureSensorDrift } from '../../binding/engine/kinetics/plate-drift.ts';
import type { ProcessedCurve } from '../../binding/engine/kinetics/process.ts';
import type { BindingSettings } from '../../binding/engine/settings.ts';
import type { Binding } from '../../binding/engine/types.ts';

/** A response without drift stays below its threshold by chance in one of a thousand sensors. */
const DRIFT_SE = 3;
/** A drift that hides a binder lies beyond this many standard errors in one of forty sensors. */
const HIDDEN_SE = 2;

/**
 * Flags a binder whose response a drift of its sensor explains, and a non-binder whose drift hides a response. What
 * drifts is judged by the slopes of the sensor itself, because the negative controls may be elsewhere on the tray.
 */
export function findDriftDoubt(
  binding: Binding,
  curve: ProcessedCurve,
  { threshold, center, sd, floor }: { threshold: number; center: number; sd: number; floor: number },
  settings: BindingSettings,
): Flag | null {
  const drift = measureSensorDrift(curve, settings);
  if (drift === null) return null;
  const { shift, se } = drift;
  const least = Math.max(floor, center + DRIFT_SE * Math.hypot(sd, se));
  const withoutDrift = curve.response - shift;
  if (binding === 'binder' && shift > 0 && withoutDrift <= Math.max(least, threshold)) {
    const message = `The sensor drifts by ${formatShift(shift)} until the end of association, which explains the response.`;
    return createFlag('DRIFT', 'warning', message, { value: shift, limit: curve.response });
  }
  const hidden = withoutDrift + HIDDEN_SE * se;
  if (binding === 'non_binder' && shift < 0 && drift.isClear && hidden > threshold) {
    const message = `The sensor drifts by ${formatShift(shift)} until the end of association, which may hide a response.`;
    return createFlag('DRIFT', 'warning', message, { value: shift, limit: threshold });
  }
  return null;
}

function formatShift(shift: number): string {
  return Number(shift.toPrecision(2)).toString();
}
