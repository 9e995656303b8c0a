/** Symmetric positive matrices of a handful of rows, as arrays of rows. */

export type Matrix = number[][];

/** Lower Cholesky factor, or null where the matrix is not positive definite. */
function factor(a: Matrix): Matrix | null {
  const n = a.length;
  const l: Matrix = a.map(() => Array.from({ length: n }, () => 0));
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let sum = a[i][j];
      for (let k = 0; k < j; k += 1) sum -= l[i][k] * l[j][k];
      if (i !== j) l[i][j] = sum / l[j][j];
      else if (sum > 1e-14 * a[i][i]) l[i][i] = Math.sqrt(sum);
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

/** a⁻¹·b, or null where `a` is not positive definite. */
export function solve(a: Matrix, b: readonly number[]): number[] | null {
  const l = factor(a);
  return l === null ? null : substitute(l, b);
}

/** a⁻¹, or null where `a` is not positive definite. */
export function invert(a: Matrix): Matrix | null {
  const l = factor(a);
  if (l === null) return null;
  return a.map((_, column) =>
    substitute(
      l,
      a.map((__, row) => (row === column ? 1 : 0)),
    ),
  );
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
}

/** target −= factor · direction */
export function subtract(target: Float64Array, direction: ArrayLike<number>, times: number): void {
  for (let i = 0; i < target.length; i += 1) target[i] -= times * direction[i];
}
