/**
 * Responses that are no sign of binding: a jump of a baseline, a single curve of a series, and steps that begin and end
 * with the injection and grow with the dose without an end.
 */
import { formatConcentration } from '#core/number-words.ts';
import { computeMean } from '#analysis/numerics/statistics.ts';
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import { countUpTo } from '#analysis/numerics/search.ts';
import { computeLevelSe } from './level-error.ts';
import type { ProcessedCurve } from './process.ts';
import { fitSteadyState } from './steady-state.ts';

/** Returns why the responses are no sign of binding, or null. `curves` ascend in concentration. */
export function findOtherCause(
  curves: readonly ProcessedCurve[],
  { threshold, offset }: { threshold: number; offset: boolean },
): Flag | null {
  return (
    findBaselineJump(curves[curves.length - 1], threshold) ??
    findLoneResponse(curves) ??
    findCommonStep(curves) ??
    findBulkSteps(curves, offset)
  );
}

/** Within this time of the start or end of an injection, the signal may change as fast as it likes. */
const SETTLING_S = 15;
/** A jump takes one sample; the levels before and after it are means over this many. */
const JUMP_SAMPLES = 5;
/** Height of a jump in standard errors of the two levels; by chance none of a thousand curves has one. */
const JUMP_SE_MIN = 6;
/** Binding that is this fast within the samples around a jump would have ended long before. */
const SMOOTH_PART_MAX = 0.5;

interface Jump {
  atS: number;
  height: number;
}

/** Returns the flag of a jump within association without which the response would not exceed its threshold. */
export function findBaselineJump(curve: ProcessedCurve, threshold: number): Flag | null {
  const jump = findLargestJump(curve);
  if (jump === null || curve.response - jump.height > threshold) return null;
  const message = `The signal jumps within a second, ${Math.round(jump.atS)} s after the start of association, by ${jump.height.toPrecision(2)}; without the jump there is no response.`;
  return createFlag('BASELINE_JUMP', 'warning', message, { value: jump.height, limit: threshold });
}

function findLargestJump({ fit, responseSe, noise }: ProcessedCurve): Jump | null {
  const { timeS, signal, associationS, injections } = fit;
  if (injections !== undefined) return null;
  const se = Math.max(noise / Math.sqrt(JUMP_SAMPLES), responseSe) * Math.SQRT2;
  let largest: Jump | null = null;
  for (let i = JUMP_SAMPLES; i + JUMP_SAMPLES <= timeS.length; i += 1) {
    if (timeS[i] < SETTLING_S || timeS[i + JUMP_SAMPLES - 1] > associationS) continue;
    const height = computeStep(signal, i);
    if (Math.abs(height) > Math.abs(largest?.height ?? 0)) largest = { atS: timeS[i], height };
  }
  if (largest === null || Math.abs(largest.height) < JUMP_SE_MIN * se) return null;
  return largest;
}

/** Level of the samples from `i` on minus that of the samples before, less what the slopes on both sides explain. */
function computeStep(signal: Float64Array, i: number): number {
  const before = signal.subarray(i - JUMP_SAMPLES, i);
  const after = signal.subarray(i, i + JUMP_SAMPLES);
  const step = computeMean(after) - computeMean(before);
  const drift = (JUMP_SAMPLES * (computeSlope(before) + computeSlope(after))) / 2;
  return Math.abs(drift) > SMOOTH_PART_MAX * Math.abs(step) ? 0 : step;
}

/** Slope per sample. */
function computeSlope(values: Float64Array): number {
  const center = (values.length - 1) / 2;
  let along = 0;
  let squares = 0;
  for (let i = 0; i < values.length; i += 1) {
    along += (i - center) * values[i];
    squares += (i - center) ** 2;
  }
  return along / squares;
}

/**
 * In 1:1 binding a response falls no faster than its dose; sensors of one replicate do not differ by this factor.
 */
const SHARE_MIN = 0.5;
const CLEAR_SE = 3;

/** Returns a flag where the highest dose responds and the next one does not, or far less than its dose asks for. */
function findLoneResponse(curves: readonly ProcessedCurve[]): Flag | null {
  const top = curves[curves.length - 1];
  const next = curves.findLast(({ concentrationM }) => concentrationM < top.concentrationM);
  if (next === undefined) return null;
  const least = SHARE_MIN * top.response * (next.concentrationM / top.concentrationM);
  const se = Math.hypot(
    computeLevelSe(next),
    SHARE_MIN * (next.concentrationM / top.concentrationM) * computeLevelSe(top),
  );
  if (next.response + CLEAR_SE * se >= least) return null;
  const message = `Only the highest concentration responds: ${formatConcentration(next.concentrationM)} gives ${next.response.toPrecision(2)}, less than its share of ${top.response.toPrecision(2)}, so binding is not shown.`;
  return createFlag('NO_DOSE_RESPONSE', 'warning', message, { value: next.response, limit: least });
}

/** Curves of doses this far apart differ if they show binding, at least while they rise. */
const DOSE_RANGE_MIN = 4;
/** Part of the response by which sensors may differ. */
const SENSORS_DIFFER_MAX = 0.15;
/** Levels that noise and drift let differ by more than this part of the response cannot be called the same. */
const SAME_PART_MAX = 0.4;
/** What happens later in dissociation may be another fault. */
const DISSOCIATION_PART = 0.5;

/**
 * Returns a flag where the highest and the lowest dose give the same curve, which stays as it is when the analyte is
 * gone: the blank or the reference that was subtracted from all has jumped.
 */
function findCommonStep(curves: readonly ProcessedCurve[]): Flag | null {
  const [lowest, top] = [curves[0], curves[curves.length - 1]];
  if (top.fit.injections !== undefined) return null;
  if (!(top.concentrationM >= DOSE_RANGE_MIN * lowest.concentrationM)) return null;
  const se = Math.hypot(computeLevelSe(lowest), computeLevelSe(top));
  const limit = SENSORS_DIFFER_MAX * top.response + CLEAR_SE * se;
  if (!(limit < SAME_PART_MAX * top.response)) return null;
  const { associationS } = top.fit;
  const endS = associationS + DISSOCIATION_PART * Math.min(top.dissociationS, lowest.dissociationS);
  let first: number | null = null;
  let last: number | null = null;
  for (let fromS = 0; fromS + FAST_S <= endS; fromS += FAST_S) {
    const level = averageBetween(top, fromS, fromS + FAST_S);
    const below = averageBetween(lowest, fromS, fromS + FAST_S);
    if (level === null || below === null) continue;
    if (Math.abs(level - below) > limit) return null;
    if (fromS < associationS) continue;
    first ??= level;
    last = level;
  }
  if (first === null || last === null || Math.abs(first - last) > limit) return null;
  const message =
    'The lowest and the highest concentration give the same curve, which stays when the analyte is gone: what was subtracted from both has changed, so binding is not shown.';
  return createFlag('NO_DOSE_RESPONSE', 'warning', message, { value: lowest.response, limit: top.response });
}

function averageBetween({ fit }: ProcessedCurve, fromS: number, toS: number): number | null {
  const [from, to] = [countUpTo(fit.timeS, fromS), countUpTo(fit.timeS, toS)];
  return to > from ? computeMean(fit.signal, from, to) : null;
}

/** Length of the windows in which an injection has to be level, after what settles. */
const WINDOW_S = 30;
const FAST_S = 10;
/** Part of the response that may come or stay later than that. */
const LATE_PART_MAX = 0.15;
const LATE_SE = 2;

/**
 * Returns a flag where every signal comes and goes with its injection, within seconds, and the responses show no
 * saturation: so do the refractive index and weak contacts with the surface. A binder that is as fast is told from them
 * only by its saturation.
 */
function findBulkSteps(curves: readonly ProcessedCurve[], offset: boolean): Flag | null {
  const sum = { end: 0, growth: 0, left: 0, variance: 0, ownVariance: 0 };
  for (const curve of curves) {
    const levels = readLevels(curve);
    if (levels === null) return null;
    for (const level of levels) {
      const weight = Math.max(0, level.response);
      sum.end += weight * level.end;
      sum.growth += weight * level.growth;
      sum.left += weight * level.left;
      sum.variance += (weight * computeLevelSe(curve, level.lengthS)) ** 2;
      sum.ownVariance += weight ** 2 * (curve.responseSe ** 2 + curve.noise ** 2);
    }
  }
  // Drift that could be as large as the response excuses much, but does not make binding look like steps: then noise alone counts.
  const limits = [sum.variance, sum.ownVariance].map(
    (variance) => LATE_PART_MAX * sum.end + LATE_SE * Math.sqrt(variance),
  );
  const limit = limits.find((each) => each < sum.end);
  if (limit === undefined) return null;
  if (Math.abs(sum.growth) > limit || sum.left > limit) return null;
  const isotherm = fitSteadyState(
    curves.flatMap(({ plateaus }) => plateaus),
    { offset },
  );
  const topM = curves[curves.length - 1].concentrationM;
  const mostM = (isotherm?.kdM ?? 0) * (isotherm?.interval.high ?? Number.POSITIVE_INFINITY);
  if (isotherm !== null && mostM <= topM) return null;
  const message =
    'The signals come and go with the injection within seconds, and grow with the concentration without saturation, as the refractive index does: binding is not shown.';
  return createFlag('BULK_STEP', 'warning', message, { value: isotherm?.kdM ?? Number.NaN, limit: topM });
}

/** The levels of one injection above the one before it, as aligned. */
interface InjectionLevels {
  lengthS: number;
  /** Mean of the last seconds of association. */
  response: number;
  end: number;
  /** How much of it comes late. */
  growth: number;
  /** How much of it stays. */
  left: number;
}

/** Reads each injection before dissociation was joined to association; null where a level is not recorded. */
function readLevels(curve: ProcessedCurve): InjectionLevels[] | null {
  const { associationS, injections } = curve.fit;
  const last = associationS + curve.dissociationS;
  const stretches = injections ?? [{ startS: 0, endS: associationS }];
  const found: InjectionLevels[] = [];
  let before = 0;
  for (const [i, { startS, endS }] of stretches.entries()) {
    const lengthS = endS - startS;
    const settledS = Math.min(FAST_S, lengthS / 4);
    const windowS = Math.min(WINDOW_S, lengthS / 2);
    const early = averageBetween(curve, startS + settledS, startS + settledS + windowS);
    const end = averageBetween(curve, endS - windowS, endS);
    const nextS = stretches[i + 1]?.startS ?? last;
    const goneS = endS + Math.min(settledS, (nextS - endS) / 2);
    const late = averageBetween(curve, goneS, Math.min(goneS + WINDOW_S, nextS));
    if (early === null || end === null || late === null) return null;
    const response = injections === undefined ? curve.response : end - before;
    const left = late - curve.interStepShift;
    found.push({ lengthS, response, end: end - before, growth: end - early, left: left - before });
    before = left;
  }
  return found;
}
