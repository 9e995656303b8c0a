/**
 * Widens the interval of an isotherm by what curves that are resolved in time say of it: the plateaus of several kinds of
 * site lie nearly on the isotherm of one, and only the rates tell the kinds apart.
 */
import { NORMAL_95 } from '#analysis/numerics/statistics.ts';
import { applyDoubts, type Quantity } from '#analysis/quantities/quantity.ts';
import { SE_LN_KD_MAX } from './evaluate.ts';
import type { KineticFit } from './fit.ts';

/** Returns the quantity of the isotherm as it is where it is no measured value. */
export function widenIsotherm(
  isotherm: Quantity | null,
  ofCurves: Quantity | null,
  oneToOne: Pick<KineticFit, 'kdM' | 'seLnKd' | 'widening'>,
): Quantity | null {
  if (isotherm?.relation !== '=') return isotherm;
  const { value, ci95Low, ci95High } = isotherm;
  if (ci95Low === null || ci95High === null) return isotherm;
  const apart = computeContradiction(value, oneToOne);
  const low = Math.min(ci95Low, ofCurves?.ci95Low ?? value, value / apart);
  const high = Math.max(ci95High, ofCurves?.ci95High ?? value, value * apart);
  const isWide = !(Math.log(high / low) / (2 * NORMAL_95) < SE_LN_KD_MAX);
  return applyDoubts({ ...isotherm, ci95Low: low, ci95High: high }, { wide_interval: isWide });
}

/**
 * Returns the factor between the isotherm and the rates of 1:1 binding where it exceeds their error, else 1. Both are means
 * over the kinds of site, and the main kind may lie as far on the other side.
 */
function computeContradiction(
  kdM: number,
  { kdM: ofRatesM, seLnKd, widening }: Pick<KineticFit, 'kdM' | 'seLnKd' | 'widening'>,
): number {
  const apart = Math.abs(Math.log(kdM / ofRatesM));
  return apart > NORMAL_95 * seLnKd * widening.kd ? Math.exp(apart) : 1;
}
