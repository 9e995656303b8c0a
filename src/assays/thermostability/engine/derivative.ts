/**
 * First derivative of a melting curve by local quadratics (Savitzky & Golay 1964) and its peaks, the inflection
 * points. The window is in °C and works on evenly and unevenly spaced temperatures.
 */
import { computeCorrelationInflation, computeLagOne } from '#analysis/numerics/autocorrelation.ts';
import { MAD_TO_SD, computeMedian, computeMedianAbsoluteDeviation } from '#analysis/numerics/statistics.ts';

export interface Derivative {
  temperatureC: Float64Array;
  /** Value, slope (per °C) and curvature (per °C²) of the local quadratic at each temperature. */
  smoothed: Float64Array;
  slope: Float64Array;
  curvature: Float64Array;
  /** Standard errors of slope and curvature, which include the autocorrelation of the noise. */
  slopeSe: Float64Array;
  curvatureSe: Float64Array;
  /** Robust SD of the signal about the local quadratics. */
  noiseSd: number;
  halfWindowC: number;
}

export interface InflectionPoint {
  temperatureC: number;
  seC: number | null;
  /** Height of the derivative above its median, per °C; negative where the signal falls through the transition. */
  height: number;
}

const WINDOW_POINTS_MIN = 5;
/** Lower peaks are noise; peaks nearer the ends are not enclosed by data. */
export const PEAK = { ofHighest: 0.2, ofAccepted: 0.5, ofNoise: 5, fromEndC: 2, fromModelC: 4 } as const;

export function computeDerivative(
  temperatureC: Float64Array,
  signal: Float64Array,
  halfWindowC: number,
): Derivative {
  const n = temperatureC.length;
  const [smoothed, slope, curvature, slopeSe, curvatureSe] = Array.from(
    { length: 5 },
    () => new Float64Array(n),
  );
  const residual = new Float64Array(n);
  let from = 0;
  let to = 0;
  for (let i = 0; i < n; i += 1) {
    const center = temperatureC[i];
    while (temperatureC[from] < center - halfWindowC) from += 1;
    while (to < n && temperatureC[to] <= center + halfWindowC) to += 1;
    const [a, b] = widenWindow(temperatureC, i, from, to);
    const local = fitLocalQuadratic(temperatureC, signal, { center, scale: halfWindowC, from: a, to: b });
    smoothed[i] = local.value;
    slope[i] = local.slope;
    curvature[i] = local.curvature;
    slopeSe[i] = local.slopeFactor;
    curvatureSe[i] = local.curvatureFactor;
    residual[i] = (signal[i] - local.value) / Math.sqrt(Math.max(0.05, 1 - local.leverage));
  }
  const noiseSd = MAD_TO_SD * computeMedianAbsoluteDeviation(residual);
  const inflated = noiseSd * computeCorrelationInflation(computeLagOne(residual));
  return {
    temperatureC,
    smoothed,
    slope,
    curvature,
    slopeSe: slopeSe.map((value) => value * inflated),
    curvatureSe: curvatureSe.map((value) => value * inflated),
    noiseSd,
    halfWindowC,
  };
}

/** Widens the window to at least five points by adding the nearest ones. */
function widenWindow(t: Float64Array, i: number, from: number, to: number): [number, number] {
  let a = from;
  let b = to;
  while (b - a < Math.min(WINDOW_POINTS_MIN, t.length)) {
    const left = a > 0 ? t[i] - t[a - 1] : Number.POSITIVE_INFINITY;
    const right = b < t.length ? t[b] - t[i] : Number.POSITIVE_INFINITY;
    if (left <= right) a -= 1;
    else b += 1;
  }
  return [a, b];
}

interface Local {
  value: number;
  slope: number;
  curvature: number;
  slopeFactor: number;
  curvatureFactor: number;
  /** Weight of the center point in its own smoothed value. */
  leverage: number;
}

function fitLocalQuadratic(
  t: Float64Array,
  y: Float64Array,
  at: { center: number; scale: number; from: number; to: number },
): Local {
  let [s0, s1, s2, s3, s4] = [0, 0, 0, 0, 0];
  let [y0, y1, y2] = [0, 0, 0];
  for (let j = at.from; j < at.to; j += 1) {
    const u = (t[j] - at.center) / at.scale;
    const uu = u * u;
    s0 += 1;
    s1 += u;
    s2 += uu;
    s3 += uu * u;
    s4 += uu * uu;
    y0 += y[j];
    y1 += u * y[j];
    y2 += uu * y[j];
  }
  // Inverts the symmetric normal matrix [[s0,s1,s2],[s1,s2,s3],[s2,s3,s4]] by cofactors: with the solver of
  // `numerics` this function takes 6.6 times as long and a whole well 1.2 times.
  const c00 = s2 * s4 - s3 * s3;
  const c01 = s2 * s3 - s1 * s4;
  const c02 = s1 * s3 - s2 * s2;
  const c11 = s0 * s4 - s2 * s2;
  const c12 = s1 * s2 - s0 * s3;
  const c22 = s0 * s2 - s1 * s1;
  const determinant = s0 * c00 + s1 * c01 + s2 * c02;
  const scale = at.scale;
  return {
    value: (c00 * y0 + c01 * y1 + c02 * y2) / determinant,
    slope: (c01 * y0 + c11 * y1 + c12 * y2) / determinant / scale,
    curvature: (2 * (c02 * y0 + c12 * y1 + c22 * y2)) / determinant / scale ** 2,
    slopeFactor: Math.sqrt(c11 / determinant) / scale,
    curvatureFactor: (2 * Math.sqrt(c22 / determinant)) / scale ** 2,
    leverage: c00 / determinant,
  };
}

/**
 * Returns peaks above 20 % of the highest and above five times the noise, not within 2 °C of the ends, ascending.
 * Height and prominence are measured from the median slope, so a straight or steadily bent baseline has no peaks. A
 * slowly wandering signal makes peaks far above the standard error of the slope, so a peak must also exceed the
 * robust scatter of all slopes, or lie where a model found a transition (`supportedC`). Only peaks in the direction
 * of the highest count, unless a direction is given. Peaks `anywhere` are starts for a model: they need not be above
 * the median slope, which a signal that is quenched by heat has at one temperature only.
 */
export function findInflectionPoints(
  of: Derivative,
  supportedC: readonly number[] | 'anywhere',
  direction: 1 | -1 | null = null,
): InflectionPoint[] {
  const { temperatureC, slope, slopeSe } = of;
  const level = computeMedian(slope);
  const scatter = MAD_TO_SD * computeMedianAbsoluteDeviation(slope);
  const isAnywhere = supportedC === 'anywhere';
  const rising = findCandidates(
    slope.map((value) => value - level),
    of,
    isAnywhere,
  );
  const falling = findCandidates(
    slope.map((value) => level - value),
    of,
    isAnywhere,
  );
  const computeHighest = (found: readonly Candidate[]): number =>
    Math.max(0, ...found.map((each) => each.prominence));
  const sign = direction ?? (computeHighest(rising) >= computeHighest(falling) ? 1 : -1);
  const found = sign === 1 ? rising : falling;
  const top = computeHighest(found);
  const isPeak = ({ index, prominence }: Candidate): boolean =>
    prominence > PEAK.ofHighest * top && prominence > PEAK.ofNoise * slopeSe[index];
  const isProminent = ({ index, prominence }: Candidate): boolean =>
    prominence > PEAK.ofNoise * scatter ||
    isAnywhere ||
    supportedC.some((tmC) => Math.abs(tmC - temperatureC[index]) < PEAK.fromModelC);
  const peaks = found.filter(isPeak);
  // Two wide transitions can make up the scatter of all slopes, so beside an accepted peak an equal one is accepted
  // too.
  const accepted = Math.max(0, ...peaks.filter(isProminent).map(({ prominence }) => prominence));
  const isEqual = ({ prominence }: Candidate): boolean =>
    accepted > 0 && prominence > PEAK.ofAccepted * accepted;
  return peaks
    .filter((each) => isProminent(each) || isEqual(each))
    .map(({ index, height }) => ({
      temperatureC: computeVertex(temperatureC, slope, index),
      seC: computeVertexSe(of, index),
      height: sign * height,
    }));
}

interface Candidate {
  index: number;
  height: number;
  prominence: number;
}

function findCandidates(
  excess: Float64Array,
  { temperatureC: t }: Derivative,
  isAnywhere: boolean,
): Candidate[] {
  const found: Candidate[] = [];
  const last = t.length - 1;
  for (let i = 1; i < last; i += 1) {
    if (!(excess[i] > excess[i - 1] && excess[i] >= excess[i + 1])) continue;
    if (t[i] < t[0] + PEAK.fromEndC || t[i] > t[last] - PEAK.fromEndC) continue;
    const left = findLowestUntilHigher(excess, i, -1);
    const right = findLowestUntilHigher(excess, i, 1);
    const aboveSides = excess[i] - Math.max(left, right);
    const prominence = isAnywhere ? aboveSides : Math.min(aboveSides, excess[i]);
    found.push({ index: i, height: excess[i], prominence });
  }
  return found;
}

function findLowestUntilHigher(values: Float64Array, from: number, step: 1 | -1): number {
  let lowest = values[from];
  for (let i = from + step; i >= 0 && i < values.length && values[i] <= values[from]; i += step) {
    if (values[i] < lowest) lowest = values[i];
  }
  return lowest;
}

/** Returns the top of the parabola through three neighboring points, evenly spaced or not. */
function computeVertex(t: Float64Array, y: Float64Array, i: number): number {
  const left = (y[i] - y[i - 1]) / (t[i] - t[i - 1]);
  const right = (y[i + 1] - y[i]) / (t[i + 1] - t[i]);
  const bend = (right - left) / (t[i + 1] - t[i - 1]);
  const at = (t[i - 1] + t[i]) / 2 - left / (2 * bend);
  return bend === 0 || !Number.isFinite(at) ? t[i] : Math.max(t[i - 1], Math.min(t[i + 1], at));
}

/**
 * The peak is where the curvature crosses zero, so its error is the error of the curvature over the slope of the
 * curvature.
 */
function computeVertexSe(of: Derivative, i: number): number | null {
  const { temperatureC: t, curvature, curvatureSe, halfWindowC } = of;
  let a = i;
  let b = i;
  while (a > 0 && t[i] - t[a] < halfWindowC / 2) a -= 1;
  while (b < t.length - 1 && t[b] - t[i] < halfWindowC / 2) b += 1;
  const rate = Math.abs((curvature[b] - curvature[a]) / (t[b] - t[a]));
  const se = curvatureSe[i] / rate;
  return Number.isFinite(se) ? se : null;
}
