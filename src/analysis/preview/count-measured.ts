/** Counts what described sets hold of each ordered sequence, as its result will count. */
import type { DescribedSet, DescribedWell } from './describe-sets.ts';
import type { MeasuredSequence } from './types.ts';

const MEASURED: ReadonlySet<string> = new Set(['sample', 'positive_control', 'negative_control']);

export function countMeasured(sets: readonly DescribedSet[], names: readonly string[]): MeasuredSequence[] {
  const hasTraces = sets.some(({ kind }) => kind === 'traces');
  const [only] = names;
  const wells = sets.flatMap((set, index) =>
    set.kind === 'map'
      ? []
      : set.wells.flatMap((well) => {
          const name = well.matchedSequence ?? (names.length === 1 && well.isUnnamed ? only : null);
          return name === null || !MEASURED.has(well.role) ? [] : [{ name, well, set, index }];
        }),
  );
  const grouped = Map.groupBy(wells, ({ name }) => name);
  return names.map((sequence) => {
    const own = grouped.get(sequence) ?? [];
    // A trace is one curve of a replicate; a well of melting or of a reader is a replicate.
    const replicates = own.flatMap(({ well, set, index }) => {
      if (set.kind !== 'traces') return [`${index}/${well.id}`];
      return countDoses(well) > 0 ? [`${index}/${well.replicate}`] : [];
    });
    const nCurves = own.reduce((sum, { well }) => sum + countDoses(well), 0);
    return { sequence, nReplicates: new Set(replicates).size, nCurves: hasTraces ? nCurves : null };
  });
}

/** A curve whose concentration the file does not state counts, because the settings will. */
function countDoses({ concentrationM, dosesM }: DescribedWell): number {
  const nDoses = dosesM.filter((dose) => dose > 0).length;
  return nDoses > 0 ? nDoses : concentrationM === 0 ? 0 : 1;
}
