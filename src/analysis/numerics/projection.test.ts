import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNormals } from '#testing/analysis/synthetic.ts';
import { computeDot } from './matrix.ts';
import { appendDirection, fitColumns, projectOut } from './projection.ts';

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
