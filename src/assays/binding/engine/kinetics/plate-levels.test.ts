import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveSettings } from '../settings.ts';
import { computeResponseThreshold, computeScreenThreshold } from './plate-levels.ts';
import type { PlateLevels } from './plate-levels.ts';
import { computeScatterLimit } from './scatter-limit.ts';

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

test('threshold of a screen: few negative controls → above that of fits; without controls → the same', () => {
  const own = { noise: 0.001, responseSe: 0.001 };
  const controls = [-0.01, 0.005, 0.015, 0.03];
  const levels = { ...createLevels(0.01, 0.0148), negativeResponses: controls };
  const usual = computeResponseThreshold(levels, own, SETTINGS).threshold;
  assertNear(usual, 0.01 + 3 * 0.0148);
  const rise = computeScatterLimit(controls, 0.9965, own.responseSe);
  assertNear(computeScreenThreshold(levels, own, SETTINGS).threshold, 0.01 + rise);
  assert.ok(rise > 6 * 0.0148);
  const none = createLevels(null, null);
  assert.deepEqual(
    computeScreenThreshold(none, own, SETTINGS),
    computeResponseThreshold(none, own, SETTINGS),
  );
});
