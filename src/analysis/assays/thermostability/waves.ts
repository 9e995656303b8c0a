/**
 * Waves of a lamp or of the temperature control look like steps to a model of steps. Fits the other explanation: one
 * wave, which may fade or grow, on a straight baseline.
 */
import { appendDirection, projectOut } from '../../numerics/projection.ts';
import { computeDot, solvePositive } from '../../numerics/matrix.ts';
import { thinCurve } from './fit.ts';
import type { Curve, MeltFit } from './fit.ts';

export const WAVE_PARAMETERS = 7;
const SCAN_POINTS = 128;
const PERIODS = 40;
const WAVE_COLUMNS = 6;
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
}

function prepareScan({ temperatureC: t, signal }: Curve): Scan {
  const halfC = (t[t.length - 1] - t[0]) / 2;
  const x = t.map((value) => (value - t[0]) / halfC - 1);
  const basis: Float64Array[] = [];
  for (const column of [x.map(() => 1), x]) appendDirection(basis, column);
  const rest = Float64Array.from(signal);
  projectOut(basis, rest);
  return { x, halfC, rest };
}

/**
 * Returns what a wave of this period explains beside the straight line. Normal equations instead of projections,
 * because the scan only ranks periods, and its time is that of a fit.
 */
function computeExplained({ x, halfC, rest }: Scan, periodC: number): number {
  const rate = (2 * Math.PI * halfC) / periodC;
  const size = WAVE_COLUMNS;
  const jtj: number[][] = Array.from({ length: size }, () => Array.from({ length: size }, () => 0));
  const jtr = Array.from({ length: size }, () => 0);
  const row = new Float64Array(size);
  for (let i = 0; i < x.length; i += 1) {
    const sine = Math.sin(rate * x[i]);
    const cosine = Math.cos(rate * x[i]);
    row[0] = 1;
    row[1] = x[i];
    row[2] = sine;
    row[3] = cosine;
    row[4] = sine * x[i];
    row[5] = cosine * x[i];
    for (let p = 0; p < size; p += 1) {
      jtr[p] += row[p] * rest[i];
      for (let q = 0; q <= p; q += 1) jtj[p][q] += row[p] * row[q];
    }
  }
  for (let p = 0; p < size; p += 1) for (let q = 0; q < p; q += 1) jtj[q][p] = jtj[p][q];
  const solved = solvePositive(jtj, jtr);
  return solved === null ? 0 : computeDot(solved, jtr);
}

/** Whether a wave describes a whole curve at least as closely as a fit describes a part of it. */
export function isWave(whole: Curve, { ssr, points, parameters }: MeltFit): boolean {
  const freedom = whole.signal.length - WAVE_PARAMETERS;
  return computeWaveSsr(whole) * Math.max(1, points - parameters) <= ssr * freedom;
}

function computeSsrAt({ temperatureC: t, signal }: Curve, periodC: number): number {
  const phase = t.map((value) => (2 * Math.PI * (value - t[0])) / periodC);
  const basis: Float64Array[] = [];
  const [sine, cosine] = [phase.map(Math.sin), phase.map(Math.cos)];
  const fading = [sine, cosine].map((wave) => wave.map((value, i) => value * t[i]));
  for (const column of [t.map(() => 1), t, sine, cosine, ...fading]) appendDirection(basis, column);
  const rest = Float64Array.from(signal);
  projectOut(basis, rest);
  return computeDot(rest, rest);
}
