/** Statistics against sums by hand, sorting, and the tables of textbooks. */
import assert from 'node:assert/strict';
import { test, describe } from 'node:test';
import {
  computeRSquared,
  sumVariances,
  computeMedian,
  computeQuantile,
  computeMixtureQuantile,
  CHI_SQUARE_95,
  computeNormalProbability,
  computeNormalQuantile,
  computeStudentQuantile,
  computeT95,
  NORMAL_95,
} from './statistics.ts';
import { createUniforms } from '#testing/analysis/synthetic.ts';

const assertNear = (found: number, expected: number): void =>
  assert.ok(Math.abs(found - expected) < 1e-12, `${found}, not ${expected}`);

test('computeRSquared: several series → one mean for all', () => {
  // Mean 3; squared deviations 4 + 1 + 0 + 1 + 4.
  assertNear(computeRSquared(2.5, [[1, 2, 3], Float64Array.of(4, 5)]), 0.75);
});

test('computeRSquared: values with errors → weighted by the inverse of their variance', () => {
  // Weights 1, 1 and 1/4.
  const mean = (0 + 2 + 8 / 4) / 2.25;
  const total = mean ** 2 + (2 - mean) ** 2 + (8 - mean) ** 2 / 4;
  assertNear(computeRSquared(1, [[0, 2, 8]], [[1, 1, 2]]), 1 - 1 / total);
});

test('computeRSquared: equal values → 0', () => {
  assert.equal(computeRSquared(0, [[2, 2, 2]]), 0);
});

test('sumVariances: two parts → Welch–Satterthwaite degrees of freedom', () => {
  const { variance, freedom } = sumVariances([
    { variance: 2, freedom: 4 },
    { variance: 1, freedom: 8 },
  ]);
  assertNear(variance, 3);
  assertNear(freedom, 9 / (4 / 4 + 1 / 8));
});

test('median: any number and order of values → the result of sorting', () => {
  const uniform = createUniforms(1);
  const orders: Record<string, (i: number, n: number) => number> = {
    random: () => uniform(),
    few: () => Math.floor(4 * uniform()),
    equal: () => 3,
    ascending: (i) => i,
    descending: (i) => -i,
    organ: (i, n) => Math.min(i, n - i),
    saw: (i) => i % 7,
    huge: (i) => (i % 2 === 0 ? -1e300 : 1e300 * uniform()),
  };
  for (const [name, value] of Object.entries(orders)) {
    for (const n of [1, 2, 3, 16, 17, 18, 33, 100, 101, 1_000, 4_097]) {
      const values = Float64Array.from({ length: n }, (_, i) => value(i, n));
      const before = values.slice();
      const sorted = values.toSorted();
      const expected = n % 2 === 1 ? sorted[n >> 1] : (sorted[(n >> 1) - 1] + sorted[n >> 1]) / 2;
      assert.equal(computeMedian(values), expected, `${name}, ${n}`);
      assert.deepEqual(values, before);
    }
  }
  assert.ok(Number.isNaN(computeMedian([])));
});

test('quantile: type 7 of Hyndman and Fan → the values of R and NumPy, and a half is the median', () => {
  const values = [15, 20, 35, 40, 50];
  const shares = [0, 0.05, 0.3, 0.4, 0.5, 1];
  for (const [k, expected] of [15, 16, 23, 29, 35, 50].entries())
    assert.ok(Math.abs(computeQuantile(values, shares[k]) - expected) < 1e-12, String(shares[k]));
  const uniform = createUniforms(2);
  for (const n of [1, 2, 7, 40]) {
    const drawn = Float64Array.from({ length: n }, uniform);
    assert.ok(Math.abs(computeQuantile(drawn, 0.5) - computeMedian(drawn)) < 1e-15);
  }
  assert.ok(Number.isNaN(computeQuantile([], 0.5)));
});

/** Quantiles of mixtures against the normal distribution and its symmetry. */

const createEven = (sd: number) => ({ low: sd, high: sd });

describe('quantiles of a mixture', () => {
  test('mixture: one normal component → its own quantiles', () => {
    const components = [{ weight: 3, middle: 2, sd: createEven(0.5) }];
    assert.ok(Math.abs(computeMixtureQuantile(components, 0.975) - (2 + 0.5 * NORMAL_95)) < 1e-4);
    assert.ok(Math.abs(computeMixtureQuantile(components, 0.025) - (2 - 0.5 * NORMAL_95)) < 1e-4);
  });

  test('mixture: two sides of different width → each end by its own side', () => {
    const components = [{ weight: 1, middle: 0, sd: { low: 1, high: 3 } }];
    assert.ok(Math.abs(computeMixtureQuantile(components, 0.025) + NORMAL_95) < 1e-4);
    assert.ok(Math.abs(computeMixtureQuantile(components, 0.975) - 3 * NORMAL_95) < 1e-4);
  });

  test('mixture: two narrow components far apart → the quantile lies in the one that its share reaches', () => {
    const components = [
      { weight: 0.9, middle: 0, sd: createEven(0.01) },
      { weight: 0.1, middle: 5, sd: createEven(0.01) },
    ];
    assert.ok(Math.abs(computeMixtureQuantile(components, 0.45)) < 1e-3);
    assert.ok(Math.abs(computeMixtureQuantile(components, 0.95) - 5) < 1e-3);
  });

  test('mixture: no component → not a number', () => {
    assert.ok(Number.isNaN(computeMixtureQuantile([], 0.5)));
  });
});

function assertRounded(found: number, expected: number, digits: number, what: string): void {
  assert.ok(Math.abs(found - expected) <= 0.5000001 * 10 ** -digits, `${what}: ${found}, not ${expected}`);
}

/** Abramowitz & Stegun 1964, table 26.5: values of x for Q(x). */
const NORMAL: readonly [probability: number, x: number][] = [
  [0.5, 0],
  [0.75, 0.67449],
  [0.9, 1.28155],
  [0.95, 1.64485],
  [0.975, 1.95996],
  [0.99, 2.32635],
  [0.995, 2.57583],
  [0.999, 3.09023],
];

test('normal quantiles: probabilities of the published table → its values', () => {
  for (const [probability, x] of NORMAL) {
    assertRounded(computeNormalQuantile(probability), x, 5, `${probability}`);
    assertRounded(computeNormalQuantile(1 - probability), -x, 5, `${1 - probability}`);
  }
});

/** Abramowitz & Stegun 1964, table 26.1: P(x) to 15 decimals. */
const PROBABILITIES: readonly [x: number, probability: number][] = [
  [0, 0.5],
  [0.5, 0.691462461274013],
  [1, 0.841344746068543],
  [1.5, 0.933192798731142],
  [2, 0.977249868051821],
  [3, 0.99865010196837],
];

test('normal probabilities: places of the published table, between nodes and beyond → its values, symmetric, rising', () => {
  for (const [x, probability] of PROBABILITIES) {
    assertRounded(computeNormalProbability(x), probability, 14, `${x}`);
    assertRounded(computeNormalProbability(-x), 1 - probability, 14, `${-x}`);
  }
  for (let x = -9.5; x < 9.5; x += 0.0107) {
    assert.ok(computeNormalProbability(x + 0.0107) > computeNormalProbability(x) - 1e-15, `${x}`);
    const density = Math.exp(-((x + 5e-4) ** 2) / 2) / Math.sqrt(2 * Math.PI);
    const rise = (computeNormalProbability(x + 1e-3) - computeNormalProbability(x)) / 1e-3;
    assert.ok(Math.abs(rise - density) < 1e-7, `${x}: ${rise}, not ${density}`);
  }
  assert.deepEqual(
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map(computeNormalProbability),
    [1, 0],
  );
});

/** Abramowitz & Stegun 1964, table 26.10, and NIST/SEMATECH e-Handbook 1.3.6.7.2: two-sided 90, 95, 98 and 99 %. */
const STUDENT: readonly [freedom: number, ...values: number[]][] = [
  [1, 6.314, 12.706, 31.821, 63.657],
  [2, 2.92, 4.303, 6.965, 9.925],
  [3, 2.353, 3.182, 4.541, 5.841],
  [4, 2.132, 2.776, 3.747, 4.604],
  [5, 2.015, 2.571, 3.365, 4.032],
  [6, 1.943, 2.447, 3.143, 3.707],
  [7, 1.895, 2.365, 2.998, 3.499],
  [8, 1.86, 2.306, 2.896, 3.355],
  [9, 1.833, 2.262, 2.821, 3.25],
  [10, 1.812, 2.228, 2.764, 3.169],
  [15, 1.753, 2.131, 2.602, 2.947],
  [20, 1.725, 2.086, 2.528, 2.845],
  [30, 1.697, 2.042, 2.457, 2.75],
  [40, 1.684, 2.021, 2.423, 2.704],
  [60, 1.671, 2, 2.39, 2.66],
  [100, 1.66, 1.984, 2.364, 2.626],
  [Number.POSITIVE_INFINITY, 1.645, 1.96, 2.326, 2.576],
];

test('Student’s t: one to infinitely many degrees of freedom → the published tables', () => {
  for (const [freedom, ...values] of STUDENT) {
    for (const [index, probability] of [0.95, 0.975, 0.99, 0.995].entries())
      assertRounded(
        computeStudentQuantile(probability, freedom),
        values[index],
        3,
        `${freedom}, ${probability}`,
      );
  }
});

test('Student’s t: two degrees of freedom, any probability → the closed form', () => {
  for (const p of [0.6, 0.9, 0.975, 0.9999]) {
    const exact = (2 * p - 1) / Math.sqrt(2 * p * (1 - p));
    assert.ok(Math.abs(computeStudentQuantile(p, 2) / exact - 1) < 1e-12);
  }
});

test('Student’s t: fractional degrees of freedom → falls without a step', () => {
  let last = Number.POSITIVE_INFINITY;
  for (let freedom = 1; freedom < 400; freedom *= 1.01) {
    const found = computeT95(freedom);
    assert.ok(found < last && found > NORMAL_95, `${freedom}: ${found} after ${last}`);
    last = found;
  }
});

/** Fisher & Yates 1963, table V: 5 % points of the variance ratio with one degree of freedom above. */
const F_95: readonly [freedom: number, value: number][] = [
  [1, 161.4],
  [2, 18.51],
  [3, 10.13],
  [5, 6.61],
  [10, 4.96],
  [30, 4.17],
  [120, 3.92],
];

test('F quantile: one numerator degree of freedom → the square of t, as published', () => {
  for (const [freedom, value] of F_95)
    assertRounded(computeT95(freedom) ** 2, value, freedom === 1 ? 1 : 2, `${freedom}`);
});

test('χ² quantile: one degree of freedom → 3.841, as published', () => {
  assertRounded(CHI_SQUARE_95, 3.84146, 5, 'χ²');
});

test('quantiles: arguments outside their domain → NaN', () => {
  const none = [
    computeNormalQuantile(0),
    computeNormalQuantile(1),
    computeStudentQuantile(0.975, 0.5),
    computeStudentQuantile(0.4, 3),
    computeT95(Number.NaN),
  ];
  assert.ok(none.every(Number.isNaN));
});
