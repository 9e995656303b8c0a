/**
 * Finds the ceiling of a detector in curves from which a blank was already subtracted. There each clipped curve is the ceiling
 * minus the same blank: no curve is flat, but two of them scatter together, sample by sample.
 */
import { computeMean, computeMedian } from '#analysis/numerics/statistics.ts';
import type { AlignedTrace, Phase } from './align.ts';
import {
  computeDifferenceSd,
  computeReversals,
  REVERSALS_MIN,
  SCATTER_MAX,
  WINDOW_SAMPLES,
} from './clipping.ts';

/** How close to the highest signal of its curve a clipped stretch lies, in standard deviations of the noise. */
const TOP_SD = 6;
/** Samples further apart in time are not those of one clock. */
const SAME_TIME_S = 0.02;
/** Like `SCATTER_MAX` for medians, which scatter more. */
const MEDIAN_MAX = 0.5;

/** Returns the curves with the ceilings that they share with another dose. */
export function markSharedCeiling(curves: readonly AlignedTrace[]): AlignedTrace[] {
  const levels = new Map<AlignedTrace, number>();
  for (const [k, one] of curves.entries())
    for (const other of curves.slice(k + 1)) {
      if (one.trace.concentrationM === other.trace.concentrationM) continue;
      for (const [clipped, level] of findShared(one, other)) levels.set(clipped, level);
    }
  return curves.map((curve) => {
    const level = levels.get(curve);
    return level === undefined || curve.clipping !== null
      ? curve
      : { ...curve, clipping: { end: 'ceiling', level } };
  });
}

function findShared(one: AlignedTrace, other: AlignedTrace): [AlignedTrace, number][] {
  const phases: [Phase | null, Phase | null][] = [
    [one.association, other.association],
    [one.dissociation, other.dissociation],
  ];
  for (const [a, b] of phases) {
    if (a === null || b === null) continue;
    const length = Math.min(a.timeS.length, b.timeS.length);
    for (let from = 0; from + WINDOW_SAMPLES <= length; from += WINDOW_SAMPLES / 2) {
      if (!isSharedWindow(a, b, from)) continue;
      const found = [one, other].map((curve, k): [AlignedTrace, number] => {
        const part = [a, b][k].signal.subarray(from, from + WINDOW_SAMPLES);
        const isTop = computeMean(part) > curve.rawTop - curve.level - TOP_SD * computeDifferenceSd(part);
        return [curve, isTop ? computeMean(part) : Number.NaN];
      });
      if (found.every(([, level]) => !Number.isNaN(level))) return found;
    }
  }
  return [];
}

/** Whether both scatter as noise does, at the same times, and their difference hardly does. */
function isSharedWindow(a: Phase, b: Phase, from: number): boolean {
  const difference = new Float64Array(WINDOW_SAMPLES);
  for (let i = 0; i < WINDOW_SAMPLES; i += 1) {
    if (Math.abs(a.timeS[from + i] - b.timeS[from + i]) > SAME_TIME_S) return false;
    difference[i] = a.signal[from + i] - b.signal[from + i];
  }
  const parts = [a, b].map(({ signal }) => signal.subarray(from, from + WINDOW_SAMPLES));
  const isQuieter = (computeScatter: (signal: Float64Array) => number, most: number): boolean =>
    computeScatter(difference) < most * Math.min(...parts.map((part) => computeScatter(part)));
  return (
    parts.every((part) => computeReversals(part) >= REVERSALS_MIN) &&
    isQuieter(computeDifferenceSd, SCATTER_MAX) &&
    isQuieter(computeMedianDifference, MEDIAN_MAX)
  );
}

/** The median is not moved by a jump that both have at the start of binding. */
function computeMedianDifference(signal: Float64Array): number {
  return computeMedian(
    Array.from({ length: signal.length - 1 }, (_, i) => Math.abs(signal[i + 1] - signal[i])),
  );
}
