/**
 * A digest of what was measured in a set, by which the same measurement is found again in a file of other bytes: packed,
 * exported once more, or with other names.
 */
import { createHash } from 'node:crypto';
import type { MeltSet, PlateSet, TraceSet } from '../curves/trace.ts';

/** Sets of fewer different values may agree by chance. */
const DISTINCT_VALUES_MIN = 8;

/** Returns the SHA-256 of all values of the set, in whatever order its wells stand; null where they say too little. */
export function computeMeasuredDigest(set: TraceSet | MeltSet | PlateSet): string | null {
  const distinct = new Set<number>();
  const parts: string[] = [];
  for (const part of listParts(set)) {
    const hash = createHash('sha256');
    for (const values of part) {
      for (let i = 0; i < values.length && distinct.size < DISTINCT_VALUES_MIN; i += 1)
        distinct.add(values[i]);
      hash.update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    }
    parts.push(hash.digest('hex'));
  }
  if (distinct.size < DISTINCT_VALUES_MIN) return null;
  return createHash('sha256').update(parts.toSorted().join('\n')).digest('hex');
}

/** The signals of each curve, or the value of each well. Not their axis, which other measurements share. */
function* listParts(set: TraceSet | MeltSet | PlateSet): Generator<readonly Float64Array[]> {
  if ('readings' in set) for (const { value } of set.readings) yield [Float64Array.of(value ?? Number.NaN)];
  else
    for (const trace of set.traces)
      yield 'steps' in trace ? trace.steps.map(({ signal }) => signal) : [trace.signal];
}
