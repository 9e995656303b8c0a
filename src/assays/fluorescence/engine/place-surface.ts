/**
 * What the place of a well does to its light, as a smooth surface of second order over the plate: edges that dry out,
 * light that falls off to one side. Replicates of one sample in different places show it, in fewer wells than the effect
 * of each row and column needs.
 */
import { locateWell } from '#core/wells.ts';
import { computeDot, invertPositive } from '#analysis/numerics/matrix.ts';
import { computeMean } from '#analysis/numerics/moments.ts';
import type { Variance } from '#analysis/numerics/moments.ts';
import type { PlacedValue } from './plate-effects.ts';

/** Degrees of freedom that must be left for the noise. */
const FREEDOM_MIN = 6;
/** Middle and half of the rows and columns of a plate of 96 wells. */
const MIDDLE = { row: 3.5, column: 5.5 } as const;

/**
 * Returns by how much an intensity of these wells may differ, as a relative variance, from one that no place disturbs:
 * the variance of the surface over the plate, because nobody knows which place is undisturbed, and how far the surface
 * is from its mean at these wells. Null where nothing tells it.
 */
export type FindPlaceVariance = (wells: readonly string[]) => Variance | null;

export function createPlaceFinder(values: readonly PlacedValue[]): FindPlaceVariance {
  const surface = fitSurface(values);
  return (wells) => {
    const places = wells.map(describePlace).filter((place) => place !== null);
    if (surface === null || places.length === 0) return null;
    const shift = computeMean(places.map((place) => computeDot(place, surface.slopes))) - surface.mean;
    return { variance: surface.variance + shift ** 2, freedom: surface.freedom };
  };
}

interface Surface {
  slopes: readonly number[];
  /** Mean and variance of ln(factor) over the wells that show it, the variance without what noise adds to it. */
  mean: number;
  variance: number;
  freedom: number;
}

/** Fits ln(value) by a level of each sample and the surface. */
function fitSurface(values: readonly PlacedValue[]): Surface | null {
  const groups = [...Map.groupBy(values, ({ group }) => group).values()].filter(({ length }) => length > 1);
  const wells = groups.flatMap((members) => {
    const located = members.flatMap(({ well, value }) => {
      const place = describePlace(well);
      return place === null ? [] : { place, ln: Math.log(value) };
    });
    const level = computeMean(located.map(({ ln }) => ln));
    const middle = located[0]?.place.map((_, k) => computeMean(located.map(({ place }) => place[k]))) ?? [];
    return located.map(({ place, ln }) => ({
      place,
      within: place.map((value, k) => value - middle[k]),
      left: ln - level,
    }));
  });
  const columns = wells[0]?.within.map((_, k) => wells.map(({ within }) => within[k])) ?? [];
  const freedom = wells.length - groups.length - columns.length;
  if (freedom < FREEDOM_MIN) return null;
  const left = wells.map((each) => each.left);
  const inverse = invertPositive(columns.map((a) => columns.map((b) => computeDot(a, b))));
  if (inverse === null) return null;
  const pull = columns.map((column) => computeDot(column, left));
  const slopes = inverse.map((row) => computeDot(row, pull));
  const noise = (computeDot(left, left) - computeDot(slopes, pull)) / freedom;
  const heights = wells.map(({ place }) => computeDot(place, slopes));
  const mean = computeMean(heights);
  const middle = columns.map((_, k) => computeMean(wells.map(({ place }) => place[k])));
  const ofNoise = wells.map(({ place }) => {
    const apart = place.map((value, k) => value - middle[k]);
    return noise * inverse.reduce((sum, row, k) => sum + apart[k] * computeDot(row, apart), 0);
  });
  const scatter = computeMean(heights.map((height) => (height - mean) ** 2));
  return { slopes, mean, variance: Math.max(0, scatter - computeMean(ofNoise)), freedom };
}

/** Returns what the surface consists of at a well: both directions, their squares and their product. */
function describePlace(well: string): number[] | null {
  const place = locateWell(well);
  if (place === null) return null;
  const down = (place.row - MIDDLE.row) / MIDDLE.row;
  const right = (place.column - MIDDLE.column) / MIDDLE.column;
  return [down, right, down ** 2, right ** 2, down * right];
}
