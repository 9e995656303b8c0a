/**
 * BLI capture on a tag sensor: the loading rate in the first seconds measures the concentration of tagged protein.
 */
import type { AssayCurve } from '#analysis/curves/packed-curves.ts';
import { fitLine } from '#analysis/numerics/line.ts';
import {
  computeMean,
  MAD_TO_SD,
  computeMedian,
  computeMedianAbsoluteDeviation,
} from '#analysis/numerics/statistics.ts';
import type { Trace } from '#analysis/curves/trace.ts';
import type { ExpressionSettings } from './settings.ts';

export interface CaptureRate extends Linearity {
  /** Signal per s. */
  rate: number;
  se: number;
}

/**
 * Returns the slope of the loading within the window of the settings; null when the trace has no loading or fewer
 * than four samples there.
 */
export function measureCaptureRate(trace: Trace, settings: ExpressionSettings): CaptureRate | null {
  const loading = trace.steps.find(({ step }) => step === 'loading');
  if (loading === undefined) return null;
  const inside: CaptureWindow = { timeS: [], signal: [] };
  for (const [index, time] of loading.timeS.entries()) {
    const since = time - loading.startS;
    if (since < settings.rateFromS || since > settings.rateToS) continue;
    inside.timeS.push(since);
    inside.signal.push(loading.signal[index]);
  }
  const line = fitLine(inside.timeS, inside.signal);
  return line === null ? null : { rate: line.slope, se: line.slopeSe, ...evaluateLinearity(inside) };
}

/** Converts the molar concentration of a standard to ng/µL; M · g/mol = mg/mL = 1,000 ng/µL. */
export function computeStandardNgPerUl(concentrationM: number, standardMassDa: number): number {
  return concentrationM * standardMassDa * 1e3;
}

/** Returns the loading with the line of its initial rate, for the figure. */
export function buildCaptureCurves(
  trace: Trace,
  replicate: number,
  rate: CaptureRate | null,
  settings: ExpressionSettings,
): AssayCurve[] {
  const loading = trace.steps.find(({ step }) => step === 'loading');
  if (loading === undefined) return [];
  const origin = loading.signal[0];
  const timeS = [...loading.timeS].map((time) => time - loading.startS);
  const signal = [...loading.signal].map((value) => value - origin);
  const isInWindow = (time: number): boolean => time >= settings.rateFromS && time <= settings.rateToS;
  const chosen = timeS.flatMap((time, index) => (isInWindow(time) ? index : []));
  const middleTime = computeMean(chosen.map((index) => timeS[index]));
  const middleSignal = computeMean(chosen.map((index) => signal[index]));
  const fit = timeS.map((time) =>
    rate === null || !isInWindow(time) ? null : roundToMicro(middleSignal + rate.rate * (time - middleTime)),
  );
  return [
    {
      kind: 'capture',
      replicate,
      well: trace.well,
      time_s: timeS.map(roundToMicro),
      signal: signal.map(roundToMicro),
      fit,
    },
  ];
}

function roundToMicro(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/**
 * Checks whether a capture is linear in the window of its rate: a jump or a saturating sensor makes the rate
 * meaningless.
 */

interface CaptureWindow {
  timeS: number[];
  signal: number[];
}

interface Linearity {
  /** Rate without the increments of jumps that last one or two samples, or two seconds; null without such jumps. */
  rateWithoutJumps: number | null;
  /** Slopes of the two halves; null where a half has too few samples. */
  halves: { first: number; second: number } | null;
}

/** Why a rate is not valid: a jump, a line that levels off, any other bend. */
export type CaptureFault = 'jumps' | 'fills' | 'bends';

/**
 * Size of a jump in standard deviations of the increments. Binding spreads over all increments, and noise does not
 * reach this size.
 */
const JUMP_SD = 8;
const JUMP_SAMPLES = 2;
const JUMP_S = 2;
/**
 * Halves differ beyond this many standard errors. The slope of half the window has √8 times the error, and a
 * difference of two slopes √2 times more.
 */
const HALVES_SE = 5;
const HALVES_NOISE = 4;
/** The second half is below half of the first: the mean rate of such an exponential is half of its initial one. */
const HALVES_PART = 0.5;
/** Number of standard deviations of a rate by which jumps must change it. */
const RATE_SD = 3;

function evaluateLinearity({ timeS, signal }: CaptureWindow): Linearity {
  const middle = (timeS[0] + timeS[timeS.length - 1]) / 2;
  const split = timeS.findIndex((time) => time > middle);
  const first = fitLine(timeS.slice(0, split), signal.slice(0, split));
  const second = fitLine(timeS.slice(split), signal.slice(split));
  const halves = first === null || second === null ? null : { first: first.slope, second: second.slope };
  return { rateWithoutJumps: computeRateWithoutJumps(timeS, signal), halves };
}

function computeRateWithoutJumps(timeS: readonly number[], signal: readonly number[]): number | null {
  const steps = signal.slice(1).map((value, i) => value - signal[i]);
  const usual = computeMedian(steps);
  const sd = MAD_TO_SD * computeMedianAbsoluteDeviation(steps);
  const isOff = steps.map((step) => Math.abs(step - usual) > JUMP_SD * sd);
  const without = [...steps];
  let found = false;
  for (let from = 0; from < steps.length; from += 1) {
    if (!isOff[from]) continue;
    let to = from;
    while (isOff[to + 1]) to += 1;
    if (to - from < JUMP_SAMPLES || timeS[to + 1] - timeS[from] <= JUMP_S) {
      found = true;
      without.fill(usual, from, to + 1);
    }
    from = to;
  }
  if (!found) return null;
  let level = signal[0];
  return fitLine(timeS, [level, ...without.map((step) => (level += step))])?.slope ?? null;
}

type Rated = Linearity & { rate: number };

/** Whether jumps change the rate; `sd` is the standard deviation of a rate. */
export function hasJump({ rate, rateWithoutJumps }: Rated, sd: number): boolean {
  return rateWithoutJumps !== null && Math.abs(rate - rateWithoutJumps) > RATE_SD * sd;
}

/**
 * `noise` is the part of `sd` that is the same for every capture. For rates below `lowest`, which cannot be
 * distinguished from zero, only jumps count.
 */
export function findCaptureFault(
  capture: Rated,
  { sd, noise, lowest }: { sd: number; noise: number; lowest: number },
): CaptureFault | null {
  if (hasJump(capture, sd)) return 'jumps';
  if (capture.halves === null) return null;
  const { first, second } = capture.halves;
  const largest = Math.max(Math.abs(first), Math.abs(second));
  const apart = Math.abs(first - second);
  const isLine = apart <= HALVES_SE * HALVES_NOISE * noise || apart <= HALVES_PART * largest;
  if (largest <= lowest || isLine) return null;
  return first > second && capture.rate > 0 ? 'fills' : 'bends';
}
