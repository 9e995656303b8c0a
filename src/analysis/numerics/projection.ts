/**
 * Orthogonal projections of data columns: the part of a column that other columns do not explain (modified
 * Gram–Schmidt; Björck 1967). The linear part of variable projection uses it.
 */
import { computeDot, computeDots, subtractScaled } from './matrix.ts';

/** A column whose independent part is below this fraction of its length is spanned by those before it. */
const OWN_MIN = 1e-9;
/**
 * A column that keeps less than this fraction of its length is projected again: "twice is enough" (Kahan; Parlett
 * 1980).
 */
const KEPT_ONCE_MIN = 0.5;

/** Removes the span of orthonormal columns from `values[offset …]`, in place. */
export function projectOut(basis: readonly Float64Array[], values: Float64Array, offset = 0): void {
  for (const direction of basis) {
    let along = 0;
    for (let i = 0; i < direction.length; i += 1) along += direction[i] * values[offset + i];
    for (let i = 0; i < direction.length; i += 1) values[offset + i] -= along * direction[i];
  }
}

/** Like `projectOut` of each column of the length of the basis, several at a time. */
export function projectOutAll(basis: readonly Float64Array[], columns: readonly Float64Array[]): void {
  for (const direction of basis) {
    const along = computeDots(direction, columns);
    for (const [k, column] of columns.entries()) subtractScaled(column, direction, along[k]);
  }
}

/**
 * Adds the new direction of a column to an orthonormal basis, at unit length. Returns false and adds nothing where
 * the basis spans the column to `ownMin` of its length. The column itself is not changed.
 */
export function appendDirection(basis: Float64Array[], column: Float64Array, ownMin = OWN_MIN): boolean {
  const direction = column.slice();
  const before = Math.sqrt(computeDot(column, column));
  projectOut(basis, direction);
  let length = Math.sqrt(computeDot(direction, direction));
  if (length < KEPT_ONCE_MIN * before) {
    projectOut(basis, direction);
    length = Math.sqrt(computeDot(direction, direction));
  }
  if (!(length > ownMin * before)) return false;
  for (let i = 0; i < direction.length; i += 1) direction[i] /= length;
  basis.push(direction);
  return true;
}

/**
 * Fits `residual` by least squares over `columns`, both without the span of `fixed`. The columns become orthonormal,
 * and their fit is subtracted from the residual, in place. Returns the coefficients of the original columns; a column
 * that the others span gets zero.
 */
export function fitColumns(
  columns: readonly Float64Array[],
  fixed: readonly Float64Array[],
  residual: Float64Array,
): number[] {
  const upper: number[][] = [];
  const along: number[] = [];
  for (const [j, column] of columns.entries()) {
    const before = Math.sqrt(computeDot(column, column));
    projectOut(fixed, column);
    const row: number[] = [];
    for (let m = 0; m < j; m += 1) {
      const overlap = computeDot(columns[m], column);
      row.push(overlap);
      subtractScaled(column, columns[m], overlap);
    }
    const norm = Math.sqrt(computeDot(column, column));
    const isUsable = norm > OWN_MIN * before;
    for (let i = 0; i < column.length; i += 1) column[i] = isUsable ? column[i] / norm : 0;
    row.push(isUsable ? norm : 0);
    upper.push(row);
    along.push(computeDot(column, residual));
    subtractScaled(residual, column, along[j]);
  }
  const beta = columns.map(() => 0);
  for (let j = columns.length - 1; j >= 0; j -= 1) {
    let rest = along[j];
    for (let m = j + 1; m < columns.length; m += 1) rest -= upper[m][j] * beta[m];
    beta[j] = upper[j][j] === 0 ? 0 : rest / upper[j][j];
  }
  return beta;
}
