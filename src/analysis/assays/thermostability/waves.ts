/**
 * Waves of a lamp or of the temperature control look like steps to a model of steps. Fits the other explanation: one
 * wave, which may fade or grow, on a straight baseline.
 */
import { appendDirection, projectOut } from '../../numerics/projection.ts';
import { computeDot } from '../../numerics/matrix.ts';
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
  let low = Math.log((POINTS_OF_SHORTEST * span) / n);
  let high = Math.log(LONGEST * span);
  let best = { ssr: Number.POSITIVE_INFINITY, lnPeriod: low };
  for (let round = 0; round <= REFINEMENTS; round += 1) {
    const count = round === 0 ? PERIODS : 6;
    const step = (high - low) / count;
    for (let k = 0; k <= count; k += 1) {
      const lnPeriod = low + k * step;
      const ssr = computeSsrAt(thin, Math.exp(lnPeriod));
      if (ssr < best.ssr) best = { ssr, lnPeriod };
    }
    [low, high] = [best.lnPeriod - step, best.lnPeriod + step];
  }
  return computeSsrAt(curve, Math.exp(best.lnPeriod));
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
