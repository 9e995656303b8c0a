/** Fewer points of a curve: some of them as they are, the lowest and highest of neighbours, or their means. */

/** Points from one kept point to the next, so that at most `pointsMax` of `length` remain; 1 where none has to go. */
export function chooseStride(length: number, pointsMax: number): number {
  return Math.max(1, Math.ceil(length / pointsMax));
}

/** Every `stride`-th value, from the one at `first` on. */
export function takeEvery(values: Float64Array, stride: number, first: number): Float64Array {
  const kept = new Float64Array(Math.max(0, Math.ceil((values.length - first) / stride)));
  for (let i = 0; i < kept.length; i += 1) kept[i] = values[first + i * stride];
  return kept;
}

/** Means of `blocks` successive parts of `values[offset … offset + length − 1]`, as equal in length as whole points allow. */
export function averageBlocks(
  values: Float64Array,
  { offset = 0, length, blocks }: { offset?: number; length: number; blocks: number },
): Float64Array {
  const means = new Float64Array(blocks);
  for (let b = 0; b < blocks; b += 1) {
    const from = Math.floor((b * length) / blocks);
    const to = Math.floor(((b + 1) * length) / blocks);
    let sum = 0;
    for (let i = from; i < to; i += 1) sum += values[offset + i];
    means[b] = sum / (to - from);
  }
  return means;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** At most `pointsMax` points: both ends, and the lowest and highest of every stretch between, so that no peak is lost to the eye. */
export function keepExtremes(points: readonly Point[], pointsMax: number): readonly Point[] {
  const { length } = points;
  if (length <= Math.max(2, pointsMax)) return points;
  const stretches = Math.max(1, Math.floor((pointsMax - 2) / 2));
  const kept = [points[0]];
  for (let b = 0; b < stretches; b += 1) {
    const from = 1 + Math.floor((b * (length - 2)) / stretches);
    const to = 1 + Math.floor(((b + 1) * (length - 2)) / stretches);
    let lowest = from;
    let highest = from;
    for (let i = from; i < to; i += 1) {
      if (points[i].y < points[lowest].y) lowest = i;
      if (points[i].y > points[highest].y) highest = i;
    }
    kept.push(points[Math.min(lowest, highest)]);
    if (lowest !== highest) kept.push(points[Math.max(lowest, highest)]);
  }
  return [...kept, points[length - 1]];
}
