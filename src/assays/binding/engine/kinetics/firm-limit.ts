/**
 * An upper limit of KD must not rest on its highest dose alone. A curve that ends at a ceiling of the detector looks like
 * one of a tight binder; the other doses then give a weaker KD.
 */
import { formatConcentration } from '#core/number-words.ts';
import { NORMAL_95 } from '#analysis/numerics/statistics.ts';
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import { withholdQuantity, type Quantity } from '#analysis/quantities/quantity.ts';
import { finishFit, solveKinetics } from './fit.ts';
import type { FitOptions, KineticFit } from './fit.ts';
import type { FitCurve } from './model.ts';

/** With fewer doses, those that are left say too little. */
const DOSES_MIN = 3;

/**
 * Returns an upper limit of KD that the doses below the highest one allow as well, with a flag where that is another one; null
 * where these bound KD from above by nothing. Other quantities stay as they are.
 */
export function raiseToOtherDoses(
  kd: Quantity | null,
  curves: readonly FitCurve[],
  { fit: { kon, koff, timeZero }, options }: { fit: KineticFit; options: FitOptions },
): { kd: Quantity | null; flags: Flag[] } {
  const doses = new Set(curves.map(({ concentrationM }) => concentrationM));
  if (kd?.relation !== '<' || doses.size < DOSES_MIN) return { kd, flags: [] };
  const topM = Math.max(...doses);
  const others = curves.filter(({ concentrationM }) => concentrationM < topM);
  const solved = solveKinetics(others, { ...options, start: { kon, koff }, timeZero });
  if (!(solved.kdM > kd.value)) return { kd, flags: [] };
  const { kdM, seLnKd, widening, profile } = finishFit(solved);
  const value = kdM * Math.exp(NORMAL_95 * seLnKd * widening.kd);
  const isOpen = !Number.isFinite(value) || profile === 'open' || profile === 'open_high';
  const message =
    `Without the highest concentration the curves give a KD of ${formatConcentration(kdM)}, above the limit of ` +
    `${formatConcentration(kd.value)} that they give with it, ${isOpen ? 'and no limit: none is stated.' : 'so the limit without it is stated.'}`;
  const flag = createFlag('DOSE_INFLUENTIAL', 'warning', message, { value: kdM, limit: kd.value });
  return { kd: withholdQuantity({ ...kd, value }, { limit_of_top_dose: isOpen }), flags: [flag] };
}
