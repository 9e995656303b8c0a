/** Detects bubbles and other jumps that last only seconds. */
import { fitLine } from '#analysis/numerics/line.ts';
import { joinColumns } from '#analysis/numerics/matrix.ts';
import { countUpTo } from '#analysis/numerics/search.ts';
import { MAD_TO_SD, computeMedian, computeMedianAbsoluteDeviation } from '#analysis/numerics/statistics.ts';
import type { Phase } from './align.ts';
import type { Injection } from './model.ts';

/** A bubble passes a sensor within this time; a longer one cannot be distinguished from a change of the signal. */
const SPIKE_S = 4;
/** For sparse samples, a running median needs at least this many on either side. */
const HALF_WINDOW_MIN = 4;
/** A spike must also exceed this fraction of the range of the curve. */
const SPIKE_RANGE_FRACTION = 0.05;

/** Removes one value from a sorted array and inserts another in order. */
function replaceSorted(sorted: Float64Array, out: number, into: number): void {
  let at = 0;
  while (at + 1 < sorted.length && sorted[at] !== out) at += 1;
  for (; at + 1 < sorted.length && sorted[at + 1] < into; at += 1) sorted[at] = sorted[at + 1];
  for (; at > 0 && sorted[at - 1] > into; at -= 1) sorted[at] = sorted[at - 1];
  sorted[at] = into;
}

/**
 * Counts samples that stand out from their neighbors in either phase or at the boundary between. A single cycle turns at
 * every injection, so each of its injections and pauses is a phase of its own.
 */
export function countSpikes(
  association: Phase,
  dissociation: Phase | null,
  { spikeSd, noiseSd }: { spikeSd: number; noiseSd: number },
  injections: readonly Injection[] = [],
): number {
  const phases = splitAtTurns(association, injections);
  const least = spikeSd * noiseSd;
  const within = countSpikesIn(phases, { spikeSd, least });
  const after = dissociation === null ? 0 : countSpikesIn([dissociation], { spikeSd, least }).count;
  return phases.reduce(
    (sum, phase, k) => sum + countSpikesAtEnd(phase, phases[k + 1] ?? dissociation, within.limit),
    within.count + after,
  );
}

function splitAtTurns(phase: Phase, injections: readonly Injection[]): Phase[] {
  const turnsS = injections.flatMap(({ startS, endS }) => [startS, endS]);
  const ends = [...turnsS.map((turnS) => countUpTo(phase.timeS, turnS)), phase.timeS.length];
  return ends
    .map((end, k) => ({ from: ends[k - 1] ?? 0, end }))
    .filter(({ from, end }) => end > from)
    .map(({ from, end }) => ({
      timeS: phase.timeS.subarray(from, end),
      signal: phase.signal.subarray(from, end),
    }));
}

function computeHalfWindow({ timeS }: Phase): number {
  const n = timeS.length;
  const intervalS = (timeS[n - 1] - timeS[0]) / (n - 1);
  const halfWindow = Math.round(SPIKE_S / intervalS);
  return Math.max(HALF_WINDOW_MIN, Math.min(halfWindow, n >> 2));
}

/**
 * A spike exceeds a multiple of the scatter around the running median and, because a steep curve is its own running median,
 * so that nearly nothing scatters there, `least`: the same multiple of the noise.
 */
interface SpikeRule {
  spikeSd: number;
  least: number;
}

/** What a sample must exceed to be a spike. */
interface SpikeLimit {
  /** Whether a deviation from the neighbors exceeds the limit. */
  isExceeded: (deviation: number) => boolean;
}

/**
 * Counts samples that stand out from the running median of nine seconds, which a monotonic curve never does. Phases of
 * one curve have one limit.
 */
function countSpikesIn(phases: readonly Phase[], rule: SpikeRule): { count: number; limit: SpikeLimit } {
  const found = phases.filter(isLongEnough).map(computeDeviations);
  const range = Math.max(...found.map(({ high }) => high)) - Math.min(...found.map(({ low }) => low));
  const limit = createLimit(found, SPIKE_RANGE_FRACTION * range, rule);
  let count = 0;
  for (const { deviation } of found)
    for (let i = 0; i < deviation.length; i += 1) if (limit.isExceeded(Math.abs(deviation[i]))) count += 1;
  return { count, limit };
}

/** The scatter is computed only where a deviation exceeds the fraction of the range, which few do. */
function createLimit(
  found: readonly { deviation: Float64Array }[],
  ofRange: number,
  { spikeSd, least: ofNoise }: SpikeRule,
): SpikeLimit {
  let limit: number | null = null;
  const computeLimit = (): number => {
    const all = joinColumns(found.map(({ deviation }) => deviation));
    const scatter = all.length === 0 ? 0 : MAD_TO_SD * computeMedianAbsoluteDeviation(all);
    const least = Math.max(spikeSd * scatter, ofNoise, ofRange);
    return least > 0 ? least : Number.POSITIVE_INFINITY;
  };
  return {
    isExceeded: (deviation) => {
      if (!(deviation > ofRange)) return false;
      limit ??= computeLimit();
      return deviation > limit;
    },
  };
}

function isLongEnough({ signal }: Phase): boolean {
  return signal.length >= 4 * HALF_WINDOW_MIN;
}

/** Returns the deviations from the running median, and the range of that median. */
function computeDeviations(phase: Phase): { deviation: Float64Array; low: number; high: number } {
  const { signal } = phase;
  const half = computeHalfWindow(phase);
  const width = 2 * half + 1;
  const deviation = new Float64Array(signal.length - width + 1);
  const around = signal.slice(0, width).sort();
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < deviation.length; i += 1) {
    if (i > 0) replaceSorted(around, signal[i - 1], signal[i + width - 1]);
    const middle = around[half];
    deviation[i] = signal[i + half] - middle;
    low = Math.min(low, middle);
    high = Math.max(high, middle);
  }
  return { deviation, low, high };
}

/**
 * Counts spikes in the last seconds of association, which give the response and which no running median covers. They
 * are compared with the line that leads there and, if there is a dissociation, with its start. Association bends
 * downward, so without a dissociation only a rise is a spike.
 */
function countSpikesAtEnd(association: Phase, dissociation: Phase | null, limit: SpikeLimit): number {
  const { timeS, signal } = association;
  if (!isLongEnough(association)) return 0;
  const half = computeHalfWindow(association);
  const from = signal.length - half;
  const start = Math.max(0, from - 3 * half);
  const line = fitLine(timeS.subarray(start, from), signal.subarray(start, from));
  if (line === null) return 0;
  const right = dissociation === null ? null : computeMedian(dissociation.signal.subarray(0, 2 * half));
  let count = 0;
  for (let i = from; i < signal.length; i += 1) {
    const left = line.intercept + line.slope * timeS[i];
    const above = signal[i] - Math.max(left, right ?? left);
    const below = right === null ? 0 : Math.min(left, right) - signal[i];
    if (limit.isExceeded(Math.max(above, below))) count += 1;
  }
  return count;
}
