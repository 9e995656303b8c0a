/**
 * Aggregates that drift through the light flicker: noise that becomes far stronger says that the protein precipitates,
 * which bends the signal as well. Photons alone scatter in proportion to the signal.
 */
import { computeMedian } from '#analysis/numerics/statistics.ts';
import type { Curve } from './fit.ts';

export interface Precipitation {
  /** The first reading with the stronger noise. */
  fromC: number;
  /** Noise from there on, divided by the noise before. */
  ratio: number;
}

/** Noise that is this much stronger is beyond the scatter of photons of a signal up to four times as bright. */
export const FLICKER_MAX = 2;
const FLICKER_POINTS_MIN = 15;
/** The place of the change is searched for, so noise that changes by chance has many places to do so. */
const CHANGE_MIN = 3;

/** Finds where the noise becomes more than three times as strong; null where it does not. */
export function findPrecipitation({ temperatureC, signal }: Curve): Precipitation | null {
  const bends = listBends(signal);
  const at = findChange(bends);
  if (at === null) return null;
  const ratio = compareBends(bends, at);
  return ratio > CHANGE_MIN ? { fromC: temperatureC[at], ratio } : null;
}

/** Returns the noise from a temperature on divided by the noise before; 1 where a side is short. */
export function computeFlicker({ temperatureC, signal }: Curve, fromC: number): number {
  const at = temperatureC.findIndex((value) => value > fromC);
  return at < 0 ? 1 : compareBends(listBends(signal), at);
}

/** Second differences, in which a smooth curve leaves little beside the noise. */
function listBends(signal: Float64Array): Float64Array {
  return Float64Array.from({ length: Math.max(0, signal.length - 2) }, (_, i) =>
    Math.abs(signal[i] - 2 * signal[i + 1] + signal[i + 2]),
  );
}

function compareBends(bends: Float64Array, at: number): number {
  const [before, after] = [bends.subarray(0, Math.max(0, at - 2)), bends.subarray(at)];
  if (before.length < FLICKER_POINTS_MIN || after.length < FLICKER_POINTS_MIN) return 1;
  const ratio = computeMedian(after) / computeMedian(before);
  return Number.isFinite(ratio) ? ratio : 1;
}

/** Returns the index from which a second, larger variance describes the differences best. */
function findChange(bends: Float64Array): number | null {
  const total = bends.reduce((sum, value) => sum + value ** 2, 0);
  let before = 0;
  let best: { at: number; cost: number } | null = null;
  for (let at = 1; at <= bends.length - FLICKER_POINTS_MIN; at += 1) {
    before += bends[at - 1] ** 2;
    if (at < FLICKER_POINTS_MIN) continue;
    const [low, high] = [before / at, (total - before) / (bends.length - at)];
    if (!(high > low && low > 0)) continue;
    const cost = at * Math.log(low) + (bends.length - at) * Math.log(high);
    if (best === null || cost < best.cost) best = { at, cost };
  }
  return best?.at ?? null;
}
