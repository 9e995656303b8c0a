import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveSettings } from '../settings.ts';
import { computeResponseThreshold, countScreenSds } from './plate-levels.ts';
import type { PlateLevels } from './plate-levels.ts';

const SETTINGS = resolveSettings();

function createLevels(negativeMedian: number | null, negativeSd: number | null): PlateLevels {
  const none = {
    positiveMedian: null,
    positiveLoading: null,
    expressedMin: null,
    loadingLow: null,
    isZeroKnown: true,
    flags: [],
  };
  return { negativeResponses: [], negativeMost: null, negativeMedian, negativeSd, noise: 0.001, ...none };
}

function assertNear(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 1e-12, `${actual} is not ${expected}`);
}

test('threshold: negative controls → their median plus 3 robust SD', () => {
  assertNear(
    computeResponseThreshold(createLevels(0.01, 0.02), { noise: 0.001, responseSe: 0.001 }, SETTINGS)
      .threshold,
    0.07,
  );
});

test('threshold: quiet or absent controls → at least 3 × noise and 3.5 standard errors of the response', () => {
  assertNear(
    computeResponseThreshold(createLevels(0.001, 0.0001), { noise: 0.01, responseSe: 0.001 }, SETTINGS)
      .threshold,
    0.03,
  );
  assertNear(
    computeResponseThreshold(createLevels(null, null), { noise: 0.001, responseSe: 0.01 }, SETTINGS)
      .threshold,
    0.035,
  );
});

test('threshold: few negative controls → more SD, as one further value needs; many, or none → 3', () => {
  // t(0.995) of n − 1 from a printed table, times the square root of 1 + 1/n.
  for (const [n, sds] of [
    [3, 9.925 * Math.sqrt(4 / 3)],
    [4, 5.841 * Math.sqrt(5 / 4)],
    [8, 3.499 * Math.sqrt(9 / 8)],
  ])
    assert.ok(Math.abs(countScreenSds(n) - sds) < 0.002, `${n}: ${countScreenSds(n)} is not ${sds}`);
  for (const n of [0, 2, 18, 96]) assert.equal(countScreenSds(n), 3);
  const levels = createLevels(0.01, 0.02);
  const own = { noise: 0.001, responseSe: 0.001 };
  assertNear(computeResponseThreshold(levels, own, SETTINGS, 5).threshold, 0.11);
});
