/** Fewer points of a curve: some of them as they are, or means of neighbours. */

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
