/**
 * What a plate shows about the drift of its sensors, before any curve is fitted.
 *
 * The scale of the drift is estimated from sensors that meet no analyte, or carry nothing that binds it, by their slope
 * within dissociation, and, where these are few, from the baselines of all curves. It gets a uniform prior (Gelman
 * 2006), and the median of its posterior holds the drift of each curve.
 */
import { fitLine } from '#analysis/numerics/line.ts';
import { computeMean, CHI_SQUARE_95 } from '#analysis/numerics/statistics.ts';
import { keepPoints } from '#analysis/numerics/thinning.ts';
import type { AlignedTrace, Phase } from './align.ts';
import type { DriftPrior } from './model.ts';
import type { ProcessedCurve } from './process.ts';

export type DriftSource = 'reference' | 'blank' | 'reference_and_blank' | 'baseline' | 'none';

/** The standard deviation of the drift of one sensor, in signal/s, and where it is known from. */
export interface PlateDrift {
  sdPerS: number;
  /** Whether the plate shows a drift beyond noise; if not, none is fitted, and it only widens the intervals. */
  isSeen: boolean;
  source: DriftSource;
}

export interface DriftWitnesses {
  references: readonly AlignedTrace[];
  blanks: readonly AlignedTrace[];
  /** Processed curves of all samples of the plate. */
  curves: readonly ProcessedCurve[];
}

/** The scatter of fewer sensors says little about others. */
const WITNESSES_MIN = 2;

/** A slope whose expected square is `sensors` times the variance of the drift of one sensor plus the square of `se`. */
interface Slope {
  perS: number;
  se: number;
  sensors: number;
  /** Fraction of a degree of freedom. */
  weight: number;
}

export function estimatePlateDrift({ references, blanks, curves }: DriftWitnesses): PlateDrift {
  const witnesses = [...references, ...blanks].flatMap((trace) => measureSlope(trace) ?? []);
  const baselines = curves.flatMap(({ baselineSlope, baselineSlopeSe, sensors }) =>
    baselineSlope === null ? [] : [{ perS: baselineSlope, se: baselineSlopeSe, sensors, weight: 1 }],
  );
  const seen = centerSlopes(witnesses);
  // A baseline may still settle after loading, so it counts only where too few sensors show the drift itself.
  const slopes = seen.length < WITNESSES_MIN ? [...seen, ...baselines] : seen;
  if (slopes.length === 0) return { sdPerS: 0, isSeen: false, source: 'none' };
  const sdPerS = findMedianScale(slopes);
  const gain = 2 * (computeLnLikelihood(slopes, sdPerS) - computeLnLikelihood(slopes, 0));
  return { sdPerS, isSeen: gain > CHI_SQUARE_95, source: nameSource(references.length, blanks.length) };
}

/** Returns what is known of the drift of a curve on such a plate. */
export function buildDriftPrior(
  { sdPerS, isSeen }: PlateDrift,
  curve: ProcessedCurve,
): DriftPrior | undefined {
  const { sensors, pointSe, fit } = curve;
  if (!(sdPerS > 0 && pointSe > 0)) return undefined;
  const ofCurve = sdPerS * Math.sqrt(sensors);
  const overNoise = isSeen ? fit.timeS.length * (ofCurve / pointSe) ** 2 : 0;
  return { sdPerS: ofCurve, overNoise };
}

function nameSource(references: number, blanks: number): DriftSource {
  if (references > 0 && blanks > 0) return 'reference_and_blank';
  if (references > 0) return 'reference';
  return blanks > 0 ? 'blank' : 'baseline';
}

/** The start of a phase, in which liquids are exchanged. */
const EXCHANGE_S = 5;

/**
 * Returns the slope of dissociation, where a drift is confused with koff, or of association in a trace without it; null
 * for a short phase.
 */
function measureSlope({ association, dissociation }: AlignedTrace): Pick<Slope, 'perS' | 'se'> | null {
  const { timeS, signal } = cutExchange(dissociation ?? association);
  const line = fitLine(timeS, signal);
  return line === null ? null : { perS: line.slope, se: line.slopeSe };
}

function cutExchange(phase: Phase): Phase {
  return keepPoints(phase, (t) => t >= phase.timeS[0] + EXCHANGE_S);
}

/** Subtraction removes the drift that all sensors share, so their scatter counts; of a single one, the slope itself. */
function centerSlopes(slopes: readonly Pick<Slope, 'perS' | 'se'>[]): Slope[] {
  const n = slopes.length;
  if (n < 2) return slopes.map((slope) => ({ ...slope, sensors: 1, weight: 1 }));
  const mean = computeMean(slopes.map(({ perS }) => perS));
  const share = (n - 1) / n;
  return slopes.map(({ perS, se }) => ({ perS: perS - mean, se, sensors: share, weight: share }));
}

/** The posterior is computed on scales down from this factor above the largest slope, over four decades. */
const LARGEST_FACTOR = 4;
const DECADES = 4;
const SCALES = 160;

function findMedianScale(slopes: readonly Slope[]): number {
  const largest = LARGEST_FACTOR * Math.max(...slopes.map(({ perS, se }) => Math.abs(perS) + se));
  if (!(largest > 0)) return 0;
  const scales = Array.from(
    { length: SCALES },
    (_, i) => largest * 10 ** (-DECADES * (1 - (i + 1) / SCALES)),
  );
  const lnWeights = scales.map((scale) => Math.log(scale) + computeLnLikelihood(slopes, scale));
  const most = Math.max(...lnWeights);
  const weights = lnWeights.map((lnWeight) => Math.exp(lnWeight - most));
  const half = 0.5 * weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  const at = weights.findIndex((weight) => {
    sum += weight;
    return sum >= half;
  });
  return scales[at];
}

function computeLnLikelihood(slopes: readonly Slope[], scale: number): number {
  let sum = 0;
  for (const { perS, se, sensors, weight } of slopes) {
    const variance = sensors * scale ** 2 + se ** 2;
    sum -= 0.5 * weight * (Math.log(variance) + perS ** 2 / variance);
  }
  return sum;
}
