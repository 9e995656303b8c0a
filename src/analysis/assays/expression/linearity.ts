/** Whether a capture is the line that its rate is taken from: a jump or a sensor that fills up gives a rate of nothing. */
import { fitLine } from '../../numerics/line.ts';
import { MAD_TO_SD, computeMedian, computeMedianAbsoluteDeviation } from '../../numerics/robust.ts';

export interface CaptureWindow {
  timeS: number[];
  signal: number[];
}

export interface Linearity {
  /** Rate without the increments that one or two samples, or two seconds, jump by; null where none do. */
  rateWithoutJumps: number | null;
  /** Slopes of the two halves; null where a half has too few samples. */
  halves: { first: number; second: number } | null;
}

/** Why a rate is none: a jump; a line that levels off; any other bend. */
export type CaptureFault = 'jumps' | 'fills' | 'bends';

/** Standard deviations of the increments; binding is spread over all of them, noise of this size does not happen. */
const JUMP_SD = 8;
const JUMP_SAMPLES = 2;
const JUMP_S = 2;
/** Halves that differ by this many standard errors differ; half as long, a slope has √8 times the error, a difference of two √2 more. */
const HALVES_SE = 5;
const HALVES_NOISE = 4;
/** A second half below half of the first: an exponential whose mean rate is by then half of its initial one. */
const HALVES_PART = 0.5;
/** Standard deviations of a rate by which jumps have to move it. */
const RATE_SD = 3;

export function linearityOf({ timeS, signal }: CaptureWindow): Linearity {
  const middle = (timeS[0] + timeS[timeS.length - 1]) / 2;
  const split = timeS.findIndex((time) => time > middle);
  const first = fitLine(timeS.slice(0, split), signal.slice(0, split));
  const second = fitLine(timeS.slice(split), signal.slice(split));
  const halves = first === null || second === null ? null : { first: first.slope, second: second.slope };
  return { rateWithoutJumps: rateWithoutJumps(timeS, signal), halves };
}

function rateWithoutJumps(timeS: readonly number[], signal: readonly number[]): number | null {
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

/** `sd` is that of a rate. */
export function jumps({ rate, rateWithoutJumps }: Rated, sd: number): boolean {
  return rateWithoutJumps !== null && Math.abs(rate - rateWithoutJumps) > RATE_SD * sd;
}

/** `noise` is the part of `sd` that is the same for every capture; of those below `lowest`, the rate that is told from none, only jumps count. */
export function captureFault(
  capture: Rated,
  { sd, noise, lowest }: { sd: number; noise: number; lowest: number },
): CaptureFault | null {
  if (jumps(capture, sd)) return 'jumps';
  if (capture.halves === null) return null;
  const { first, second } = capture.halves;
  const largest = Math.max(Math.abs(first), Math.abs(second));
  const apart = Math.abs(first - second);
  const isLine = apart <= HALVES_SE * HALVES_NOISE * noise || apart <= HALVES_PART * largest;
  if (largest <= lowest || isLine) return null;
  return first > second && capture.rate > 0 ? 'fills' : 'bends';
}
