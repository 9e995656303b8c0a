/**
 * Decides which peaks of the derivative are transitions: applies the rule of no-transition.ts to peaks that no
 * accepted model explains.
 */
import { computeCorrelationInflation, computeLagOne } from '#analysis/numerics/autocorrelation.ts';
import { computeMedian } from '#analysis/numerics/statistics.ts';
import { PEAK } from './derivative.ts';
import type { Derivative, InflectionPoint } from './derivative.ts';
import { fitMelt, isNarrowerThanProtein } from './fit.ts';
import type { Curve } from './fit.ts';
import { RETURN, UNFOLDED, isEnclosed, createNoTransition } from './no-transition.ts';
import type { MeltingLimits } from './settings.ts';
import type { NoTransition } from './types.ts';

/** Fraction of the area of a logistic's derivative between its half-height points: tanh(ln(1 + √2)) = 1/√2. */
const AREA_WITHIN_HALF_HEIGHT = Math.SQRT1_2;
/**
 * Largest derivative at the ends of the range in units of its peak, equal to the unfolded fractions of the rule for
 * models: 4f(1 − f).
 */
const END_SLOPE_MAX = 4 * UNFOLDED.firstMax * (1 - UNFOLDED.firstMax);
const LOCAL_POINTS_MIN = 12;

export interface JudgedPeaks {
  peaks: InflectionPoint[];
  /** Why the highest of the other peaks was rejected; null when all are accepted. */
  refused: NoTransition | null;
}

export interface PeakContext {
  curve: Curve;
  slopes: Derivative;
  /** Tm of an accepted model, whose peaks were already checked with it. */
  modelC: readonly number[];
  /** A dye may leave the aggregate, so its signal may return. */
  isDye: boolean;
  limits: MeltingLimits;
}

export function evaluatePeaks(found: readonly InflectionPoint[], context: PeakContext): JudgedPeaks {
  const reasons = found.map((peak) => explainNoPeak(peak, context));
  const highest = found.reduce<number | null>((best, { height }, index) => {
    if (reasons[index] === null) return best;
    return best === null || Math.abs(height) > Math.abs(found[best].height) ? index : best;
  }, null);
  return {
    peaks: found.filter((_, index) => reasons[index] === null),
    refused: highest === null ? null : reasons[highest],
  };
}

function explainNoPeak(peak: InflectionPoint, context: PeakContext): NoTransition | null {
  const { slopes, modelC, limits } = context;
  const t = slopes.temperatureC;
  if (modelC.some((tmC) => Math.abs(tmC - peak.temperatureC) < PEAK.fromModelC)) return null;
  const range = { fromC: t[0], toC: t[t.length - 1] };
  const at = { tmC: peak.temperatureC, seTmC: peak.seC ?? 0 };
  const sign = Math.sign(peak.height);
  const level = computeMedian(slopes.slope);
  const excess = slopes.slope.map((value) => sign * (value - level));
  const height = Math.abs(peak.height);
  if (
    isBetweenReadings(peak, slopes) ||
    !isEnclosed(at, at, range, limits) ||
    !isFallingOnBothSides(peak, t, excess)
  )
    return createNoTransition('at_range_end');
  if (!(changeThrough(peak, t, excess) >= limits.amplitudeToRms * estimateNoise(context)))
    return createNoTransition('amplitude_below_noise');
  const comesBack = excess.some(
    (value, i) => value < -RETURN.part * height && Math.abs(t[i] - peak.temperatureC) < RETURN.withinC,
  );
  if (comesBack && !context.isDye) return createNoTransition('signal_returns');
  return isNarrow(peak, context) ? createNoTransition('width_at_bound') : null;
}

/** Whether the readings around a peak were left out, so that the derivative only joins what is on both sides. */
function isBetweenReadings(
  { temperatureC }: InflectionPoint,
  { temperatureC: t, halfWindowC }: Derivative,
): boolean {
  const above = t.findIndex((value) => value >= temperatureC);
  return above > 0 && t[above] - t[above - 1] > halfWindowC;
}

function isFallingOnBothSides(
  { temperatureC, height }: InflectionPoint,
  t: Float64Array,
  excess: Float64Array,
): boolean {
  const limit = END_SLOPE_MAX * Math.abs(height);
  return (
    excess.some((value, i) => t[i] < temperatureC && value <= limit) &&
    excess.some((value, i) => t[i] > temperatureC && value <= limit)
  );
}

/** Returns the change of signal through a peak, from its area between the half-height points. */
function changeThrough(
  { temperatureC, height }: InflectionPoint,
  t: Float64Array,
  excess: Float64Array,
): number {
  const half = Math.abs(height) / 2;
  const above = t.findIndex((value) => value >= temperatureC);
  let area = 0;
  for (let i = above; i < t.length && excess[i] >= half; i += 1) area += excess[i] * (t[i] - t[i - 1]);
  for (let i = above - 1; i > 0 && excess[i] >= half; i -= 1) area += excess[i] * (t[i + 1] - t[i]);
  return area / AREA_WITHIN_HALF_HEIGHT;
}

function estimateNoise({ curve, slopes }: PeakContext): number {
  const residual = curve.signal.map((value, i) => value - slopes.smoothed[i]);
  return slopes.noiseSd * Math.sqrt(computeCorrelationInflation(computeLagOne(residual)));
}

/**
 * Whether a two-state curve fitted around the peak alone reaches the bound of its steepness: a step of the detector,
 * supported by only one or two samples.
 */
function isNarrow({ temperatureC: tmC }: InflectionPoint, { curve, slopes }: PeakContext): boolean {
  const { temperatureC: t, signal } = curve;
  const n = t.length;
  let from = t.findIndex((value) => value >= tmC - 2 * slopes.halfWindowC);
  let to = t.findLastIndex((value) => value <= tmC + 2 * slopes.halfWindowC) + 1;
  while (to - from < Math.min(LOCAL_POINTS_MIN, n)) {
    from = Math.max(0, from - 1);
    to = Math.min(n, to + 1);
  }
  const local = { temperatureC: t.slice(from, to), signal: signal.slice(from, to) };
  const fit = fitMelt(local, {
    shape: 'thermodynamic',
    transitions: 1,
    baseline: { kind: 'free' },
    deltaCpKcalPerMolK: 0,
    isQuenched: false,
  });
  return isNarrowerThanProtein(fit.transitions[0], 'thermodynamic');
}
