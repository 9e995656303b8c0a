/**
 * Linear algebra for a few unknowns. There is one solver: every system here is a normal matrix, symmetric and
 * positive, and is solved by its Cholesky factor (Golub & Van Loan, Matrix Computations, §4.2). The pivots are
 * compared with the diagonal, so the unit of an unknown does not matter.
 */

/** Rows of equal length. */
export type Matrix = number[][];

/** A pivot below this fraction of its diagonal is rounding error: the columns before it span that column. */
const PIVOT_MIN = 1e-14;

/**
 * Returns the lower Cholesky factor (above the diagonal the old values remain), or null where the matrix is not
 * positive definite.
 */
function factorize(a: Matrix): Matrix | null {
  const n = a.length;
  const l: Matrix = [];
  for (const row of a) l.push([...row]);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let sum = a[i][j];
      for (let k = 0; k < j; k += 1) sum -= l[i][k] * l[j][k];
      if (i !== j) l[i][j] = sum / l[j][j];
      else if (sum > PIVOT_MIN * a[i][i]) l[i][i] = Math.sqrt(sum);
      else return null;
    }
  }
  return l;
}

function substitute(l: Matrix, b: readonly number[]): number[] {
  const n = l.length;
  const x = [...b];
  for (let i = 0; i < n; i += 1) {
    for (let k = 0; k < i; k += 1) x[i] -= l[i][k] * x[k];
    x[i] /= l[i][i];
  }
  for (let i = n - 1; i >= 0; i -= 1) {
    for (let k = i + 1; k < n; k += 1) x[i] -= l[k][i] * x[k];
    x[i] /= l[i][i];
  }
  return x;
}

/** Returns a⁻¹·b of a symmetric n × n matrix, or null where it is not positive definite. */
export function solvePositive(a: Matrix, b: readonly number[]): number[] | null {
  const l = factorize(a);
  return l === null ? null : substitute(l, b);
}

/**
 * Returns a⁻¹ of a symmetric n × n matrix, or null where it is not positive definite; with `rows`, only so many of its
 * rows.
 */
export function invertPositive(a: Matrix, rows = a.length): Matrix | null {
  const l = factorize(a);
  if (l === null) return null;
  const n = a.length;
  // Of each column of the factor: the innermost loop then reads one row.
  const upper = l.map((_, i) => l.map((row) => row[i]));
  const inverse: Matrix = [];
  for (let column = 0; column < rows; column += 1) {
    const x: number[] = [];
    for (let i = 0; i < n; i += 1) {
      let value = i === column ? 1 : 0;
      // What precedes the one is zero.
      for (let k = column; k < i; k += 1) value -= l[i][k] * x[k];
      x.push(value / l[i][i]);
    }
    for (let i = n - 1; i >= 0; i -= 1) {
      let value = x[i];
      for (let k = i + 1; k < n; k += 1) value -= upper[i][k] * x[k];
      x[i] = value / l[i][i];
    }
    inverse.push(x);
  }
  return inverse;
}

/** Returns a·b of matrices with matching shapes. */
export function multiplyMatrices(a: Matrix, b: Matrix): Matrix {
  return a.map((row) => b[0].map((_, j) => row.reduce((sum, value, k) => sum + value * b[k][j], 0)));
}

/** Returns the dot product of two vectors; the length is that of the first. */
export function computeDot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a instanceof Float64Array && b instanceof Float64Array) return computeColumnDot(a, b);
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
}

/** Columns of data only: a loop that also meets other arrays is compiled several times slower. */
function computeColumnDot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
}

/**
 * Returns the dot products of a column with others of its length. Four are summed in one pass, because each addition
 * waits for the one before it: four sums take as long as one.
 */
export function computeDots(column: Float64Array, others: readonly Float64Array[]): number[] {
  const found: number[] = [];
  for (let k = 0; k < others.length; k += 4) {
    const last = others.length - 1;
    const a = others[k];
    const b = others[Math.min(k + 1, last)];
    const c = others[Math.min(k + 2, last)];
    const d = others[Math.min(k + 3, last)];
    let ofA = 0;
    let ofB = 0;
    let ofC = 0;
    let ofD = 0;
    for (let i = 0; i < column.length; i += 1) {
      const value = column[i];
      ofA += value * a[i];
      ofB += value * b[i];
      ofC += value * c[i];
      ofD += value * d[i];
    }
    found.push(ofA);
    if (k < last) found.push(ofB);
    if (k + 1 < last) found.push(ofC);
    if (k + 2 < last) found.push(ofD);
  }
  return found;
}

/** Returns the products of all pairs of columns, a symmetric matrix. */
export function multiplyColumns(columns: readonly Float64Array[]): Matrix {
  const products: Matrix = columns.map((column, i) => computeDots(column, columns.slice(0, i + 1)));
  for (const [i, row] of products.entries())
    for (let j = i + 1; j < products.length; j += 1) row.push(products[j][i]);
  return products;
}

/** Returns `of` each value. In a loop, because `map` of an array of numbers takes several times as long. */
export function mapColumn(column: Float64Array, of: (value: number) => number): Float64Array {
  const mapped = new Float64Array(column.length);
  for (let i = 0; i < column.length; i += 1) mapped[i] = of(column[i]);
  return mapped;
}

/** Returns factor · column. */
export function scaleColumn(column: Float64Array, factor: number): Float64Array {
  const scaled = new Float64Array(column.length);
  for (let i = 0; i < column.length; i += 1) scaled[i] = factor * column[i];
  return scaled;
}

/** Returns columns one after another; a single one is not copied. */
export function joinColumns(columns: readonly Float64Array[]): Float64Array {
  if (columns.length === 1) return columns[0];
  const joined = new Float64Array(columns.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const column of columns) {
    joined.set(column, at);
    at += column.length;
  }
  return joined;
}

/** Multiplies every value of a column by a factor, in place. */
export function scaleInPlace(column: Float64Array, factor: number): void {
  for (let i = 0; i < column.length; i += 1) column[i] *= factor;
}

/** Returns one column minus another of its length. */
export function subtractColumns(column: Float64Array, other: Float64Array): Float64Array {
  const difference = new Float64Array(column.length);
  for (let i = 0; i < column.length; i += 1) difference[i] = column[i] - other[i];
  return difference;
}

/** Subtracts times · direction from target, in place. */
export function subtractScaled(target: Float64Array, direction: Float64Array, times: number): void {
  for (let i = 0; i < target.length; i += 1) target[i] -= times * direction[i];
}

/**
 * Orthogonal projections of data columns: the part of a column that other columns do not explain (modified
 * Gram–Schmidt; Björck 1967). The linear part of variable projection uses it.
 */

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
