/** Median polish (Tukey 1977): a table as overall + row + column + residual, robust against single wells. */
import { computeMedian } from '#analysis/numerics/robust.ts';

export interface Polished {
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
