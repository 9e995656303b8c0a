/** What an isotherm says of KD, and the limits of what it can resolve. */
import { NORMAL_95 } from '#analysis/numerics/quantiles.ts';
import { createMeasuredBetween, stateQuantity } from '#analysis/quantities/quantity.ts';
import type { Quantity } from '#analysis/quantities/quantity.ts';
import { SE_LN_KD_MAX } from './evaluate.ts';
import type { SteadyStateFit } from './steady-state.ts';

/** When KD is below the lowest concentration by more than this factor, an isotherm shows little but saturation. */
const LOWEST_TO_KD_MAX = 10;
/** R² that an isotherm must reach before the responses count as dependent on concentration. */
const ISOTHERM_R2_MIN = 0.9;

/**
 * Returns KD from the isotherm; a limit when the highest concentration is below half of KD or the lowest is far above
 * it. Null where the responses do not follow the concentration, or leave KD open on both sides: equal responses fit a
 * saturated surface as well as a refractive-index change.
 */
export function evaluateSteadyState(fit: SteadyStateFit): Quantity | null {
  const top = Math.max(...fit.points.map((point) => point.concentrationM));
  const lowest = Math.min(...fit.points.map((point) => point.concentrationM));
  const kd = createMeasuredBetween(fit.kdM, 'M', fit.interval);
  const { ci95Low: low, ci95High: high } = kd;
  const isAbove = fit.kdM > 2 * top;
  const isBelow = fit.kdM < lowest / LOWEST_TO_KD_MAX;
  const cases = {
    no_dose_response: !(fit.r2 >= ISOTHERM_R2_MIN),
    kd_above_concentrations: isAbove && low !== null,
    kd_below_concentrations: isBelow && high !== null,
    open_on_both_sides:
      (isAbove && low === null) || (isBelow && high === null) || (low === null && high === null),
    open_above: high === null,
    open_below: low === null,
    wide_interval: !(computeSteadyStateHalfWidth(fit) < SE_LN_KD_MAX),
  };
  // Outside the range of the concentrations, the limit is the end of the interval if that is more cautious.
  const limit = isAbove
    ? Math.min(2 * top, low ?? Number.POSITIVE_INFINITY)
    : Math.max(lowest / LOWEST_TO_KD_MAX, high ?? 0);
  return stateQuantity(kd, cases, limit);
}

/** Returns the standard error of ln KD that corresponds to the interval of an isotherm; infinite when it is open. */
export function computeSteadyStateHalfWidth({ interval: { low, high } }: SteadyStateFit): number {
  return low === null || high === null ? Number.POSITIVE_INFINITY : Math.log(high / low) / (2 * NORMAL_95);
}
