import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUniforms, createNormals } from '#testing/analysis/synthetic.ts';
import {
  computeDot,
  computeDots,
  invertPositive,
  multiplyMatrices,
  solvePositive,
  appendDirection,
  fitColumns,
  projectOut,
} from './matrix.ts';

test('solver: the Hilbert matrix of 4 rows → its published inverse', () => {
  // Golub & Van Loan §3.5: integers, condition 1.6e4.
  const hilbert = Array.from({ length: 4 }, (_, i) => Array.from({ length: 4 }, (__, j) => 1 / (i + j + 1)));
  const inverse = [
    [16, -120, 240, -140],
    [-120, 1200, -2700, 1680],
    [240, -2700, 6480, -4200],
    [-140, 1680, -4200, 2800],
  ];
  const found = invertPositive(hilbert) ?? assert.fail('it is positive');
  for (const [i, row] of inverse.entries())
    for (const [j, value] of row.entries()) assert.ok(Math.abs(found[i][j] / value - 1) < 1e-11);
});

test('solver: normal matrices of random columns in any units → the solution they were made from', () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const uniform = createUniforms(seed);
    const size = 1 + (seed % 6);
    const columns = Array.from({ length: size }, (_, k) =>
      Array.from({ length: 20 }, () => 10 ** (3 * k - 6) * (uniform() - 0.5)),
    );
    const normal = columns.map((a) => columns.map((b) => computeDot(a, b)));
    const truth = columns.map((_, k) => (uniform() - 0.5) / 10 ** (3 * k - 6));
    const right = multiplyMatrices(
      normal,
      truth.map((value) => [value]),
    ).map(([value]) => value);
    const found = solvePositive(normal, right) ?? assert.fail(`seed ${seed}`);
    for (const [k, value] of found.entries())
      assert.ok(Math.abs(value / truth[k] - 1) < 1e-9, `seed ${seed}`);
  }
});

test('solver: dependent columns, or none → null', () => {
  assert.equal(
    solvePositive(
      [
        [1, 2],
        [2, 4],
      ],
      [1, 2],
    ),
    null,
  );
  assert.equal(invertPositive([[0]]), null);
  assert.equal(invertPositive([[Number.NaN]]), null);
});

test('computeDots: any number of columns → the dot product with each, in their order', () => {
  const column = Float64Array.of(1, 2, 3);
  for (let count = 0; count <= 9; count += 1) {
    const others = Array.from({ length: count }, (_, k) => Float64Array.of(k, k + 0.5, -k));
    assert.deepEqual(
      computeDots(column, others),
      others.map((other) => computeDot(column, other)),
    );
  }
});

function createRandomColumns(seed: number, count: number): Float64Array[] {
  const normal = createNormals(seed);
  return Array.from({ length: count }, () => Float64Array.from({ length: 40 }, normal));
}

test('projection: a basis of any columns → orthonormal, and removes all that they span', () => {
  const basis: Float64Array[] = [];
  const columns = createRandomColumns(1, 5);
  for (const column of columns) assert.ok(appendDirection(basis, column));
  for (const [i, a] of basis.entries())
    for (const [j, b] of basis.entries()) assert.ok(Math.abs(computeDot(a, b) - (i === j ? 1 : 0)) < 1e-14);
  const mixed = columns[0].map((value, i) => 3 * value - 2 * columns[4][i]);
  assert.equal(appendDirection(basis, mixed), false);
  projectOut(basis, mixed);
  assert.ok(Math.sqrt(computeDot(mixed, mixed)) < 1e-12);
});

test('projection: a basis with an offset → changes only its own points', () => {
  const values = new Float64Array([5, 1, 1, 5]);
  projectOut([new Float64Array([Math.SQRT1_2, Math.SQRT1_2])], values, 1);
  assert.deepEqual(
    [...values].map((value) => Math.round(1e12 * value) / 1e12 + 0),
    [5, 0, 0, 5],
  );
});

test('projection: data of known coefficients → those coefficients, and zero for a dependent column', () => {
  const [a, b, c] = createRandomColumns(2, 3);
  const data = a.map((value, i) => 2 * value - 3 * b[i] + 0.5 * c[i]);
  const fixed: Float64Array[] = [];
  appendDirection(fixed, c);
  projectOut(fixed, data);
  const found = fitColumns([a.slice(), b.slice(), a.slice()], fixed, data);
  assert.ok(Math.abs(found[0] - 2) < 1e-12 && Math.abs(found[1] + 3) < 1e-12);
  assert.equal(found[2], 0);
  assert.ok(computeDot(data, data) < 1e-24);
});
