import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNormals } from '#testing/analysis/synthetic.ts';
import { findSlopeDoubt } from './drift-verdict.ts';
import type { FittedSlope } from './drift-verdict.ts';

const RESPONSES = [0.1, 0.2, 0.4, 0.7, 0.9, 1];

function createSlopes(computePerS: (response: number) => number, sdPerS: number): FittedSlope[] {
  return RESPONSES.map((response) => ({
    perS: computePerS(response),
    sdPerS,
    baseline: { perS: 0, se: 1e-6 },
    response,
    isBlankSubtracted: false,
  }));
}

test('drift: slopes of the size that the plate shows → no doubt in 99 % of draws', () => {
  const normal = createNormals(7);
  let doubts = 0;
  for (let draw = 0; draw < 400; draw += 1)
    doubts += findSlopeDoubt(createSlopes(() => 2e-5 * normal(), 2e-5)) === null ? 0 : 1;
  assert.ok(doubts <= 10, `${doubts}`);
});

test('drift: slopes proportional to the response → grows_with_response', () => {
  const normal = createNormals(8);
  const slopes = createSlopes((response) => 5e-5 * response * (1 + 0.05 * normal()), 1e-4);
  assert.equal(findSlopeDoubt(slopes), 'grows_with_response');
});

test('drift: slopes far beyond the plate, other than the baselines → unseen_elsewhere', () => {
  const normal = createNormals(9);
  assert.equal(findSlopeDoubt(createSlopes(() => 2e-4 * normal(), 1e-5)), 'unseen_elsewhere');
});

test('drift: slopes far beyond the plate that agree with the baselines → no doubt', () => {
  const normal = createNormals(10);
  const slopes = createSlopes(() => 2e-4 * normal(), 1e-5).map((slope) => ({
    ...slope,
    baseline: { perS: slope.perS + 1e-6 * normal(), se: 1e-6 },
  }));
  assert.equal(findSlopeDoubt(slopes), null);
});

test('drift: nothing is known of it → only growth with the response is a doubt', () => {
  const normal = createNormals(11);
  const slopes = createSlopes(() => 2e-4 * normal(), 0).map((slope) => ({ ...slope, baseline: null }));
  assert.equal(findSlopeDoubt(slopes), null);
});
