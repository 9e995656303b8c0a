/**
 * Row, column and edge effects of a plate. Every well is compared with the median of its own replicates, so that
 * differences between samples do not look like effects of position. A sample whose replicates all share a row hides
 * the effect of that row, but never creates one.
 */
import { locateWell } from '#core/wells.ts';
import { computeMedian, computeMean, type Variance } from '#analysis/numerics/statistics.ts';
import type { PlateEffects } from './types.ts';
import { computeDot, invertPositive } from '#analysis/numerics/matrix.ts';

/** Median polish (Tukey 1977): a table as overall + row + column + residual, robust against single wells. */
interface Polished {
  overall: number;
  rows: number[];
  columns: number[];
  /** NaN where the table has no value. */
  residuals: number[][];
}

const ROUNDS_MAX = 50;
const CHANGE_MIN = 1e-9;

/** `table` is by row and column; NaN is a missing value. Rows or columns without any value have effect 0. */
export function polishByMedian(table: readonly (readonly number[])[]): Polished {
  const residuals = table.map((row) => [...row]);
  const width = Math.max(0, ...table.map((row) => row.length));
  const rows = table.map(() => 0);
  const columns = Array.from({ length: width }, () => 0);
  let overall = 0;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    let change = 0;
    for (const [i, row] of residuals.entries()) {
      const shift = computeMedianOfKnown(row);
      change = Math.max(change, Math.abs(shift));
      rows[i] += shift;
      for (let j = 0; j < row.length; j += 1) row[j] -= shift;
    }
    overall += centerEffects(rows);
    for (let j = 0; j < width; j += 1) {
      const shift = computeMedianOfKnown(residuals.map((row) => row[j]));
      change = Math.max(change, Math.abs(shift));
      columns[j] += shift;
      for (const row of residuals) row[j] -= shift;
    }
    overall += centerEffects(columns);
    if (change < CHANGE_MIN) break;
  }
  return { overall, rows, columns, residuals };
}

/** Moves the median of the effects into the overall value. */
function centerEffects(effects: number[]): number {
  const shift = computeMedianOfKnown(effects);
  for (let i = 0; i < effects.length; i += 1) effects[i] -= shift;
  return shift;
}

function computeMedianOfKnown(values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.length === 0 ? 0 : computeMedian(known);
}

export interface PlacedValue {
  /** `A1` … `P24`. */
  well: string;
  /** The name that the replicates of one sample share. */
  group: string;
  /** The value, above zero. */
  value: number;
}

/** Minimum number of wells in a row or column for an effect. */
const LINE_WELLS_MIN = 3;
const LINES_MIN = 3;

interface Located {
  row: number;
  column: number;
  group: string;
  /** log2 of the value over the median of its group. */
  deviation: number;
}

export interface EffectModel {
  effects: PlateEffects;
  /** Factor of a well's position on its signal; 1 where it is unknown. */
  getFactor: (well: string) => number;
  /** Whether the effects of the row and of the column of a well are known. */
  isKnown: (well: string) => { row: boolean; column: boolean };
}

export function computePlateEffects(values: readonly PlacedValue[]): EffectModel {
  const located = locate(values);
  const rows = Math.max(-1, ...located.map(({ row }) => row)) + 1;
  const columns = Math.max(-1, ...located.map(({ column }) => column)) + 1;
  const table = Array.from({ length: rows }, () => Array.from({ length: columns }, () => Number.NaN));
  for (const { row, column, deviation } of located) table[row][column] = deviation;
  const polished = polishByMedian(table);
  const byRow = selectKnownEffects(
    polished.rows,
    findKnownLines(located, ({ row }) => row),
  );
  const byColumn = selectKnownEffects(
    polished.columns,
    findKnownLines(located, ({ column }) => column),
  );
  return {
    effects: {
      rowsPct: nameEffects(byRow, (line) => String.fromCharCode(65 + line)),
      columnsPct: nameEffects(byColumn, (line) => String(line + 1)),
      edgePct: computeEdgeEffect(located),
    },
    getFactor: (well) => {
      const place = locateWell(well);
      if (place === null) return 1;
      return 2 ** ((byRow?.get(place.row) ?? 0) + (byColumn?.get(place.column) ?? 0));
    },
    isKnown: (well) => {
      const place = locateWell(well);
      return {
        row: place !== null && byRow?.has(place.row) === true,
        column: place !== null && byColumn?.has(place.column) === true,
      };
    },
  };
}

/** Largest size of an effect in %. */
export function computeLargestPct(effects: Readonly<Record<string, number>> | null): number {
  return effects === null ? 0 : Math.max(0, ...Object.values(effects).map(Math.abs));
}

/** Returns the effects of known rows or columns; null when there are too few of them. */
function selectKnownEffects(effects: readonly number[], lines: ReadonlySet<number>) {
  const known = new Map([...effects.entries()].filter(([line]) => lines.has(line)));
  return known.size < LINES_MIN ? null : known;
}

/**
 * Wells with replicates in other lines must be at least this fraction of a line, or the other wells hide its effect.
 */
const TELLING_PART_MIN = 0.5;

/**
 * Returns the lines (rows or columns) whose effect the wells determine. Replicates of one sample compare their lines,
 * and only lines that such comparisons connect with most of the plate have a common scale. Replicates that all share
 * a line do not determine its effect.
 */
function findKnownLines(located: readonly Located[], getLine: (at: Located) => number): Set<number> {
  const groups = [...Map.groupBy(located, ({ group }) => group).values()].filter(
    (members) => new Set(members.map(getLine)).size > 1,
  );
  const telling = groups.flat();
  let joined: Set<number>[] = [];
  for (const members of groups) {
    const lines = new Set(members.map(getLine));
    const apart = joined.filter((each) => ![...lines].some((line) => each.has(line)));
    const touched = joined.filter((each) => !apart.includes(each));
    joined = [...apart, new Set([...lines, ...touched.flatMap((each) => [...each])])];
  }
  const countWells = (wells: readonly Located[], line: number): number =>
    wells.filter((each) => getLine(each) === line).length;
  const [largest] = joined.sort((x, y) => y.size - x.size);
  const isTold = (line: number): boolean => {
    const own = countWells(telling, line);
    return own >= LINE_WELLS_MIN && own >= TELLING_PART_MIN * countWells(located, line);
  };
  return new Set([...(largest ?? [])].filter(isTold));
}

function nameEffects(
  effects: ReadonlyMap<number, number> | null,
  formatName: (line: number) => string,
): Record<string, number> | null {
  if (effects === null) return null;
  return Object.fromEntries([...effects].map(([line, effect]) => [formatName(line), toPercent(effect)]));
}

function toPercent(log2: number): number {
  return 100 * (2 ** log2 - 1);
}

function locate(values: readonly PlacedValue[]): Located[] {
  const groups = Map.groupBy(values, ({ group }) => group);
  const located: Located[] = [];
  for (const members of groups.values()) {
    if (members.length < 2) continue;
    const center = computeMedian(members.map(({ value }) => Math.log2(value)));
    for (const { well, group, value } of members) {
      const place = locateWell(well);
      if (place !== null) located.push({ ...place, group, deviation: Math.log2(value) - center });
    }
  }
  return located;
}

/** Returns the edge effect; the edge is that of the plate format, not of the wells in use. */
function computeEdgeEffect(located: readonly Located[]): number | null {
  const isLarge = located.some(({ row, column }) => row > 7 || column > 11);
  const [lastRow, lastColumn] = isLarge ? [15, 23] : [7, 11];
  const isRim = ({ row, column }: Located): boolean =>
    row === 0 || column === 0 || row === lastRow || column === lastColumn;
  const rim = located.filter(isRim).map(({ deviation }) => deviation);
  const inner = located.filter((each) => !isRim(each)).map(({ deviation }) => deviation);
  if (rim.length < LINE_WELLS_MIN || inner.length < LINE_WELLS_MIN) return null;
  return toPercent(computeMedian(rim) - computeMedian(inner));
}

/**
 * What the place of a well does to its light, as a smooth surface of second order over the plate: edges that dry out,
 * light that falls off to one side. Replicates of one sample in different places show it, in fewer wells than the effect
 * of each row and column needs.
 */

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
