import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNormals } from '#testing/analysis/synthetic.ts';
import { fitFourParameter, invert, computeResponseAt } from './four-parameter.ts';
import type { FourParameterFit, StandardPoint } from './four-parameter.ts';

const NOISE = 0.0002;
const RELATIVE = 0.03;
const LEVELS = [0, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];
const TRUTH = { a: 0.001, b: 1.1, c: 150, d: 0.05 };
const computeSd = (response: number): number => Math.hypot(NOISE, RELATIVE * response);

/** Two wells per level; SciPy 1.17 (`curve_fit` with these weights, `xtol` 1e-14) gave the numbers of the first test. */
const RESPONSES = [
  0.0010314, 0.0009716, 0.0005798, 0.0009552, 0.0011711, 0.0011842, 0.0011172, 0.0013822, 0.0019082, 0.001934,
  0.0036328, 0.0032457, 0.005828, 0.0058306, 0.0121411, 0.0125022, 0.0193357, 0.0198616, 0.0274258, 0.0282245,
  0.0377834, 0.039116, 0.0430676, 0.044978,
];
const POINTS: StandardPoint[] = RESPONSES.map((response, index) => ({
  x: LEVELS[Math.floor(index / 2)],
  response,
  sd: computeSd(response),
}));

function fitPoints(points: readonly StandardPoint[]): FourParameterFit {
  const fit = fitFourParameter(points);
  assert.ok(fit !== null);
  return fit;
}

function assertNear(found: number, expected: number, relative: number): void {
  assert.ok(Math.abs(found / expected - 1) < relative, `${found}, expected ${expected}`);
}

test('four-parameter fit: noisy standards → parameters, covariance and inverse agree with SciPy', () => {
  const fit = fitPoints(POINTS);
  assertNear(fit.a, 8.15026207e-4, 1e-5);
  assertNear(fit.d, 4.9607903e-2, 1e-5);
  assertNear(fit.c, 156.47321627, 1e-5);
  assertNear(fit.b, 1.05192351, 1e-5);
  assertNear(fit.scale ** 2 * (POINTS.length - 4), 13.753010751787016, 1e-6);
  const errors = fit.covariance.map((row, index) => Math.sqrt(row[index]));
  for (const [index, expected] of [6.76454782e-5, 1.2393239e-3, 5.92399114e-2, 2.43292295e-2].entries())
    assertNear(errors[index], expected, 1e-4);
  const read = invert(fit, 0.012, 0.0003);
  assert.ok(read !== null);
  assertNear(read.x, 49.40732062393155, 1e-5);
  assertNear(read.seLn, 0.036715249439875614, 1e-4);
});

test('four-parameter fit: noise-free standards → the true parameters, and each level reads back', () => {
  const exact = LEVELS.map((x) => ({
    x,
    response: computeResponseAt(TRUTH, x),
    sd: computeSd(computeResponseAt(TRUTH, x)),
  }));
  const fit = fitPoints(exact);
  assertNear(fit.c, TRUTH.c, 1e-6);
  assertNear(fit.b, TRUTH.b, 1e-6);
  for (const x of LEVELS.slice(1))
    assertNear(invert(fit, computeResponseAt(TRUTH, x), 0)?.x ?? Number.NaN, x, 1e-6);
});

test('four-parameter fit: a falling curve → fitted as well', () => {
  const falling = { ...TRUTH, a: 0.05, d: 0.001 };
  const fit = fitPoints(LEVELS.map((x) => ({ x, response: computeResponseAt(falling, x), sd: 1e-4 })));
  assertNear(fit.c, TRUTH.c, 1e-6);
  assert.ok(fit.a > fit.d);
});

test('four-parameter fit: a response beyond the asymptotes → no inverse', () => {
  const fit = fitPoints(POINTS);
  assert.equal(invert(fit, fit.d * 1.01, 0), null);
  assert.equal(invert(fit, fit.a * 0.9, 0), null);
});

test('four-parameter fit: too few points or levels, or values that are not numbers → no fit', () => {
  assert.equal(fitFourParameter(POINTS.slice(0, 5)), null);
  assert.equal(fitFourParameter(POINTS.filter(({ x }) => x < 1)), null);
  assert.equal(fitFourParameter([...POINTS, { x: 1, response: Number.NaN, sd: 1 }]), null);
  assert.equal(fitFourParameter([...POINTS, { x: 1, response: 1, sd: 0 }]), null);
});

test('four-parameter fit: 1,000 noisy curves → 93–97 % of the 95 % intervals hold the truth', () => {
  const noise = createNormals(11);
  const truth = 60;
  let covered = 0;
  for (let round = 0; round < 1_000; round += 1) {
    const measureAt = (x: number): number => {
      const exact = computeResponseAt(TRUTH, x);
      return exact + computeSd(exact) * noise();
    };
    const points = [...LEVELS, ...LEVELS].map((x) => {
      const response = measureAt(x);
      return { x, response, sd: computeSd(response) };
    });
    const fit = fitPoints(points);
    const response = measureAt(truth);
    const read = invert(fit, response, fit.scale * computeSd(response));
    assert.ok(read !== null);
    // t of 20 degrees of freedom.
    if (Math.abs(Math.log(read.x / truth)) <= 2.086 * read.seLn) covered += 1;
  }
  assert.ok(covered >= 930 && covered <= 970, `${covered} of 1,000`);
});
