/** Exact limits of a share by Clopper and Pearson, one-sided 95 %. */
const TAIL = 0.05;
const HALVINGS = 60;

export interface Count {
  readonly hits: number;
  readonly of: number;
}

/** The share below which so many hits would be this rare. */
export function findLowerLimit({ hits, of }: Count): number {
  if (hits === 0) return 0;
  return bisect((share) => computeUpperTail(hits, of, share) < TAIL);
}

/** The share above which so few hits would be this rare. */
export function findUpperLimit({ hits, of }: Count): number {
  return 1 - findLowerLimit({ hits: of - hits, of });
}

/** Finds where `isBelow` turns from true to false between 0 and 1. */
function bisect(isBelow: (share: number) => boolean): number {
  let low = 0;
  let high = 1;
  for (let i = 0; i < HALVINGS; i += 1) {
    const middle = (low + high) / 2;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The probability of `hits` or more among `of`. */
function computeUpperTail(hits: number, of: number, share: number): number {
  if (share <= 0) return 0;
  if (share >= 1) return 1;
  let logTerm = of * Math.log1p(-share);
  let below = 0;
  for (let k = 0; k < hits; k += 1) {
    below += Math.exp(logTerm);
    logTerm += Math.log((of - k) / (k + 1)) + Math.log(share) - Math.log1p(-share);
  }
  return Math.max(0, 1 - below);
}
