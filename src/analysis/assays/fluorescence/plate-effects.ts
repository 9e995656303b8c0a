/**
 * Row, column and edge effects of a plate. Every well is compared with the median of its own replicates, so that what a sample is
 * does not look like where it sits; a sample whose replicates all share a row hides that row's effect rather than inventing one.
 */
import { locateWell } from '#core/wells.ts';
import { computeMedian } from '../../numerics/robust.ts';
import { medianPolish } from './median-polish.ts';
import type { PlateEffects } from './types.ts';

export interface PlacedValue {
  /** `A1` … `P24`. */
  well: string;
  /** What the replicates of one sample share. */
  group: string;
  /** Above zero. */
  value: number;
}

/** Wells of a row, or of a column, that an effect needs. */
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
  /** Factor by which the place of a well multiplies what it shows; 1 where nothing is known. */
  factorOf: (well: string) => number;
  /** Whether the effect of the row, and of the column, that a well sits in is known. */
  isKnown: (well: string) => { row: boolean; column: boolean };
}

export function plateEffects(values: readonly PlacedValue[]): EffectModel {
  const located = locate(values);
  const rows = Math.max(-1, ...located.map(({ row }) => row)) + 1;
  const columns = Math.max(-1, ...located.map(({ column }) => column)) + 1;
  const table = Array.from({ length: rows }, () => Array.from({ length: columns }, () => Number.NaN));
  for (const { row, column, deviation } of located) table[row][column] = deviation;
  const polished = medianPolish(table);
  const byRow = knownEffects(
    polished.rows,
    knownLines(located, ({ row }) => row),
  );
  const byColumn = knownEffects(
    polished.columns,
    knownLines(located, ({ column }) => column),
  );
  return {
    effects: {
      rowsPct: named(byRow, (line) => String.fromCharCode(65 + line)),
      columnsPct: named(byColumn, (line) => String(line + 1)),
      edgePct: edgeEffect(located),
    },
    factorOf: (well) => {
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
export function largestPct(effects: Readonly<Record<string, number>> | null): number {
  return effects === null ? 0 : Math.max(0, ...Object.values(effects).map(Math.abs));
}

/** Effects of known lines, by line; null when there are too few of them. */
function knownEffects(effects: readonly number[], lines: ReadonlySet<number>) {
  const known = new Map([...effects.entries()].filter(([line]) => lines.has(line)));
  return known.size < LINES_MIN ? null : known;
}

/** Wells whose replicates sit elsewhere have to be at least this part of a line, or the others hide its effect. */
const TELLING_PART_MIN = 0.5;

/**
 * Lines whose effect the wells tell: replicates of one sample compare the lines they sit in, and only lines that such comparisons
 * join with most of the plate are on one scale. Replicates that all share a line tell nothing of it.
 */
function knownLines(located: readonly Located[], lineOf: (at: Located) => number): Set<number> {
  const groups = [...Map.groupBy(located, ({ group }) => group).values()].filter(
    (members) => new Set(members.map(lineOf)).size > 1,
  );
  const telling = groups.flat();
  let joined: Set<number>[] = [];
  for (const members of groups) {
    const lines = new Set(members.map(lineOf));
    const apart = joined.filter((each) => ![...lines].some((line) => each.has(line)));
    const touched = joined.filter((each) => !apart.includes(each));
    joined = [...apart, new Set([...lines, ...touched.flatMap((each) => [...each])])];
  }
  const wellsIn = (wells: readonly Located[], line: number): number =>
    wells.filter((each) => lineOf(each) === line).length;
  const [largest] = joined.sort((x, y) => y.size - x.size);
  const isTold = (line: number): boolean => {
    const own = wellsIn(telling, line);
    return own >= LINE_WELLS_MIN && own >= TELLING_PART_MIN * wellsIn(located, line);
  };
  return new Set([...(largest ?? [])].filter(isTold));
}

function named(
  effects: ReadonlyMap<number, number> | null,
  nameOf: (line: number) => string,
): Record<string, number> | null {
  if (effects === null) return null;
  return Object.fromEntries([...effects].map(([line, effect]) => [nameOf(line), percent(effect)]));
}

function percent(log2: number): number {
  return 100 * (2 ** log2 - 1);
}

function locate(values: readonly PlacedValue[]): Located[] {
  const groups = Map.groupBy(values, ({ group }) => group);
  const located: Located[] = [];
  for (const members of groups.values()) {
    if (members.length < 2) continue;
    const centre = computeMedian(members.map(({ value }) => Math.log2(value)));
    for (const { well, group, value } of members) {
      const place = locateWell(well);
      if (place !== null) located.push({ ...place, group, deviation: Math.log2(value) - centre });
    }
  }
  return located;
}

/** The rim is that of the plate format, not of the wells in use. */
function edgeEffect(located: readonly Located[]): number | null {
  const isLarge = located.some(({ row, column }) => row > 7 || column > 11);
  const [lastRow, lastColumn] = isLarge ? [15, 23] : [7, 11];
  const isRim = ({ row, column }: Located): boolean =>
    row === 0 || column === 0 || row === lastRow || column === lastColumn;
  const rim = located.filter(isRim).map(({ deviation }) => deviation);
  const inner = located.filter((each) => !isRim(each)).map(({ deviation }) => deviation);
  if (rim.length < LINE_WELLS_MIN || inner.length < LINE_WELLS_MIN) return null;
  return percent(computeMedian(rim) - computeMedian(inner));
}
