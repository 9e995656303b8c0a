/** How many residues two sequences differ by: the edit distance of Levenshtein, up to a bound. */

/** Beyond so many, two sequences are not variants of each other. */
export const DISTANCE_MAX = 20;

/**
 * Counts the exchanges, insertions and deletions between two texts; undefined beyond `most`. For each number of edits it
 * keeps how far every diagonal reaches (Ukkonen 1985), so that its time grows with the bound and not with the lengths.
 */
export function countEdits(own: string, other: string, most: number): number | undefined {
  const target = other.length - own.length;
  if (Math.abs(target) > most) return undefined;
  const middle = most + 1;
  let reached = new Int32Array(2 * most + 3).fill(-1);
  let next = new Int32Array(2 * most + 3).fill(-1);
  for (let edits = 0; edits <= most; edits += 1) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 1) {
      const at = middle + diagonal;
      const start = edits === 0 ? 0 : reachBy(reached, at);
      if (start === undefined) continue;
      const end = follow(own, other, Math.min(start, own.length), diagonal);
      if (diagonal === target && end === own.length) return edits;
      next[at] = end;
    }
    [reached, next] = [next, reached];
  }
  return undefined;
}

/** The furthest place on a diagonal after one more exchange, insertion or deletion; undefined where none leads there. */
function reachBy(reached: Int32Array, at: number): number | undefined {
  const exchanged = reached[at] ?? -1;
  const inserted = reached[at - 1] ?? -1;
  const deleted = reached[at + 1] ?? -1;
  const furthest = Math.max(exchanged < 0 ? -1 : exchanged + 1, inserted, deleted < 0 ? -1 : deleted + 1);
  return furthest < 0 ? undefined : furthest;
}

/** Follows equal letters from a place of `own` on. */
function follow(own: string, other: string, from: number, diagonal: number): number {
  let place = from;
  while (
    place < own.length &&
    place + diagonal >= 0 &&
    place + diagonal < other.length &&
    own.charCodeAt(place) === other.charCodeAt(place + diagonal)
  )
    place += 1;
  return place;
}
