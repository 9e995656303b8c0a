/**
 * Finds where a detector reads its ceiling or its floor: the extreme value of a curve again and again, exactly. What
 * lies there was not measured.
 */
import type { Curve } from './fit.ts';

export interface Plateau {
  side: 'ceiling' | 'floor';
  /** First and last temperature of the reading. */
  fromC: number;
  toC: number;
}

/** Fewer repeats can be chance, or a file with few digits. */
const REPEATS_MIN = 3;
/** Chance, under the repeats that other values of the curve show, below which the extreme value is a limit. */
const CHANCE_MAX = 1e-4;
/** Readings at the limit that are closer than this belong to one plateau: noise lifts some between them off it. */
const GAP_MAX_C = 2;
const EQUAL_OF_RANGE = 1e-9;

export function findPlateaus({ temperatureC, signal }: Curve): Plateau[] {
  const high = signal.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const low = signal.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const tolerance = EQUAL_OF_RANGE * (high - low);
  if (!(tolerance > 0)) return [];
  const usual = measureUsualRepeats(signal, low + tolerance, high - tolerance);
  return (
    [
      ['ceiling', (value: number) => value >= high - tolerance],
      ['floor', (value: number) => value <= low + tolerance],
    ] as const
  ).flatMap(([side, isAt]) => {
    const at = [...signal.keys()].filter((i) => isAt(signal[i]));
    const repeats = at.filter((i, k) => k > 0 && at[k - 1] === i - 1).length;
    const isLimit = repeats >= REPEATS_MIN && computeChance(at.length - 1, repeats, usual) < CHANCE_MAX;
    return isLimit ? joinPlateaus(at, temperatureC, side) : [];
  });
}

/**
 * Returns the largest share of repeats among the other values of the curve, which a file with few digits has
 * everywhere; at least one in all of its points.
 */
function measureUsualRepeats(signal: Float64Array, low: number, high: number): number {
  const found = new Map<number, { count: number; repeats: number }>();
  for (const [i, value] of signal.entries()) {
    if (value <= low || value >= high) continue;
    const each = found.get(value) ?? { count: 0, repeats: 0 };
    each.count += 1;
    if (i > 0 && signal[i - 1] === value) each.repeats += 1;
    found.set(value, each);
  }
  const shares = [...found.values()]
    .filter(({ count }) => count > REPEATS_MIN)
    .map(({ count, repeats }) => repeats / (count - 1));
  return Math.max(1 / signal.length, ...shares);
}

/** Returns the probability of at least `least` of `n` at probability `p` (binomial tail). */
function computeChance(n: number, least: number, p: number): number {
  let lnTerm = n * Math.log1p(-Math.min(p, 1 - 1e-12));
  let below = 0;
  for (let k = 0; k < least; k += 1) {
    below += Math.exp(lnTerm);
    lnTerm += Math.log((n - k) / (k + 1)) + Math.log(p / Math.max(1e-12, 1 - p));
  }
  return Math.max(0, 1 - below);
}

function joinPlateaus(at: readonly number[], t: Float64Array, side: Plateau['side']): Plateau[] {
  const found: Plateau[] = [];
  for (const i of at) {
    const last = found.at(-1);
    if (last !== undefined && t[i] - last.toC <= GAP_MAX_C) last.toC = t[i];
    else found.push({ side, fromC: t[i], toC: t[i] });
  }
  return found;
}

export function leaveOut({ temperatureC, signal }: Curve, plateaus: readonly Plateau[]): Curve {
  if (plateaus.length === 0) return { temperatureC, signal };
  const isKept = (_: number, i: number): boolean =>
    plateaus.every(({ fromC, toC }) => temperatureC[i] < fromC || temperatureC[i] > toC);
  return { temperatureC: temperatureC.filter(isKept), signal: signal.filter(isKept) };
}
