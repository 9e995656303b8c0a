/** Searches along one line: the lowest place of a function, the place where a condition ends, and where a rise reaches a height. */

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Finds the minimum between `low` and `high` of a function with one minimum there, by golden section (Kiefer 1953).
 * Each step shortens the interval by the factor 0.618; 14 steps leave a thousandth of it.
 */
export function minimizeBetween(
  at: (x: number) => number,
  { low: from, high: to, steps }: { low: number; high: number; steps: number },
): { x: number; value: number } {
  let [low, high] = [from, to];
  let left = high - GOLDEN * (high - low);
  let right = low + GOLDEN * (high - low);
  let atLeft = at(left);
  let atRight = at(right);
  for (let step = 0; step < steps; step += 1) {
    if (atLeft < atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - GOLDEN * (high - low);
      atLeft = at(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + GOLDEN * (high - low);
      atRight = at(right);
    }
  }
  return atLeft < atRight ? { x: left, value: atLeft } : { x: right, value: atRight };
}

/** Returns how many of the ascending values are at most `limit`. */
export function countUpTo(ascending: Float64Array, limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Finds where a condition that holds at `inside` and not at `outside` ends, by halving the interval `steps` times.
 */
export function bisect(
  isInside: (x: number) => boolean,
  { inside: from, outside: to, steps }: { inside: number; outside: number; steps: number },
): { inside: number; outside: number } {
  let [inside, outside] = [from, to];
  for (let step = 0; step < steps; step += 1) {
    const middle = (inside + outside) / 2;
    if (isInside(middle)) inside = middle;
    else outside = middle;
  }
  return { inside, outside };
}

/** A place on the line, and how far a function has risen there from its minimum. */
export interface Risen {
  readonly at: number;
  readonly rise: number;
}

/**
 * Finds where the rise from a minimum reaches `needed`, between a place below it and one above. It takes secants of the square root
 * of the rise, which is nearly linear in the distance. A step stays at least a twentieth of the interval away from either end.
 */
export function narrowRise<Place extends Risen>(
  visit: (at: number, from: Place) => Place,
  {
    inside: from,
    outside: to,
    needed,
    steps,
  }: { inside: Place; outside: Place; needed: number; steps: number },
): { inside: Place; outside: Place } {
  let [inside, outside] = [from, to];
  for (let step = 0; step < steps; step += 1) {
    const [low, high] = [Math.sqrt(inside.rise), Math.sqrt(outside.rise)];
    const part = high > low ? (Math.sqrt(needed) - low) / (high - low) : 0.5;
    const at = inside.at + Math.min(0.95, Math.max(0.05, part)) * (outside.at - inside.at);
    const found = visit(at, inside);
    if (found.rise < needed) inside = found;
    else outside = found;
  }
  return { inside, outside };
}

/** A step beside the secants that halves the interval, so that no function takes many more steps than `bisect`. */
const HALVE_EVERY = 3;

/**
 * Finds what `bisect` finds, the one of 2^halvings equal parts in which the rise reaches `needed`, in about half as many
 * visits: secants of the square root of the rise say which part is next, instead of the middle.
 */
export function locateRise<Place extends Risen>(
  visit: (at: number, from: Place) => Place,
  {
    inside: from,
    outside: to,
    needed,
    halvings,
  }: { inside: Place; outside: Place; needed: number; halvings: number },
): { inside: number; outside: number } {
  const parts = 2 ** halvings;
  const locate = (index: number): number => from.at + (index / parts) * (to.at - from.at);
  let [inside, outside] = [from, to];
  let [low, high] = [0, parts];
  for (let step = 1; high - low > 1; step += 1) {
    const [below, above] = [Math.sqrt(inside.rise), Math.sqrt(outside.rise)];
    const guess = low + ((Math.sqrt(needed) - below) / (above - below)) * (high - low);
    const isSecant = Number.isFinite(guess) && step % HALVE_EVERY !== 0;
    const next = isSecant ? Math.max(low + 1, Math.min(high - 1, Math.floor(guess))) : (low + high) >> 1;
    const found = visit(locate(next), inside);
    if (found.rise < needed) [low, inside] = [next, found];
    else [high, outside] = [next, found];
  }
  return { inside: locate(low), outside: locate(high) };
}
