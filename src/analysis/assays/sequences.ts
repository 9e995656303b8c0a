/** From replicates to sequences: what all assays do alike. */
import { computePlaces } from '#core/ranking.ts';
import type { RankRange } from '#core/ranking.ts';

interface Named {
  readonly sample: string;
  readonly role: string;
}

/** The replicates of each sample, in the order of the files. A control may have the name of a sample. */
export function groupBySample<Replicate extends Named>(replicates: readonly Replicate[]): Replicate[][] {
  const groups = Map.groupBy(replicates, ({ role, sample }) => JSON.stringify([role, sample]));
  return [...groups.values()];
}

export function sortReplicates<Replicate extends { readonly replicate: number; readonly plate: string }>(
  replicates: readonly Replicate[],
): Replicate[] {
  return replicates.toSorted((a, b) => a.replicate - b.replicate || a.plate.localeCompare(b.plate));
}

/** Samples, and everything else. */
export function splitControls<Sequence extends { readonly role: string }>(
  all: readonly Sequence[],
): { sequences: Sequence[]; controls: Sequence[] } {
  return {
    sequences: all.filter(({ role }) => role === 'sample'),
    controls: all.filter(({ role }) => role !== 'sample'),
  };
}

/** Gives each sequence with a range its place among them; the others keep none. */
export function assignPlaces<Sequence extends { place: number | null; rankRange: RankRange | null }>(
  sequences: readonly Sequence[],
  buildRange: (sequence: Sequence) => RankRange | null,
): void {
  const ranked = sequences.flatMap((sequence) => {
    const range = buildRange(sequence);
    return range === null ? [] : [{ sequence, range }];
  });
  const places = computePlaces(ranked.map(({ range }) => range));
  for (const [index, { sequence, range }] of ranked.entries())
    Object.assign(sequence, { place: places[index], rankRange: range });
}
