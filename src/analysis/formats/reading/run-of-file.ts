/** Runs that repeat replicates of an earlier run: their plates get names of their own. */
import type { RawFile } from './stored-file.ts';

/** Returns the run of a file that repeats an earlier run; undefined for a file of the first. */
export function findRepeatingRun(file: RawFile | undefined): number | undefined {
  return file !== undefined && 'path' in file ? file.run : undefined;
}

/** Splits files by their run, each in the given order, because files of two runs do not belong together. */
export function splitByRun(files: readonly RawFile[]): RawFile[][] {
  return [...Map.groupBy(files, findRepeatingRun).values()];
}

/** Renames the plates of a repeating run, because a lab may use a name again: `P1` becomes `P1 (run 2)`. */
export function namePlatesByRun<Set extends { plate: string | null }>(
  sets: readonly Set[],
  run: number | undefined,
): Set[] {
  if (run === undefined) return [...sets];
  return sets.map((set) => (set.plate === null ? set : { ...set, plate: `${set.plate} (run ${run})` }));
}
