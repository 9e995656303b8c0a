/**
 * Results of whole experiments: the analysis without its points, and the points of the figures packed for storage.
 */
import { packAssayCurves } from '../curves/packed-curves.ts';
import type { AssayCurve } from '../curves/packed-curves.ts';
import type { AssayPlate, AssayReplicate } from './analysis-records.ts';

/**
 * An analysis without its points, and the points as gzip members (see `packed-curves.ts`) by the name of the sample
 * or plate.
 */
export interface PackedResult<Analysis> {
  found: Analysis;
  packed: { plates: Map<string, Uint8Array>; samples: Map<string, Uint8Array> };
}

interface Measured {
  readonly sample: string;
  readonly replicates: readonly Pick<AssayReplicate, 'curves'>[];
}

interface Analysis {
  readonly plates: readonly Pick<AssayPlate, 'plate' | 'curves'>[];
  readonly sequences: readonly Measured[];
  readonly controls: readonly Measured[];
}

interface Pictured {
  readonly name: string;
  readonly curves: readonly AssayCurve[];
}

/** Removes the curves from an analysis and packs them. */
export function packResult<Found extends Analysis>(found: Found): PackedResult<Found> {
  const samples = findPictured(found).map(({ sample, replicates }) => ({
    name: sample,
    curves: replicates.flatMap(({ curves }) => curves),
  }));
  const plates = found.plates.map(({ plate, curves }) => ({ name: plate, curves }));
  const result = { found, packed: packAll(plates, samples) };
  for (const plate of found.plates) plate.curves = [];
  for (const { replicates } of [...found.sequences, ...found.controls])
    for (const replicate of replicates) replicate.curves = [];
  return result;
}

/** Returns samples, and controls whose name no sample has; one of these may be an ordered sequence. */
export function findPictured<Found extends { readonly sample: string }>(found: {
  readonly sequences: readonly Found[];
  readonly controls: readonly Found[];
}): Found[] {
  const samples = new Set(found.sequences.map(({ sample }) => sample));
  return [...found.sequences, ...found.controls.filter(({ sample }) => !samples.has(sample))];
}

function packAll(plates: readonly Pictured[], samples: readonly Pictured[]): PackedResult<unknown>['packed'] {
  const pack = (all: readonly Pictured[]): Map<string, Uint8Array> => {
    const byName = Map.groupBy(all, ({ name }) => name);
    const members = new Map<string, Uint8Array>();
    for (const [name, same] of byName) {
      const member = packAssayCurves(same.flatMap(({ curves }) => curves));
      if (member !== null) members.set(name, member);
    }
    return members;
  };
  return { plates: pack(plates), samples: pack(samples) };
}
