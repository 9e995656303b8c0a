/** From replicates to sequences: what all assays do alike. */
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

/** Places from 1 in the order given, the best first; equals share the place of the first of them. */
export function assignPlaces<Sequence extends { place: number | null }>(
  ranked: readonly Sequence[],
  isEqual: (one: Sequence, other: Sequence) => boolean,
): void {
  for (const [index, each] of ranked.entries()) {
    const before = ranked[index - 1];
    each.place = before !== undefined && isEqual(before, each) ? before.place : index + 1;
  }
}
