/**
 * A digest of what was measured in a set, by which the same measurement is found again in a file of other bytes: packed,
 * exported once more, or with other names.
 */
import { createHash } from 'node:crypto';
import type { MeltSet, PlateSet, TraceSet } from '../curves/trace.ts';

/** Sets of fewer different values may agree by chance. */
const DISTINCT_VALUES_MIN = 8;

/** Returns the SHA-256 of all values of the set in their order; null where they say too little. */
export function computeMeasuredDigest(set: TraceSet | MeltSet | PlateSet): string | null {
  const hash = createHash('sha256');
  const distinct = new Set<number>();
  for (const values of listValues(set)) {
    for (let i = 0; i < values.length && distinct.size < DISTINCT_VALUES_MIN; i += 1) distinct.add(values[i]);
    hash.update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }
  return distinct.size < DISTINCT_VALUES_MIN ? null : hash.digest('hex');
}

/** Signals, and not their axis, which other measurements share. */
function* listValues(set: TraceSet | MeltSet | PlateSet): Generator<Float64Array> {
  if ('readings' in set) yield Float64Array.from(set.readings, ({ value }) => value ?? Number.NaN);
  else
    for (const trace of set.traces) {
      if ('steps' in trace) for (const { signal } of trace.steps) yield signal;
      else yield trace.signal;
    }
}
