/**
 * Doubts about a binder that stands only a little above the threshold of its plate. They leave the call as it is: a weak
 * binder looks the same, and only another measurement tells them apart.
 */
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import { computeMean, computeNormalProbability } from '#analysis/numerics/statistics.ts';
import type { PlateLevels } from '../../binding/engine/kinetics/plate-levels.ts';
import { computeScatterLimit } from '../../binding/engine/kinetics/scatter-limit.ts';
import { getReferencesAt } from '../../binding/engine/kinetics/plate.ts';
import type { Plate, ProcessedGroup } from '../../binding/engine/kinetics/plate.ts';
import { computeResponse } from '../../binding/engine/kinetics/process.ts';
import type { ProcessedCurve } from '../../binding/engine/kinetics/process.ts';
import type { BindingSettings } from '../../binding/engine/settings.ts';

interface Evidence {
  readonly plate: Plate;
  readonly levels: PlateLevels;
  readonly rule: ProcessedGroup['rule'];
  readonly limits: { readonly threshold: number };
  readonly settings: BindingSettings;
}

/**
 * What sticks to bare sensors, or makes them drift, may respond as much as this sequence. `top` is the curve of the highest
 * concentration, above its threshold.
 */
export function findLikeUnbound(
  { response, concentrationM }: ProcessedCurve,
  { plate, levels, rule, limits, settings }: Evidence,
): Flag[] {
  const most = levels.negativeMost ?? Number.NEGATIVE_INFINITY;
  if (response <= most) {
    const message = `A negative control of the plate responds as much (${most.toPrecision(2)}), if its drift is counted: the response may not be binding.`;
    return [createFlag('NSB', 'warning', message, { value: response, limit: most })];
  }
  const references =
    rule === 'reference' || rule === 'double'
      ? getReferencesAt(plate, concentrationM).map((each) => computeResponse(each, settings))
      : [];
  if (references.length < 2) return [];
  const highest = Math.max(...references);
  const least = response + computeMean(references) - highest;
  if (least > limits.threshold) return [];
  const message = `The reference sensors respond differently (${Math.min(...references).toPrecision(2)} to ${highest.toPrecision(2)}): with the highest one alone, the response would be ${least.toPrecision(2)}, below the threshold.`;
  return [createFlag('NSB', 'warning', message, { value: least, limit: limits.threshold })];
}

/** The probability of three standard deviations, which the threshold of many negative controls has. */
const THRESHOLD_PROBABILITY = computeNormalProbability(3);

/**
 * Few controls leave their own scatter open: a response that is clear of as many controls as there should be may be chance
 * with fewer, whether it exceeds the threshold of these or not.
 */
export function findUnsureThreshold(
  { response, responseSe }: ProcessedCurve,
  { levels: { negativeResponses, negativeMedian }, settings }: Pick<Evidence, 'levels' | 'settings'>,
): Flag[] {
  const n = negativeResponses.length;
  const limit = settings.limits.negativeControlsMin;
  if (negativeMedian === null || n >= limit) return [];
  const sure = negativeMedian + computeScatterLimit(negativeResponses, THRESHOLD_PROBABILITY, responseSe);
  if (response > sure) return [];
  const message = `With ${n} negative controls only a response above ${sure.toPrecision(2)} is surely more than theirs, so this one may be chance; the threshold should rest on ${limit}.`;
  return [createFlag('FEW_NEGATIVE_CONTROLS', 'warning', message, { value: n, limit })];
}
