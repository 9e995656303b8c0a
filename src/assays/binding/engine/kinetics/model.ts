/**
 * The 1:1 interaction model with unit Rmax (Karlsson 1991; O'Shannessy 1993; Morton & Myszka 1998).
 *
 * In the association phase, with u = kon·C, k = u + koff and A = u/k, the bound fraction s relaxes toward A; in buffer it decays. Over one stretch of length t, starting from s₀:
 *   analyte:  s = A + (s₀ − A)·e^(−k t)
 *   buffer:   s = s₀·e^(−koff t)
 * Single-cycle kinetics is the same equation carried over several injections. Derivatives are taken for a = ln kon and
 * d = ln koff, where ∂A/∂a = A(1 − A) = −∂A/∂d. A point that is the mean of several samples is compared with the mean of the
 * exponential over these, e^(−k t̄)·c(k), not with its value at their mean time: for fast binding the two differ by several percent.
 */
import { countUpTo } from '#analysis/numerics/search.ts';

/** One injection of analyte; times in s since the nominal start of the first one. */
export interface Injection {
  startS: number;
  endS: number;
  concentrationM: number;
}

/** For points that are means: the number of samples in each, and their interval. */
export interface Averaging {
  samples: number;
  intervalS: number;
}

export interface FitCurve {
  /** Times since the nominal start of association in s, ascending; negative ones are baseline. */
  timeS: Float64Array;
  /** Processed signal, same length. */
  signal: Float64Array;
  /** Analyte concentration in M, above zero; the highest of several injections. */
  concentrationM: number;
  /** Nominal length of the association in s; up to the end of the last injection. */
  associationS: number;
  /** Injections of single-cycle kinetics, in order of time; absent for one injection from 0 to `associationS`. */
  injections?: readonly Injection[] | undefined;
  /** Signal of complex that an incomplete regeneration left at the start, in the unit of the signal. Default 0. */
  initialSignal?: number | undefined;
  /** How long before the start of association that signal was measured, in s. Default 0. */
  initialBeforeS?: number | undefined;
  /** Fraction of the analyte of an injection that stays in the buffer after it. Default 0. */
  leftoverFraction?: number | undefined;
  /** Absent where points are single samples. */
  averaging?: Averaging | undefined;
  /** Standard error of the mean of all points by their noise, in the unit of the signal. Default 0: not known. */
  meanSe?: number | undefined;
  /** Standard error of the baseline level that was subtracted, in the unit of the signal. Default 0. */
  alignmentSe?: number | undefined;
  /**
   * Standard error of the shift that joined dissociation to association, in the unit of the signal. Default 0: not
   * joined.
   */
  joinSe?: number | undefined;
  /**
   * Standard deviations of the jumps of the level that the plate shows where the sensor enters the analyte and where
   * it leaves it, in the unit of the signal. Absent where the sensor stays in its cell.
   */
  stepSe?: { start: number; end: number } | undefined;
  /** Standard deviation of these jumps, but at least the noise, because smaller jumps cannot be excluded. */
  jumpSd?: number | undefined;
  /** Standard error of the times of injections, the same for all curves, in s. Default 0. */
  timeSe?: number | undefined;
  /** Standard error of each dose relative to its value. Default 0. */
  doseSe?: number | undefined;
  /** Standard deviation of `leftoverFraction`, the same for all curves. Default 0. */
  leftoverSd?: number | undefined;
  /** Whether the level of dissociation is fitted separately instead of being joined. */
  hasFreeStep?: boolean | undefined;
  /** Fraction of the noise variance that all curves fitted together share: that of their blank. Default 0. */
  commonNoise?: number | undefined;
  /** What is known about the drift. Default: there is none. */
  drift?: DriftPrior | undefined;
}

/** A normal prior around zero for the drift of a curve. */
export interface DriftPrior {
  /** Its standard deviation, in signal/s. */
  sdPerS: number;
  /**
   * Its variance over the noise variance of the mean of all points of the curve, in s⁻²; 0 for a drift that is not
   * fitted and only widens the intervals.
   */
  overNoise: number;
}

/** Shift of the true start and end of association relative to the nominal ones, in s. */
export interface TimeZero {
  startS: number;
  endS: number;
}

export const NOMINAL_TIME: TimeZero = { startS: 0, endS: 0 };

export interface ShapeBuffers {
  shape: Float64Array;
  /** ∂s/∂ln kon. */
  byLnKon: Float64Array;
  /** ∂s/∂ln koff. */
  byLnKoff: Float64Array;
}

/**
 * A stretch of constant concentration, from its start up to and including its end, which is infinite for the last.
 */
export interface Stretch {
  startS: number;
  endS: number;
  concentrationM: number;
}

/** Returns the injections of a curve and the buffer after each, at their true times. */
export function listStretches(curve: FitCurve, time: TimeZero): Stretch[] {
  const injections = curve.injections ?? [
    { startS: 0, endS: curve.associationS, concentrationM: curve.concentrationM },
  ];
  const found: Stretch[] = [];
  for (const [index, { startS, endS, concentrationM }] of injections.entries()) {
    const next = injections[index + 1];
    const turnS = endS + time.endS;
    found.push({ startS: startS + time.startS, endS: turnS, concentrationM });
    const untilS = next === undefined ? Number.POSITIVE_INFINITY : next.startS + time.startS;
    const leftM = (curve.leftoverFraction ?? 0) * concentrationM;
    found.push({ startS: turnS, endS: untilS, concentrationM: leftM });
  }
  return found;
}

/**
 * Returns ln c(k) of the mean of e^(−k t) over the samples of a point, and its derivative with respect to k; zeros
 * for single samples.
 */
function computeAveraging(k: number, averaging: Averaging | undefined): { lnFactor: number; slope: number } {
  if (averaging === undefined || averaging.samples < 2 || !(k > 0)) return { lnFactor: 0, slope: 0 };
  const { samples, intervalS } = averaging;
  const half = ((samples - 1) * intervalS) / 2;
  const one = -Math.expm1(-k * intervalS);
  const all = -Math.expm1(-k * samples * intervalS);
  return {
    lnFactor: k * half + Math.log(all / (samples * one)),
    slope: half + intervalS * ((samples * (1 - all)) / all - (1 - one) / one),
  };
}

/** The stretches of one curve in columns, which the loops below fill anew: objects for each would take longer than short curves. */
interface StretchColumns {
  count: number;
  startS: Float64Array;
  endS: Float64Array;
  concentrationM: Float64Array;
}

const stretchesOfCurve: StretchColumns = createStretchColumns(16);

function createStretchColumns(room: number): StretchColumns {
  return {
    count: 0,
    startS: new Float64Array(room),
    endS: new Float64Array(room),
    concentrationM: new Float64Array(room),
  };
}

/** Like `listStretches`, into columns that hold until the next call. */
function fillStretches(curve: FitCurve, time: TimeZero): StretchColumns {
  const { injections } = curve;
  const count = injections === undefined ? 2 : 2 * injections.length;
  const found = stretchesOfCurve;
  if (count > found.startS.length) Object.assign(found, createStretchColumns(count));
  found.count = count;
  const left = curve.leftoverFraction ?? 0;
  for (let k = 0; k < count; k += 2) {
    const each = injections?.[k / 2];
    const next = injections?.[k / 2 + 1];
    const concentrationM = each === undefined ? curve.concentrationM : each.concentrationM;
    const turnS = (each === undefined ? curve.associationS : each.endS) + time.endS;
    found.startS[k] = (each === undefined ? 0 : each.startS) + time.startS;
    found.endS[k] = turnS;
    found.concentrationM[k] = concentrationM;
    found.startS[k + 1] = turnS;
    found.endS[k + 1] = next === undefined ? Number.POSITIVE_INFINITY : next.startS + time.startS;
    found.concentrationM[k + 1] = left * concentrationM;
  }
  return found;
}

interface State {
  s: number;
  byKon: number;
  byKoff: number;
}

/** Writes the unit-Rmax response and both derivatives of one curve into `out`, from index `offset` on. */
export function writeShape(
  curve: FitCurve,
  rates: { kon: number; koff: number },
  time: TimeZero,
  out: ShapeBuffers,
  offset: number,
): void {
  writeFrom({ s: 0, byKon: 0, byKoff: 0 }, 1, { curve, rates, time }, out, offset);
}

/**
 * Like `writeShape`, for one unit of complex that was bound when the baseline was measured: what remains of it, minus
 * that unit (the aligned baseline).
 */
export function writeRemainder(
  curve: FitCurve,
  rates: { kon: number; koff: number },
  time: TimeZero,
  out: ShapeBuffers,
  offset: number,
): void {
  const beforeS = curve.initialBeforeS ?? 0;
  const s = Math.exp(-rates.koff * beforeS);
  writeFrom({ s, byKon: 0, byKoff: -rates.koff * beforeS * s }, 0, { curve, rates, time }, out, offset);
  for (let i = 0; i < curve.timeS.length; i += 1) out.shape[offset + i] -= 1;
}

/** `capacity` is 1 for free sites, and 0 to follow only the complex bound at the start. */
function writeFrom(
  start: State,
  capacity: number,
  model: { curve: FitCurve; rates: { kon: number; koff: number }; time: TimeZero },
  out: ShapeBuffers,
  offset: number,
): void {
  const { timeS } = model.curve;
  const { shape, byLnKon, byLnKoff } = out;
  const stretches = fillStretches(model.curve, model.time);
  const { kon, koff } = model.rates;
  let { s: s0, byKon: a0, byKoff: d0 } = start;
  let i = 0;
  for (; i < timeS.length && timeS[i] <= stretches.startS[0]; i += 1) {
    shape[offset + i] = s0;
    byLnKon[offset + i] = 0;
    byLnKoff[offset + i] = 0;
  }
  for (let part = 0; part < stretches.count; part += 1) {
    const startS = stretches.startS[part];
    const endS = stretches.endS[part];
    const u = kon * stretches.concentrationM[part];
    const k = u + koff;
    const plateau = (capacity * u) / k;
    const slope = plateau * (1 - u / k);
    const excess = s0 - plateau;
    const { lnFactor, slope: byK } = computeAveraging(k, model.curve.averaging);
    const end = Math.max(i, countUpTo(timeS, endS));
    const zeroS = startS + lnFactor / k;
    let decay = 0;
    let perStep = 0;
    let stepS = 0;
    let evenEnd = i;
    for (; i < end; i += 1) {
      if (i < evenEnd && isEven(timeS, i, stepS)) decay *= perStep;
      else {
        decay = Math.exp(-k * (timeS[i] - zeroS));
        evenEnd = findEvenEnd(timeS, i, end);
        if (evenEnd > i) {
          stepS = timeS[i + 1] - timeS[i];
          perStep = Math.exp(-k * stepS);
        }
      }
      const t = timeS[i] - startS;
      const moving = excess * (t - byK) * decay;
      const spread = slope * (1 - decay);
      const at = offset + i;
      shape[at] = plateau + excess * decay;
      byLnKon[at] = spread + a0 * decay - moving * u;
      byLnKoff[at] = d0 * decay - spread - moving * koff;
    }
    if (i === timeS.length) return;
    const length = endS - startS;
    const left = Math.exp(-k * length);
    const moving = excess * length * left;
    const spread = slope * (1 - left);
    s0 = plateau + excess * left;
    a0 = spread + a0 * left - moving * u;
    d0 = d0 * left - spread - moving * koff;
  }
}

/** Sample times that deviate less than this from even spacing, in s, count as even. */
const EVEN_S = 1e-11;
/** Rounding errors of this many multiplications stay at a few parts in 10¹⁵. */
const POWERS_MAX = 32;

/**
 * Returns up to which index, at most, each e^(−k·t) from `i` on is the one before times a constant, which is several times faster
 * than the exponential; `i` where the next three times before `to` are not evenly spaced. Every few points the exponential is
 * computed again.
 */
function findEvenEnd(timeS: Float64Array, i: number, to: number): number {
  const isStart = i + 2 < to && isEven(timeS, i + 2, timeS[i + 1] - timeS[i]);
  return isStart ? Math.min(to, i + POWERS_MAX) : i;
}

function isEven(timeS: Float64Array, at: number, stepS: number): boolean {
  return Math.abs(timeS[at] - timeS[at - 1] - stepS) <= EVEN_S;
}

/** Adds the response of sites with unit Rmax times `weight` to `out`, from index `offset` on, without derivatives. */
export function addResponse(
  curve: FitCurve,
  { kon, koff }: { kon: number; koff: number },
  { time, weight }: { time: TimeZero; weight: number },
  out: Float64Array,
  offset: number,
): void {
  const { timeS } = curve;
  const stretches = fillStretches(curve, time);
  let start = 0;
  let i = 0;
  while (i < timeS.length && timeS[i] <= stretches.startS[0]) i += 1;
  for (let part = 0; part < stretches.count; part += 1) {
    const startS = stretches.startS[part];
    const endS = stretches.endS[part];
    const u = kon * stretches.concentrationM[part];
    const k = u + koff;
    const plateau = u / k;
    const excess = start - plateau;
    const { lnFactor } = computeAveraging(k, curve.averaging);
    const end = Math.max(i, countUpTo(timeS, endS));
    const zeroS = startS + lnFactor / k;
    let decay = 0;
    let perStep = 0;
    let stepS = 0;
    let evenEnd = i;
    for (; i < end; i += 1) {
      if (i < evenEnd && isEven(timeS, i, stepS)) decay *= perStep;
      else {
        decay = Math.exp(-k * (timeS[i] - zeroS));
        evenEnd = findEvenEnd(timeS, i, end);
        if (evenEnd > i) {
          stepS = timeS[i + 1] - timeS[i];
          perStep = Math.exp(-k * stepS);
        }
      }
      out[offset + i] += weight * (plateau + excess * decay);
    }
    if (i === timeS.length) return;
    start = plateau + excess * Math.exp(-k * (endS - startS));
  }
}
