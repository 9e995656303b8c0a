/** Tells a drift of sensors from slopes that belong to the interaction or to a fault of the model. */
import { computeDot } from '../../../numerics/matrix.ts';
import { computeChiSquareQuantile } from '../../../numerics/quantiles.ts';

/** The slope that was fitted to a curve as drift, with what is known of it. Slopes in signal/s. */
export interface FittedSlope {
  perS: number;
  /** Standard deviation that the plate shows for the drift of such a curve; 0 where nothing is known. */
  sdPerS: number;
  /** Slope of the baseline of the curve with its standard error; null without a baseline. */
  baseline: { perS: number; se: number } | null;
  response: number;
}

/** Why slopes are no drift; null where they are. */
export type SlopeDoubt = 'grows_with_response' | 'unseen_elsewhere';

const CURVES_MIN = 3;
/** Distance from zero, in standard errors, of the factor between slope and response. */
const GROWTH_SE_MIN = 3.5;
/** Probability of larger slopes by chance. */
const CHANCE = 1e-3;

/**
 * Decides whether fitted slopes are a drift of the sensors: they may not grow with the response, because sensors drift
 * whatever binds to them, and must lie within what the plate shows of its drift or agree with the baselines, where
 * there is either.
 */
export function findSlopeDoubt(slopes: readonly FittedSlope[]): SlopeDoubt | null {
  if (growsWithResponse(slopes)) return 'grows_with_response';
  if (slopes.every(({ sdPerS, baseline }) => sdPerS === 0 && baseline === null)) return null;
  return isWithinPlate(slopes) || agreesWithBaselines(slopes) ? null : 'unseen_elsewhere';
}

function growsWithResponse(slopes: readonly FittedSlope[]): boolean {
  const n = slopes.length;
  const perS = slopes.map((slope) => slope.perS);
  const responses = slopes.map(({ response }) => response);
  const squares = computeDot(responses, responses);
  if (n < CURVES_MIN || !(squares > 0)) return false;
  const factor = computeDot(perS, responses) / squares;
  const left = slopes.reduce((sum, slope) => sum + (slope.perS - factor * slope.response) ** 2, 0);
  const se = Math.sqrt(left / (n - 1) / squares);
  return Math.abs(factor) > GROWTH_SE_MIN * se;
}

function isWithinPlate(slopes: readonly FittedSlope[]): boolean {
  const sum = slopes.reduce((total, { perS, sdPerS }) => total + (perS === 0 ? 0 : (perS / sdPerS) ** 2), 0);
  return sum <= computeChiSquareQuantile(1 - CHANCE, slopes.length);
}

function agreesWithBaselines(slopes: readonly FittedSlope[]): boolean {
  let sum = 0;
  for (const { perS, baseline } of slopes) {
    if (baseline === null) return false;
    sum += ((perS - baseline.perS) / baseline.se) ** 2;
  }
  return sum <= computeChiSquareQuantile(1 - CHANCE, slopes.length);
}
