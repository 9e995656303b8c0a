/**
 * How much the places of a plate differ: replicates scatter by their place and by noise, and what rows and columns
 * explain of that scatter is the part of the place.
 */
import { locateWell } from '#core/wells.ts';
import type { Variance } from '../../numerics/moments.ts';
import type { PlacedValue } from './plate-effects.ts';

/** Degrees of freedom that must be left for the noise. */
const FREEDOM_MIN = 8;
/** Rounds after which the means of samples, rows and columns no longer change on a plate of which most wells are known. */
const ROUNDS = 30;

/**
 * Returns the variance of ln(factor) between the wells of the plate, 0 where rows and columns explain nothing; null with
 * too few replicates to tell.
 */
export function estimatePlaceVariance(values: readonly PlacedValue[]): Variance | null {
  const groups = Map.groupBy(values, ({ group }) => group);
  const wells = values.flatMap(({ group, well, value }) => {
    const place = locateWell(well);
    const isTold = place !== null && (groups.get(group)?.length ?? 0) > 1;
    return isTold ? { group, row: place.row, column: place.column, left: Math.log(value) } : [];
  });
  const lists = (['group', 'row', 'column'] as const).map((by) => [
    ...Map.groupBy(wells, (each) => each[by]).values(),
  ]);
  const [samples, rows, columns] = lists;
  const lines = rows.length + columns.length - 2;
  const within = wells.length - samples.length;
  const freedom = within - lines;
  if (freedom < FREEDOM_MIN || lines < 2) return null;
  removeMeans(samples);
  const scatter = sumSquares(wells) / within;
  for (let round = 0; round < ROUNDS; round += 1) for (const list of lists) removeMeans(list);
  const noise = sumSquares(wells) / freedom;
  return { variance: Math.max(0, scatter - noise), freedom: lines };
}

interface Left {
  /** ln(value) without what was removed so far. */
  left: number;
}

function removeMeans(groups: readonly (readonly Left[])[]): void {
  for (const members of groups) {
    const mean = members.reduce((sum, { left }) => sum + left, 0) / members.length;
    for (const each of members) each.left -= mean;
  }
}

function sumSquares(wells: readonly Left[]): number {
  return wells.reduce((sum, { left }) => sum + left ** 2, 0);
}
