/** Reference sensors of a plate by concentration: a dip is referenced by the sensors at its own concentration. */
import { isSameConcentration } from '#core/concentration.ts';
import { formatConcentration } from '#core/number-words.ts';
import { joinWords } from '#core/word-list.ts';
import { createProblem } from './plan.ts';
import type { PlannedPlate, PlannedWell, PlanProblem } from './plan.ts';

/** So many sequences are named; the message counts the others. */
const NAMED_MAX = 8;

/** Warns of dips of samples that the plate has no reference sensor for; one problem for all that lack the same ones. */
export function findUnreferencedDips({ name, wells }: PlannedPlate): PlanProblem[] {
  const references = wells.filter(({ role }) => role === 'reference').flatMap(getConcentration);
  const bare = wells
    .filter(
      (well) =>
        well.role === 'sample' &&
        getConcentration(well).some((level) => !references.some((each) => isSameConcentration(each, level))),
    )
    .toSorted((a, b) => a.sample.localeCompare(b.sample, 'en', { numeric: true }));
  const bySeries = Map.groupBy(bare, ({ sample, replicate }) => JSON.stringify([sample, replicate]));
  const byLevels = Map.groupBy(bySeries.values(), listLevels);
  return [...byLevels].map(([levels, series]) => {
    const owners = series.flatMap((dips) => dips.slice(0, 1));
    const message = `Plate ${name} has no reference sensor at ${levels} for ${listOwners(owners)}. The analysis leaves these dips out or, where they are most of a replicate, subtracts no reference from it. Put a reference at each of these concentrations into an empty well, or plan more experiments into the run, so that the plate has more columns.`;
    return createProblem('concentration_unreferenced', message, { plate: name, severity: 'warning' });
  });
}

/** Buffer has nothing in it that could bind to the sensor, so its dips need no reference. */
function getConcentration({ concentrationM }: PlannedWell): number[] {
  return concentrationM === null || concentrationM === 0 ? [] : [concentrationM];
}

function listLevels(dips: readonly PlannedWell[]): string {
  const descending = dips.flatMap(getConcentration).toSorted((a, b) => b - a);
  return joinWords([...new Set(descending.map(formatConcentration))], 'and');
}

/** Lists `replicates 1 and 2 of design-1, and replicate 1 of design-2`. */
function listOwners(owners: readonly PlannedWell[]): string {
  const samples = [...Map.groupBy(owners, ({ sample }) => sample)].map(([sample, own]) => {
    const numbers = own.map(({ replicate }) => replicate).toSorted((a, b) => a - b);
    return `${numbers.length === 1 ? 'replicate' : 'replicates'} ${joinWords(numbers.map(String), 'and')} of ${sample}`;
  });
  const others = samples.length - NAMED_MAX;
  const rest = others > 0 ? [`${others} more ${others === 1 ? 'sequence' : 'sequences'}`] : [];
  return joinWords([...samples.slice(0, NAMED_MAX), ...rest], 'and');
}
