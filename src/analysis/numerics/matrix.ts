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

/** Returns a⁻¹ of a symmetric n × n matrix, or null where it is not positive definite. */
export function invertPositive(a: Matrix): Matrix | null {
  const l = factorize(a);
  if (l === null) return null;
  return a.map((_, column) =>
    substitute(
      l,
      a.map((__, row) => (row === column ? 1 : 0)),
    ),
  );
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
