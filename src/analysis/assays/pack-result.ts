/**
 * Results of whole experiments: the analysis without its points, and the points of the figures packed for storage.
 */
import {
  keepInMemory,
  type KeepCurves,
  type KeptCurves,
  joinMembers,
  packAssayCurves,
  type AssayCurve,
} from '../curves/packed-curves.ts';
import type { AssayPlate, AssayReplicate } from './analysis-records.ts';

/**
 * An analysis without its points, and the points as rows of gzip members (see `packed-curves.ts`) by the name of the
 * sample or plate.
 */
export interface PackedResult<Analysis> {
  found: Analysis;
  packed: { plates: Map<string, readonly KeptCurves[]>; samples: Map<string, readonly KeptCurves[]> };
}

interface Part {
  readonly plates: readonly Pick<AssayPlate, 'plate' | 'curves'>[];
  readonly replicates: readonly Pick<AssayReplicate, 'curves'>[];
}

/** A part of an analysis without its points, and those of its plates and its replicates in their order. */
export interface PackedPart<Found extends Part> {
  found: Found;
  plates: (KeptCurves | null)[];
  replicates: (KeptCurves | null)[];
}

interface Analysis {
  readonly sequences: readonly Pictured[];
  readonly controls: readonly Pictured[];
}

interface Pictured {
  readonly sample: string;
  readonly replicates: readonly object[];
}

/** Removes the curves from a part and packs them. */
export function packPart<Found extends Part>(
  found: Found,
  keep: KeepCurves = keepInMemory,
): PackedPart<Found> {
  const take = (of: { curves: AssayCurve[] }): KeptCurves | null => {
    const packed = packAssayCurves(of.curves);
    of.curves = [];
    return packed === null ? null : keep(packed);
  };
  return { found, plates: found.plates.map(take), replicates: found.replicates.map(take) };
}

/** Names the points of the parts of which `found` was made, out of the same replicates. */
export function joinPackedParts<Found extends Analysis>(
  found: Found,
  parts: readonly PackedPart<Part>[],
): PackedResult<Found> {
  const own = new Map<object, KeptCurves | null>();
  const plates = new Map<string, KeptCurves[]>();
  for (const part of parts) {
    for (const [index, replicate] of part.found.replicates.entries())
      own.set(replicate, part.replicates[index]);
    for (const [index, { plate }] of part.found.plates.entries()) {
      const kept = part.plates[index];
      if (kept !== null) plates.set(plate, [...(plates.get(plate) ?? []), kept]);
    }
  }
  const samples = new Map<string, KeptCurves[]>();
  for (const { sample, replicates } of findPictured(found)) {
    const kept = replicates.flatMap((replicate) => own.get(replicate) ?? []);
    if (kept.length > 0) samples.set(sample, [...(samples.get(sample) ?? []), ...kept]);
  }
  return { found, packed: { plates: joinAll(plates), samples: joinAll(samples) } };
}

function joinAll(all: ReadonlyMap<string, readonly KeptCurves[]>): Map<string, KeptCurves[]> {
  return new Map([...all].map(([name, members]) => [name, joinMembers(members)]));
}

/** Returns samples, and controls whose name no sample has; one of these may be an ordered sequence. */
export function findPictured<Found extends { readonly sample: string }>(found: {
  readonly sequences: readonly Found[];
  readonly controls: readonly Found[];
}): Found[] {
  const samples = new Set(found.sequences.map(({ sample }) => sample));
  return [...found.sequences, ...found.controls.filter(({ sample }) => !samples.has(sample))];
}
