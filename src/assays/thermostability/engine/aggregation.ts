/**
 * Onset of aggregation from light scattering: where the signal exceeds its baseline by five standard deviations and
 * stays above.
 */
import { createMeasuredWithin, createLimit, type Quantity } from '#analysis/quantities/quantity.ts';
import { fitLine } from '#analysis/numerics/line.ts';
import { computeMean, computeStandardDeviation } from '#analysis/numerics/statistics.ts';
import type { Curve } from './fit.ts';

const BASELINE_POINTS_MIN = 6;
/** Number of consecutive points that must stay above; a single spike is a particle. */
const SUSTAINED_POINTS = 3;
/**
 * A baseline whose slope exceeds this many standard errors is a line, not a mean. In either case the error of the
 * slope counts, because the baseline is extrapolated over most of the range.
 */
const SLOPE_SE = 3;

export interface Aggregation {
  tagg: Quantity | null;
  /** Signal above which aggregation is detected, at the temperature of the onset or at the end. */
  threshold: number | null;
}

/** Returns `>` the last temperature if scattering never leaves its baseline; null if the baseline is too short. */
export function findAggregationOnset(
  { temperatureC: t, signal }: Curve,
  rule: { baselineC: number; sd: number },
): Aggregation {
  const n = t.length;
  const inBaseline = t.findIndex((value) => value > t[0] + rule.baselineC);
  if (inBaseline < BASELINE_POINTS_MIN || n - inBaseline < SUSTAINED_POINTS)
    return { tagg: null, threshold: null };
  const baseline = signal.subarray(0, inBaseline);
  const line = fitLine(t.subarray(0, inBaseline), baseline);
  if (line === null) return { tagg: null, threshold: null };
  const sloped = Math.abs(line.slope) > SLOPE_SE * line.slopeSe;
  const sd = sloped ? line.residualSd : computeStandardDeviation(baseline);
  const center = computeMean(t, 0, inBaseline);
  const level = computeMean(baseline);
  const computeThreshold = (i: number): number => {
    const away = t[i] - center;
    return level + (sloped ? line.slope * away : 0) + rule.sd * Math.hypot(sd, line.slopeSe * away);
  };
  for (let i = inBaseline; i + SUSTAINED_POINTS <= n; i += 1) {
    let above = 0;
    while (above < SUSTAINED_POINTS && signal[i + above] > computeThreshold(i + above)) above += 1;
    if (above < SUSTAINED_POINTS) continue;
    const before = signal[i - 1] - computeThreshold(i - 1);
    const after = signal[i] - computeThreshold(i);
    const part = before < 0 ? -before / (after - before) : 0;
    const onset = t[i - 1] + part * (t[i] - t[i - 1]);
    // The onset lies between two readings, so their distance is its uncertainty.
    return {
      tagg: createMeasuredWithin(onset, '°C', (t[i] - t[i - 1]) / Math.sqrt(12)),
      threshold: computeThreshold(i),
    };
  }
  return { tagg: createLimit(t[n - 1], '°C', 'no_aggregation_seen'), threshold: computeThreshold(n - 1) };
}
