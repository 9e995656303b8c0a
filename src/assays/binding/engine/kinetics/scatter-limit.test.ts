import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNormals } from '#testing/analysis/synthetic.ts';
import { computeScatterLimit } from './scatter-limit.ts';

function assertNear(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 0.002 * expected, `${actual} is not ${expected}`);
}

test('prediction limit: few values of one scatter → Student’s t of their ordinary standard deviation', () => {
  // t(0.995) of n − 1 from a printed table; the standard deviation of 1, 2, 3 is 1.
  assertNear(computeScatterLimit([1, 2, 3], 0.995, 0), 9.925 * Math.sqrt(4 / 3));
  const four = [-3, -1, 1, 3];
  assertNear(computeScatterLimit(four, 0.995, 0), 5.841 * Math.sqrt(5 / 4) * Math.sqrt(20 / 3));
});

test('prediction limit: one of ten values lies far away → the limit of the others, somewhat wider; no scatter → three errors', () => {
  const clean = [-1.5, -1, -0.6, -0.3, 0, 0.1, 0.3, 0.6, 1, 1.5];
  const spoiled = [...clean.slice(0, -1), 50];
  const [before, after] = [clean, spoiled].map((values) => computeScatterLimit(values, 0.9965, 0));
  assert.ok(after < 2 * before, `${before} → ${after}`);
  assert.equal(computeScatterLimit([0, 0, 0], 0.9965, 0.02), 3 * 0.02);
});

test('prediction limit: one further value of the same scatter → exceeds it in about half a percent', () => {
  const normal = createNormals(7);
  for (const n of [4, 5, 8, 12, 20, 40]) {
    let above = 0;
    const draws = 20_000;
    for (let draw = 0; draw < draws; draw += 1) {
      const values = Array.from({ length: n }, () => normal()).sort((a, b) => a - b);
      const median = (values[Math.floor((n - 1) / 2)] + values[Math.floor(n / 2)]) / 2;
      if (normal() > median + computeScatterLimit(values, 0.9965, 0)) above += 1;
    }
    const percent = (100 * above) / draws;
    assert.ok(percent > 0.25 && percent < 0.75, `${n} controls: ${percent} %`);
  }
});
