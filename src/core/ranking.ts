/**
 * The rank of values with intervals. A value stands behind another only where the whole interval of the other is
 * better, so values whose intervals overlap may share a place.
 */
import type { Relation } from './relations.ts';

/** Both ends of an interval on a scale on which smaller is better; null is an open end. */
export interface RankRange {
  readonly best: number | null;
  readonly worst: number | null;
}

/** Returns the ends as numbers, an open one as infinity. */
export function toRankEnds({ best, worst }: RankRange): { best: number; worst: number } {
  return { best: best ?? Number.NEGATIVE_INFINITY, worst: worst ?? Number.POSITIVE_INFINITY };
}

interface Ranked {
  readonly value: number;
  readonly relation: Relation;
  readonly ci95Low: number | null;
  readonly ci95High: number | null;
}

/**
 * Builds the range of a value. A limit reaches from itself to infinity; a value without an interval is a point; an
 * interval with one end is open at the other.
 */
export function buildRankRange(
  { value, relation, ci95Low, ci95High }: Ranked,
  better: 'lower' | 'higher',
): RankRange {
  const isPoint = relation !== '<' && relation !== '>' && ci95Low === null && ci95High === null;
  const low = relation === '>' || isPoint ? value : relation === '<' ? null : ci95Low;
  const high = relation === '<' || isPoint ? value : relation === '>' ? null : ci95High;
  if (better === 'lower') return { best: low, worst: high };
  return { best: high === null ? null : -high, worst: low === null ? null : -low };
}

/** Returns the place of each range: 1 + the number of ranges that are better as a whole. */
export function computePlaces(ranges: readonly RankRange[]): number[] {
  const ends = ranges.map(toRankEnds);
  const worsts = Float64Array.from(ends, ({ worst }) => worst).sort();
  return ends.map(({ best }) => 1 + countBelow(worsts, best));
}

/** Counts the sorted numbers that are smaller than the limit. */
function countBelow(sorted: Float64Array, limit: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? Number.POSITIVE_INFINITY) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}
