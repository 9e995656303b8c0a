/** Moves labels along a line apart when they would overlap; all collisions are solved here. */

export interface Wanted {
  /** Wanted position of the middle of the label. */
  readonly at: number;
  readonly width: number;
}

/**
 * Returns the middles of the labels, in the given order: as close to their wanted positions as a distance of `gap`
 * allows, and inside the range as long as they fit into it.
 */
export function spaceApart(
  labels: readonly Wanted[],
  { low, high, gap }: { readonly low: number; readonly high: number; readonly gap: number },
): number[] {
  const order = labels
    .map((_, index) => index)
    .toSorted((a, b) => getPosition(labels, a) - getPosition(labels, b) || a - b);
  const middles = labels.map(({ at: center }) => center);
  let edge = low;
  for (const index of order) {
    const half = (labels[index]?.width ?? 0) / 2;
    middles[index] = Math.max(getPosition(labels, index), edge + half);
    edge = (middles[index] ?? 0) + half + gap;
  }
  edge = high;
  for (const index of order.toReversed()) {
    const half = (labels[index]?.width ?? 0) / 2;
    middles[index] = Math.min(middles[index] ?? 0, edge - half);
    edge = (middles[index] ?? 0) - half - gap;
  }
  return middles;
}

function getPosition(labels: readonly Wanted[], index: number): number {
  return labels[index]?.at ?? 0;
}
