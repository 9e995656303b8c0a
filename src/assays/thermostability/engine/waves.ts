/**
 * Waves of a lamp or of the temperature control look like steps to a model of steps. Fits the other explanation: one
 * wave, which may fade or grow, on a straight baseline.
 */
import {
  appendDirection,
  projectOut,
  computeDot,
  mapColumn,
  solvePositive,
} from '#analysis/numerics/matrix.ts';
import { thinCurve } from './fit.ts';
import type { Curve, MeltFit } from './fit.ts';

export const WAVE_PARAMETERS = 7;
const SCAN_POINTS = 128;
const PERIODS = 40;
/** Longest period, in ranges: less than a wave within the range is a bend. */
const LONGEST = 1.25;
const POINTS_OF_SHORTEST = 6;
const REFINEMENTS = 3;

/** Returns the residual sum of squares of the best wave with a straight baseline, for all points of the curve. */
export function computeWaveSsr(curve: Curve): number {
  const thin = thinCurve(curve, SCAN_POINTS);
  const n = thin.signal.length;
  const span = thin.temperatureC[n - 1] - thin.temperatureC[0];
  const scan = prepareScan(thin);
  let low = Math.log((POINTS_OF_SHORTEST * span) / n);
  let high = Math.log(LONGEST * span);
  let best = { explained: 0, lnPeriod: low };
  for (let round = 0; round <= REFINEMENTS; round += 1) {
    const count = round === 0 ? PERIODS : 6;
    const step = (high - low) / count;
    for (let k = 0; k <= count; k += 1) {
      const lnPeriod = low + k * step;
      const explained = computeExplained(scan, Math.exp(lnPeriod));
      if (explained > best.explained) best = { explained, lnPeriod };
    }
    [low, high] = [best.lnPeriod - step, best.lnPeriod + step];
  }
  return computeSsrAt(curve, Math.exp(best.lnPeriod));
}

interface Scan {
  /** Temperatures from the middle of the range, in halves of it, and half of it in °C. */
  x: Float64Array;
  halfC: number;
  /** The signal without its straight line. */
  rest: Float64Array;
  /** Sums of 1, x and x² over all points. */
  line: readonly [number, number, number];
}

function prepareScan({ temperatureC: t, signal }: Curve): Scan {
  const halfC = (t[t.length - 1] - t[0]) / 2;
  const x = mapColumn(t, (value) => (value - t[0]) / halfC - 1);
  const basis: Float64Array[] = [];
  for (const column of [new Float64Array(x.length).fill(1), x]) appendDirection(basis, column);
  const rest = Float64Array.from(signal);
  projectOut(basis, rest);
  let sumX = 0;
  for (let i = 0; i < x.length; i += 1) sumX += x[i];
  return { x, halfC, rest, line: [x.length, sumX, computeDot(x, x)] };
}

/** Points that deviate less than this from even spacing, in halves of the range, count as even. */
const EVEN = 1e-13;
/** Rounding errors of this many rotations stay at a few parts in 10¹⁵. */
const ROTATIONS_MAX = 32;

/**
 * Returns what a wave of this period explains beside the straight line. Normal equations instead of projections, and
 * every sum once, because the scan only ranks periods, and its time is that of a fit. At even spacing each sine and
 * cosine is the one before, rotated, which is several times faster than both functions.
 */
function computeExplained({ x, halfC, rest, line }: Scan, periodC: number): number {
  const rate = (2 * Math.PI * halfC) / periodC;
  let [step, sineStep, cosineStep, sine, cosine] = [Number.NaN, 0, 0, 0, 0];
  let [s, sx, sxx, c, cx, cxx] = [0, 0, 0, 0, 0, 0];
  let [ss, ssx, ssxx, sc, scx, scxx] = [0, 0, 0, 0, 0, 0];
  let [sr, sxr, cr, cxr] = [0, 0, 0, 0];
  for (let i = 0; i < x.length; i += 1) {
    const at = x[i];
    const isEven = i > 0 && Math.abs(at - x[i - 1] - step) <= EVEN;
    if (isEven && i % ROTATIONS_MAX !== 0) {
      const before = sine;
      sine = before * cosineStep + cosine * sineStep;
      cosine = cosine * cosineStep - before * sineStep;
    } else {
      sine = Math.sin(rate * at);
      cosine = Math.cos(rate * at);
      if (!isEven && i > 0) {
        step = at - x[i - 1];
        sineStep = Math.sin(rate * step);
        cosineStep = Math.cos(rate * step);
      }
    }
    const value = rest[i];
    const sineX = sine * at;
    const cosineX = cosine * at;
    s += sine;
    sx += sineX;
    sxx += sineX * at;
    c += cosine;
    cx += cosineX;
    cxx += cosineX * at;
    ss += sine * sine;
    ssx += sine * sineX;
    ssxx += sineX * sineX;
    sc += sine * cosine;
    scx += sine * cosineX;
    scxx += sineX * cosineX;
    sr += sine * value;
    sxr += sineX * value;
    cr += cosine * value;
    cxr += cosineX * value;
  }
  const [n, nx, nxx] = line;
  const jtr = [0, 0, sr, cr, sxr, cxr];
  const solved = solvePositive(
    [
      [n, nx, s, c, sx, cx],
      [nx, nxx, sx, cx, sxx, cxx],
      [s, sx, ss, sc, ssx, scx],
      [c, cx, sc, n - ss, scx, nx - ssx],
      [sx, sxx, ssx, scx, ssxx, scxx],
      [cx, cxx, scx, nx - ssx, scxx, nxx - ssxx],
    ],
    jtr,
  );
  return solved === null ? 0 : computeDot(solved, jtr);
}

/** Whether a wave describes a whole curve at least as closely as a fit describes a part of it. */
export function isWave(whole: Curve, { ssr, points, parameters }: MeltFit): boolean {
  const freedom = whole.signal.length - WAVE_PARAMETERS;
  return computeWaveSsr(whole) * Math.max(1, points - parameters) <= ssr * freedom;
}

function computeSsrAt({ temperatureC: t, signal }: Curve, periodC: number): number {
  const phase = mapColumn(t, (value) => (2 * Math.PI * (value - t[0])) / periodC);
  const basis: Float64Array[] = [];
  const [sine, cosine] = [mapColumn(phase, Math.sin), mapColumn(phase, Math.cos)];
  const fading = [sine, cosine].map((wave) => multiplyByValue(wave, t));
  const level = new Float64Array(t.length).fill(1);
  for (const column of [level, t, sine, cosine, ...fading]) appendDirection(basis, column);
  const rest = Float64Array.from(signal);
  projectOut(basis, rest);
  return computeDot(rest, rest);
}

function multiplyByValue(column: Float64Array, other: Float64Array): Float64Array {
  const product = Float64Array.from(column);
  for (let i = 0; i < product.length; i += 1) product[i] *= other[i];
  return product;
}
