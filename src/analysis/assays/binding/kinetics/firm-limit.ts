/**
 * An upper limit of KD must not rest on its highest dose alone. A curve that ends at a ceiling of the detector looks like
 * one of a tight binder; the other doses then give a weaker KD.
 */
import type { Quantity } from '../../../quantities/quantity.ts';
import { solveKinetics } from './fit.ts';
import type { FitOptions, KineticFit } from './fit.ts';
import type { FitCurve } from './model.ts';

/** With fewer doses, those that are left say too little. */
const DOSES_MIN = 3;

/** Whether the doses below the highest one contradict an upper limit of KD. */
export function isLimitContradicted(
  kd: Quantity | null,
  curves: readonly FitCurve[],
  { fit: { kon, koff, timeZero }, options }: { fit: KineticFit; options: FitOptions },
): boolean {
  const doses = new Set(curves.map(({ concentrationM }) => concentrationM));
  if (kd?.relation !== '<' || doses.size < DOSES_MIN) return false;
  const topM = Math.max(...doses);
  const others = curves.filter(({ concentrationM }) => concentrationM < topM);
  return solveKinetics(others, { ...options, start: { kon, koff }, timeZero }).kdM > kd.value;
}
