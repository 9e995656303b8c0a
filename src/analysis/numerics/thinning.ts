/** Reduces the points of a curve: keeps some of them, keeps local minima and maxima, or averages them. */

/** Points in order of time. */
export interface TimedPoints {
  timeS: Float64Array;
  signal: Float64Array;
}

/** Returns the points whose times are kept. Calls `isKept` once for each, in a loop: `filter` takes ten times as long. */
export function keepPoints({ timeS, signal }: TimedPoints, isKept: (timeS: number) => boolean): TimedPoints {
  const kept = { timeS: new Float64Array(timeS.length), signal: new Float64Array(timeS.length) };
  let count = 0;
  for (let i = 0; i < timeS.length; i += 1) {
    if (!isKept(timeS[i])) continue;
    kept.timeS[count] = timeS[i];
    kept.signal[count] = signal[i];
    count += 1;
  }
  return { timeS: kept.timeS.slice(0, count), signal: kept.signal.slice(0, count) };
}

/** Returns the distance between kept points so that at most `pointsMax` of `length` remain; 1 where all may stay. */
export function chooseStride(length: number, pointsMax: number): number {
  return Math.max(1, Math.ceil(length / pointsMax));
}

/** Returns every `stride`-th value, starting at `first`. */
export function takeEvery(values: Float64Array, stride: number, first: number): Float64Array {
  const kept = new Float64Array(Math.max(0, Math.ceil((values.length - first) / stride)));
  for (let i = 0; i < kept.length; i += 1) kept[i] = values[first + i * stride];
  return kept;
}

/**
 * Returns the means of `blocks` consecutive parts of `values[offset … offset + length − 1]`, as equal in length as
 * whole points allow.
 */
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

/**
 * Returns at most `pointsMax` points: both ends, and the lowest and highest of every stretch between, so that every
 * visible peak stays.
 */
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
