import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNormals } from '#testing/analysis/synthetic.ts';
import { polishByMedian } from './plate-effects.ts';
import { locateWell } from '#core/wells.ts';
import { computePlateEffects } from './plate-effects.ts';
import { computeZPrime, computeRobustZPrime } from './levels.ts';

test('median polish: Tukey’s published example → the values of R and Hoaglin', () => {
  // Deaths from sport parachuting, ABC of EDA, p. 224: rows are years, columns are jumps made.
  const deaths = [
    [14, 15, 14],
    [7, 4, 7],
    [8, 2, 10],
    [15, 9, 10],
    [0, 2, 0],
  ];
  const { overall, rows, columns, residuals } = polishByMedian(deaths);
  assert.equal(overall, 8);
  assert.deepEqual(rows, [6, -1, 0, 2, -8]);
  assert.deepEqual(columns, [0, -1, 0]);
  assert.deepEqual(residuals[3], [5, 0, 0]);
  assert.deepEqual(residuals[2], [0, -5, 2]);
});

test('median polish: a missing value → all other results stay', () => {
  const table = [0, 1, 2].map((row) => [0, 1, 2, 3].map((column) => 10 + row + 2 * column));
  table[1][2] = Number.NaN;
  const { overall, rows, columns, residuals } = polishByMedian(table);
  assert.deepEqual(rows, [-1, 0, 1]);
  assert.deepEqual(columns, [-3, -1, 1, 3]);
  assert.equal(overall, 14);
  assert.ok(residuals.flat().every((value) => Number.isNaN(value) || Math.abs(value) < 1e-12));
});

test('Z′: plain and robust → the values of NumPy', () => {
  const positives = [100, 110, 95, 105, 98];
  const negatives = [10, 12, 9, 11, 8];
  assert.ok(Math.abs((computeZPrime(positives, negatives) ?? 0) - 0.7536293) < 1e-6);
  assert.ok(Math.abs((computeRobustZPrime(positives, negatives) ?? 0) - 0.70348) < 1e-6);
});

test('Z′: fewer than two wells of a control, or equal controls → none', () => {
  assert.equal(computeZPrime([1], [1, 2]), null);
  assert.equal(computeRobustZPrime([1, 2], [1, 2, 3]), null);
  assert.equal(computeZPrime([1, 2], [2, 1]), null);
  assert.equal(computeZPrime([1, 2], [11, 12]), null);
});

test('Z′: one bad control well → the plain value drops, the robust one stays', () => {
  const positives = [100, 101, 99, 100, 102, 20];
  const negatives = [5, 6, 5, 4, 5, 6];
  assert.ok((computeZPrime(positives, negatives) ?? 1) < 0);
  assert.ok((computeRobustZPrime(positives, negatives) ?? 0) > 0.85);
});

test('plate effects: a row 20 % brighter → found, and samples are not mistaken for it', () => {
  const noise = createNormals(5);
  const values = Array.from({ length: 96 }, (_, index) => {
    const row = index % 8;
    const column = Math.floor(index / 8);
    // Replicates of one sample are in three rows and three columns; samples differ tenfold.
    const sample = (column % 4) * 8 + ((row + Math.floor(column / 4) * 3) % 8);
    const value = 1_000 * 10 ** (sample / 32) * (row === 2 ? 1.2 : 1) * (1 + 0.02 * noise());
    return { well: `${String.fromCharCode(65 + row)}${column + 1}`, group: String(sample), value };
  });
  const { effects, getFactor } = computePlateEffects(values);
  assert.ok(Math.abs((effects.rowsPct?.C ?? 0) - 20) < 5, JSON.stringify(effects.rowsPct));
  for (const [row, pct] of Object.entries(effects.rowsPct ?? {}))
    if (row !== 'C') assert.ok(Math.abs(pct) < 5, `${row} ${pct}`);
  assert.ok(Math.abs(getFactor('C5') - 1.2) < 0.06);
  assert.ok(Math.abs(effects.edgePct ?? 0) < 5);
});

test('wells: A01 to P24 → places of a plate; capillary names → none', () => {
  assert.deepEqual(locateWell('A01'), { row: 0, column: 0 });
  assert.deepEqual(locateWell('p24'), { row: 15, column: 23 });
  for (const name of ['', 'A0', 'A25', 'Q1', 'capillary 1']) assert.equal(locateWell(name), null);
});
