/**
 * Counts letters that are omitted, added, replaced or swapped with their neighbor (optimal string alignment
 * distance).
 */
export function countSlips(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}

const COMPARABLE_LENGTH_MAX = 64;

/** Returns the candidate that a person most likely meant, or undefined when none is near. */
export function findNearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > COMPARABLE_LENGTH_MAX) return undefined;
  const lowerCased = word.toLowerCase();
  const known = [...candidates];
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(lowerCased.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - lowerCased.length) >= bestDistance) continue;
    const distance = countSlips(lowerCased, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  // A truncated name, such as `created` for `created_at`, is near whatever completes it.
  return (
    best ?? (lowerCased.length > 2 ? known.find((candidate) => candidate.startsWith(lowerCased)) : undefined)
  );
}
