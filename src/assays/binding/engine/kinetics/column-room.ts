/**
 * Memory for the columns that the fits of one replicate need while they run. A new array for each would be most of the
 * garbage of an analysis, and collecting it takes threads beside this one. Nothing that a fit returns may lie here.
 */

/** Numbers that all columns of a replicate share, 16 MB; what exceeds them is allocated by itself. */
const ROOM = 2_097_152;

let room: Float64Array | null = null;
let used = 0;
let isOpen = false;

/** Runs the work with columns that are free again after it. Outside, each column is allocated by itself. */
export function withColumnRoom<Result>(work: () => Result): Result {
  if (isOpen) return work();
  isOpen = true;
  try {
    return work();
  } finally {
    isOpen = false;
    used = 0;
  }
}

/** Returns a column of any old values, each of which the caller sets. */
export function takeColumn(length: number): Float64Array {
  if (!isOpen || used + length > ROOM) return new Float64Array(length);
  room ??= new Float64Array(ROOM);
  const from = used;
  used += length;
  return room.subarray(from, used);
}

export function takeZeros(length: number): Float64Array {
  return takeColumn(length).fill(0);
}

/** Returns a copy of the values `from … to`. */
export function takeCopy(values: Float64Array, from = 0, to = values.length): Float64Array {
  const copy = takeColumn(to - from);
  for (let i = from; i < to; i += 1) copy[i - from] = values[i];
  return copy;
}

/** Returns factor · column. */
export function takeScaled(column: Float64Array, factor: number): Float64Array {
  const scaled = takeColumn(column.length);
  for (let i = 0; i < column.length; i += 1) scaled[i] = factor * column[i];
  return scaled;
}
