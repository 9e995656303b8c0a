/** Tells a drift of sensors from slopes that belong to the interaction or to a fault of the model. */
import { computeDot } from '#analysis/numerics/matrix.ts';
import {
  computeMean,
  computeChiSquareQuantile,
  computeStudentQuantile,
} from '#analysis/numerics/statistics.ts';

/** The slope that was fitted to a curve as drift, with what is known of it. Slopes in signal/s. */
export interface FittedSlope {
  perS: number;
  /** Standard deviation that the plate shows for the drift of such a curve; 0 where nothing is known. */
  sdPerS: number;
  /** Slope of the baseline of the curve with its standard error; null without a baseline. */
  baseline: { perS: number; se: number } | null;
  response: number;
  isBlankSubtracted: boolean;
}

/** Why slopes are no drift; null where they are. */
export type SlopeDoubt = 'grows_with_response' | 'unseen_elsewhere';

/** Probability that chance alone rejects a drift, on either ground. */
const CHANCE = 5e-3;

/**
 * Decides whether fitted slopes are a drift of the sensors: they may not grow with the response, because sensors drift
 * whatever binds to them, and must lie within what the plate shows of its drift or agree with the baselines, where
 * there is either.
 */
export function findSlopeDoubt(slopes: readonly FittedSlope[]): SlopeDoubt | null {
  if (findGrowth(slopes) !== null) return 'grows_with_response';
  if (slopes.every(({ sdPerS, baseline }) => sdPerS === 0 && baseline === null)) return null;
  return isWithinPlate(slopes) || isLikeBaselines(slopes) ? null : 'unseen_elsewhere';
}

/**
 * Returns by how much the slopes grow with the response, in 1/s; null where chance explains it. The drift of a subtracted
 * blank is in all slopes, so they may share a constant.
 */
export function findGrowth(slopes: readonly FittedSlope[]): number | null {
  const hasBlank = isBlankShared(slopes);
  const freedom = slopes.length - (hasBlank ? 2 : 1);
  const perS = center(
    slopes.map((slope) => slope.perS),
    hasBlank,
  );
  const responses = listResponses(slopes);
  const squares = computeDot(responses, responses);
  if (freedom < 1 || !(squares > 0)) return null;
  const factor = computeDot(perS, responses) / squares;
  const left = perS.reduce((sum, slope, g) => sum + (slope - factor * responses[g]) ** 2, 0);
  const se = Math.sqrt(left / freedom / squares);
  return Math.abs(factor) > computeStudentQuantile(1 - CHANCE / 2, freedom) * se ? factor : null;
}

/** Returns by how much the slopes of the baselines grow with the response of their curves, in 1/s. */
export function computeBaselineGrowth(slopes: readonly FittedSlope[]): number {
  const baselines = center(
    slopes.map(({ baseline }) => baseline?.perS ?? 0),
    isBlankShared(slopes),
  );
  const responses = listResponses(slopes);
  return computeDot(baselines, responses) / computeDot(responses, responses);
}

function isBlankShared(slopes: readonly FittedSlope[]): boolean {
  return slopes.some(({ isBlankSubtracted }) => isBlankSubtracted);
}

function listResponses(slopes: readonly FittedSlope[]): number[] {
  return center(
    slopes.map(({ response }) => response),
    isBlankShared(slopes),
  );
}

function center(values: readonly number[], isCentered: boolean): number[] {
  const mean = isCentered ? computeMean(values) : 0;
  return values.map((value) => value - mean);
}

function isWithinPlate(slopes: readonly FittedSlope[]): boolean {
  const sum = slopes.reduce((total, { perS, sdPerS }) => total + (perS === 0 ? 0 : (perS / sdPerS) ** 2), 0);
  return sum <= computeChiSquareQuantile(1 - CHANCE, slopes.length);
}

function isLikeBaselines(slopes: readonly FittedSlope[]): boolean {
  let sum = 0;
  for (const { perS, baseline } of slopes) {
    if (baseline === null) return false;
    sum += ((perS - baseline.perS) / baseline.se) ** 2;
  }
  return sum <= computeChiSquareQuantile(1 - CHANCE, slopes.length);
}
